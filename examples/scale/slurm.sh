#!/bin/sh
# A Slurm cluster with a shared folder: an array job, one task per file, and a job that merges when all tasks have succeeded.
#   ls /shared/data/*.parquet > manifest.txt
#   sh slurm.sh manifest.txt /shared/moments model.json
set -eu
manifest=$(realpath "$1")
folder=$2
model=$3
mkdir -p "$folder"
count=$(wc -l < "$manifest")
# A task that fails and is run again writes the same bytes; a killed one leaves nothing half-written.
array=$(sbatch --parsable --array="1-$count" --requeue --output="$folder/%a.log" --wrap \
  "file=\$(sed -n \"\${SLURM_ARRAY_TASK_ID}p\" '$manifest'); scree moments \"\$file\" -q --threads 1 -o '$folder/'\$SLURM_ARRAY_TASK_ID.moments")
# Bytes of the merged file do not depend on the order in which tasks ended.
sbatch --parsable --dependency="afterok:$array" --kill-on-invalid-dep=yes --output="$folder/merge.log" --wrap \
  "scree merge '$folder' --manifest '$manifest' -q -o '$folder/all.moments' && scree fit '$folder/all.moments' -o '$model'"
