"""The moments of every file on the workers of a Dask cluster, then the model.

    python with_dask.py 'data/*.parquet' model.json [tcp://scheduler:8786]

Workers and this program see the same folder, and have scree. Only names travel.
"""

import glob
import os
import subprocess
import sys

from dask.distributed import Client


def moments(path, target):
    subprocess.run(["scree", "moments", path, "-q", "--threads", "1", "-o", target], check=True)
    return target


def main(pattern, model, scheduler=None):
    folder = os.path.abspath("moments")
    os.makedirs(folder, exist_ok=True)
    paths = sorted(os.path.abspath(path) for path in glob.glob(pattern))
    targets = [os.path.join(folder, f"{i}.moments") for i in range(len(paths))]
    with Client(scheduler) if scheduler else Client(n_workers=2, threads_per_worker=1) as client:
        # The same rows give the same file, so a task may run twice.
        client.gather(client.map(moments, paths, targets, retries=2, pure=False))
    subprocess.run(["scree", "merge", *targets, "-q", "-o", "all.moments"], check=True)
    subprocess.run(["scree", "fit", "all.moments", "-o", model], check=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
