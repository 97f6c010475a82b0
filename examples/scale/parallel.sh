#!/bin/sh
# One machine, several processes: the moments of every file, then all of them merged, then the model.
#   sh parallel.sh 'data/*.parquet' model.json
# GNU parallel does the same and can use other machines: parallel -j 4 -S host1,host2 scree moments {} -o ...
set -eu
pattern=$1
model=$2
folder=${3:-moments}
mkdir -p "$folder"
# The pattern is expanded here, so names may contain spaces but no line breaks.
# shellcheck disable=SC2086
ls $pattern > "$folder/manifest.txt"
xargs -P "${JOBS:-4}" -I{} sh -c 'scree moments "$1" -q --threads 1 -o "$2/$(echo "$1" | tr / -).moments"' sh {} "$folder" < "$folder/manifest.txt"
scree merge "$folder" --manifest "$folder/manifest.txt" -q -o all.moments
scree fit all.moments -o "$model"
