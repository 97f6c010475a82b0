"""PCA of dask-ml of a Parquet file, by its full solver: prints the seconds of reading and fitting, and the components, as JSON."""

import json
import sys
import time

import dask.dataframe as dd
from dask_ml.decomposition import PCA

path, k = sys.argv[1:]
start = time.perf_counter()
rows = dd.read_parquet(path).to_dask_array(lengths=True)
# Its solvers take all columns in one chunk.
model = PCA(n_components=int(k), svd_solver="full").fit(rows.rechunk({1: -1}))
print(json.dumps({"seconds": time.perf_counter() - start, "components": model.components_.tolist()}))
