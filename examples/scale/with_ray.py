"""The moments of every file on the workers of a Ray cluster, then the model.

    python with_ray.py 'data/*.parquet' model.json

Workers and this program see the same folder, and have scree. Only names travel.
"""

import glob
import os
import subprocess
import sys

import ray


@ray.remote(num_cpus=1, max_retries=2, retry_exceptions=True)
def moments(path, target):
    subprocess.run(["scree", "moments", path, "-q", "--threads", "1", "-o", target], check=True)
    return target


def main(pattern, model):
    folder = os.path.abspath("moments")
    os.makedirs(folder, exist_ok=True)
    ray.init(ignore_reinit_error=True)
    paths = sorted(os.path.abspath(path) for path in glob.glob(pattern))
    targets = [os.path.join(folder, f"{i}.moments") for i in range(len(paths))]
    # The same rows give the same file, so a task may run twice.
    ray.get([moments.remote(path, target) for path, target in zip(paths, targets)])
    subprocess.run(["scree", "merge", *targets, "-q", "-o", "all.moments"], check=True)
    subprocess.run(["scree", "fit", "all.moments", "-o", model], check=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
