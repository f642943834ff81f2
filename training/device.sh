#!/usr/bin/env bash
# Trains several variants at once on one GPU, compares them and packs the best two and their mean.
# usage: device.sh DATA-FOLDER OUT-FOLDER SECONDS
set -eu
data=$1 out=$2 seconds=$3
export OMP_NUM_THREADS=3 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=true
work=$(mktemp -d)
i=0
while read -r flags; do
  i=$((i + 1))
  # shellcheck disable=SC2086
  python3 -m training.train --start "$data/start" --nli "$data/nli" --pairs "$data/agreement.tsv.gz" \
    --out "$work/r$i" --seed "$i" --seconds "$seconds" $flags > "$out/r$i.log" 2>&1 &
done < "$data/variants.txt"
wait
for log in "$out"/r*.log; do echo "== $log"; tail -n 12 "$log"; done
cat "$out"/r*.log > "$out/log.txt"; rm "$out"/r*.log
python3 -m training.compare_runs "$data/start" "$data/nli" "$work"/r*/model.pt | tee "$out/compare.txt"
best=$(head -1 ranking.txt); second=$(sed -n 2p ranking.txt)
python3 -m training.export "$best" "$out/best" --parts 2
python3 -m training.export "$best" "$second" "$out/two" --parts 2
# shellcheck disable=SC2046
python3 -m training.export $(cat ranking.txt) "$out/mean" --parts 2
ls -la "$out"/*
