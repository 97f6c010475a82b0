"""Exact neighbours by NumPy, and by FAISS if it is there: seconds."""
import time

import numpy

from peer import serve


def neighbours(path, cols, queries, at):
    data = numpy.fromfile(path, dtype="<f4").reshape(-1, cols)
    chosen = data[:queries]
    reply = {}
    start = time.perf_counter()
    norms = numpy.sqrt(numpy.einsum("ij,ij->i", data, data))
    for first in range(0, queries, 100):
        nearness = chosen[first : first + 100] @ data.T / norms
        numpy.argpartition(-nearness, at, axis=1)[:, : at + 1]
    reply["NumPy, products and argpartition"] = time.perf_counter() - start
    try:
        import faiss
    except ImportError:
        return reply
    start = time.perf_counter()
    index = faiss.IndexFlatIP(cols)
    index.add(data / norms[:, None])
    index.search(chosen, at + 1)
    reply["FAISS IndexFlatIP, add and search"] = time.perf_counter() - start
    start = time.perf_counter()
    matrix = faiss.PCAMatrix(cols, cols // 2)
    matrix.train(data)
    reply["FAISS PCAMatrix, train"] = time.perf_counter() - start
    return reply


serve(neighbours)
