"""Rates of one core with NumPy and pyarrow, per CPU second, as JSON. Argument: a Parquet file of float64 columns."""

import json
import os
import sys
import time

os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", MKL_NUM_THREADS="1")
import numpy  # noqa: E402
import pyarrow  # noqa: E402
import pyarrow.parquet  # noqa: E402


def rate(work, units):
    """Units per CPU second: the median of five."""
    used = []
    for _ in range(5):
        start = time.process_time()
        work()
        used.append(time.process_time() - start)
    return units / sorted(used)[2]


def decode(path):
    file = pyarrow.parquet.ParquetFile(path)

    def work():
        for batch in file.iter_batches(batch_size=4096, use_threads=False):
            numpy.column_stack([column.to_numpy() for column in batch.columns])

    return rate(work, file.metadata.num_rows * file.metadata.num_columns)


pyarrow.set_cpu_count(1)
pyarrow.set_io_thread_count(1)
rng = numpy.random.default_rng(1)
tall = rng.standard_normal((8192, 1000))
wide = rng.standard_normal((256, 20000))
vectors = {d: rng.standard_normal((d, 30)) for d in (1000, 20000)}
square = rng.standard_normal((1000, 1000))
other = square.copy()
print(
    json.dumps(
        {
            "versions": f"NumPy {numpy.__version__}, pyarrow {pyarrow.__version__}",
            "decode": decode(sys.argv[1]),
            "gram": rate(lambda: tall.T @ tall, 8192 * 1000**2),
            "normal": rate(lambda: tall.T @ (tall @ vectors[1000]), 4 * 8192 * 1000 * 30),
            "normalWide": rate(lambda: wide.T @ (wide @ vectors[20000]), 4 * 256 * 20000 * 30),
            "add": rate(lambda: numpy.add(square, other, out=other), 1000**2),
        }
    )
)
