#!/usr/bin/env bash
# Trains several variants at once on one GPU, compares them and packs the best one and all's mean.
# usage: device.sh DATA-FOLDER OUT-FOLDER SECONDS VARIANTS-FILE [TEACHER.pt...]
# DATA-FOLDER holds start/ (from training.shrink) and nli/; VARIANTS-FILE one line of flags a variant.
# Models are left in RUNS (default: runs/ beside the data), so that the next call can learn from them.
set -eu
data=$1 out=$2 seconds=$3 variants=$4
shift 4
export OMP_NUM_THREADS=2 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=true PYTHONPATH=src:.
runs=${RUNS:-$data/runs}
name=$(basename "$variants" .txt)
mkdir -p "$runs"
[ -e "$runs/pairs.tsv.gz" ] || python3 -m training.build "$runs/pairs.tsv.gz" --nli "$data/nli"
i=0
while read -r flags; do
  i=$((i + 1))
  # shellcheck disable=SC2086
  python3 -m training.train --start "$data/start" --nli "$data/nli" --pairs "$runs/pairs.tsv.gz" \
    --out "$runs/$name-$i" --seconds "$seconds" $flags --teachers "$@" \
    > "$out/$name-$i.log" 2>&1 &
done < "$variants"
wait
for log in "$out/$name"-*.log; do echo "== $log"; tail -n 12 "$log"; done
cat "$out/$name"-*.log > "$out/log.txt"; rm "$out/$name"-*.log
python3 -m training.compare_runs "$data/start" "$data/nli" "$runs/$name"-*/model.pt | tee "$out/compare.txt"
python3 -m training.export "$(head -1 ranking.txt)" "$out/best" --parts 2
# shellcheck disable=SC2046
python3 -m training.export $(cat ranking.txt) "$out/mean" --parts 2
ls -la "$out"/*
