#!/bin/sh
# Make or upgrade Temporal's two databases, by Temporal's own tool. It may run any number of times.
set -eu
tool() {
  temporal-sql-tool --plugin postgres12 --ep "$SQL_HOST" -p "${SQL_PORT:-5432}" -u "$SQL_USER" "$@"
}
for pair in temporal:temporal temporal_visibility:visibility; do
  database=${pair%%:*} kind=${pair##*:}
  tool --db "$database" create
  tool --db "$database" setup-schema -v 0.0
  tool --db "$database" update-schema -d "/etc/temporal/schema/postgresql/v12/$kind/versioned"
done
