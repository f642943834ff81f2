#!/bin/sh
# Make the namespace, and what debates are found by. It may run any number of times.
set -eu
name=${TEMPORAL_NAMESPACE:-default}
until temporal operator cluster health; do sleep 2; done
temporal operator namespace describe -n "$name" >/dev/null 2>&1 ||
  temporal operator namespace create -n "$name" --retention 7d
until temporal operator search-attribute create -n "$name" \
  --name DissentExperiment --type Keyword --name DissentMode --type Keyword \
  --name DissentStatus --type Keyword --name DissentCost --type Double; do sleep 2; done
