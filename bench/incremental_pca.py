"""scikit-learn's IncrementalPCA on a .npy file that is mapped and not loaded: seconds, peak memory, variances."""
import json
import resource
import sys
import time

import numpy
from sklearn.decomposition import IncrementalPCA

path, k = sys.argv[1], int(sys.argv[2])
start = time.perf_counter()
data = numpy.load(path, mmap_mode="r")
model = IncrementalPCA(n_components=k)
size = max(5 * data.shape[1], 10 * k)
for first in range(0, data.shape[0], size):
    last = min(first + size, data.shape[0])
    if last - first < k:
        break
    model.partial_fit(numpy.asarray(data[first:last]))
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
