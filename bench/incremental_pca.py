"""scikit-learn's IncrementalPCA on a .npy file that is mapped and not loaded, or on a .parquet: seconds, peak memory, variances."""
import json
import resource
import sys
import time

import numpy
from sklearn.decomposition import IncrementalPCA


def blocks(path):
    """Rows some at a time, and how many columns there are."""
    if path.endswith(".parquet"):
        from pyarrow.parquet import ParquetFile

        file = ParquetFile(path)
        width = len(file.schema_arrow.names)
        batches = file.iter_batches(batch_size=1 << 16)
        return (numpy.column_stack([column.to_numpy() for column in batch.columns]) for batch in batches), width
    data = numpy.load(path, mmap_mode="r")
    return iter([data]), data.shape[1]


path, k = sys.argv[1], int(sys.argv[2])
start = time.perf_counter()
parts, width = blocks(path)
model = IncrementalPCA(n_components=k)
# What scikit-learn itself takes when it is given a whole matrix.
size = max(5 * width, 10 * k)
for part in parts:
    for first in range(0, part.shape[0], size):
        some = part[first : first + size]
        if some.shape[0] >= k:
            model.partial_fit(numpy.asarray(some))
seconds = time.perf_counter() - start
print(
    json.dumps(
        {
            "seconds": seconds,
            # Pages of the file that are mapped count as memory too.
            "bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
            "variances": model.explained_variance_.tolist(),
        }
    )
)
