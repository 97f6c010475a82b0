"""scikit-learn, for the benchmark in Node to take turns with.

Loads data once, then obeys one command a line (JSON on standard input) and answers each with one line of JSON.
Only the work itself is timed: PCA(...).fit(X), or one call of BLAS.
"""

import gc
import json
import sys
import time
from pathlib import Path

import numpy as np
import scipy
import sklearn
import threadpoolctl
from peer import serve
from scipy.linalg import blas, eigh
from scipy.sparse import csr_matrix, issparse
from scipy.sparse.linalg import LinearOperator, eigsh
from sklearn.decomposition import PCA

DATA = {}


def load(folder):
    """Reads what stored.ts wrote: row-major numbers, or the three arrays of a CSR matrix."""
    folder = Path(folder)
    shape = json.loads((folder / "shape.json").read_text())
    size = (shape["rows"], shape["cols"])
    data = np.fromfile(folder / "data", dtype=shape["type"])
    if shape["sparse"]:
        indices = np.fromfile(folder / "indices", dtype=np.int32)
        indptr = np.fromfile(folder / "indptr", dtype=np.int32)
        DATA["X"] = csr_matrix((data, indices, indptr), shape=size)
    else:
        DATA["X"] = data.reshape(size)
    DATA["folder"] = folder
    return {}


def fit(solver, k, repeat=1):
    """`solver/float64` is what a careful user does with float32 data: the solver on a float64 copy, which is timed too."""
    X = DATA["X"]
    solver, _, dtype = solver.partition("/")
    gc.collect()
    start = time.perf_counter()
    for _ in range(repeat):
        model = PCA(n_components=k, svd_solver=solver, random_state=0).fit(X.astype(dtype) if dtype else X)
    seconds = (time.perf_counter() - start) / repeat
    chosen = getattr(model, "_fit_svd_solver", solver) + (f"/{dtype}" if dtype else "")
    return {"seconds": seconds, "solver": chosen, **answer(model.explained_variance_, model.components_)}


def answer(variances, components):
    """Components go through a file: there can be millions of numbers."""
    np.ascontiguousarray(components, dtype=np.float64).tofile(DATA["folder"] / "components")
    return {"variances": np.asarray(variances, dtype=np.float64).tolist()}


def resample(kind, repeats, k, repeat=1):
    """The loop that people write: rows drawn again (or every column permuted), the correlation matrix, its eigenvectors."""
    X = DATA["X"]
    n, d = X.shape
    gc.collect()
    start = time.perf_counter()
    for _ in range(repeat):
        rng = np.random.default_rng(0)
        values, vectors = np.empty((repeats, k)), np.empty((repeats, d, k))
        for b in range(repeats):
            Y = X[rng.integers(n, size=n)] if kind == "bootstrap" else rng.permuted(X, axis=0)
            Y = (Y - Y.mean(axis=0)) / Y.std(axis=0, ddof=1)
            C = Y.T @ Y / (n - 1)
            if kind == "bootstrap":
                w, v = np.linalg.eigh(C)
                vectors[b] = v[:, ::-1][:, :k]
            else:
                w = np.linalg.eigvalsh(C)
            values[b] = w[::-1][:k]
        np.quantile(values, [0.025, 0.95, 0.975], axis=0)
    return {"seconds": (time.perf_counter() - start) / repeat}


def syrk(repeat=1):
    """The smaller of XᵀX and XXᵀ, nothing else: what any covariance must cost. X.T is Fortran-ordered, so nothing is copied."""
    X = DATA["X"]
    call = blas.dsyrk if X.dtype == np.float64 else blas.ssyrk
    gc.collect()
    start = time.perf_counter()
    for _ in range(repeat):
        call(1.0, X.T, trans=0 if X.shape[1] <= X.shape[0] else 1)
    return {"seconds": (time.perf_counter() - start) / repeat}


def truth(k):
    """k + 1 variances and k components to compare everybody with: float64, centred before anything is squared."""
    X = DATA["X"]
    n, d = X.shape
    if issparse(X):
        values, vectors = sparse_truth(X, k)
        by = "ARPACK on the centred covariance, float64, to machine precision"
    elif d <= n:
        values, vectors = covariance_truth(X, k)
        by = "LAPACK on the two-pass covariance, float64"
    else:
        values, vectors = dual_truth(X, k)
        by = "LAPACK on the two-pass matrix of inner products, float64"
    return {"by": by, **answer(values / (n - 1), vectors)}


def covariance_truth(X, k):
    n, d = X.shape
    mean = X.mean(axis=0, dtype=np.float64)
    rows = max(1, 2**22 // d)
    mean += sum((X[i : i + rows] - mean).sum(axis=0) for i in range(0, n, rows)) / n
    scatter = np.zeros((d, d))
    for i in range(0, n, rows):
        centred = X[i : i + rows] - mean
        scatter += centred.T @ centred
    values, vectors = eigh(scatter, subset_by_index=[d - k - 1, d - 1], driver="evr")
    return values[::-1], vectors[:, ::-1][:, :k].T


def dual_truth(X, k):
    n = X.shape[0]
    centred = X.astype(np.float64)
    centred -= centred.mean(axis=0)
    values, vectors = eigh(centred @ centred.T, subset_by_index=[n - k - 1, n - 1], driver="evr")
    values, vectors = values[::-1], vectors[:, ::-1][:, :k]
    return values, (vectors.T @ centred) / np.sqrt(values[:k, None])


def sparse_truth(X, k):
    n, d = X.shape
    mean = np.asarray(X.mean(axis=0)).ravel()
    X_t = X.T.tocsr()

    def scatter(v):
        y = X @ v - mean @ v
        return X_t @ y - mean * y.sum()

    start = np.random.default_rng(1).normal(size=d)
    operator = LinearOperator((d, d), matvec=scatter, dtype=np.float64)
    values, vectors = eigsh(operator, k=k + 1, which="LA", ncv=3 * k + 20, tol=0, v0=start)
    order = np.argsort(values)[::-1]
    return values[order], vectors[:, order[:k]].T


def memory(solver, k):
    """How far one fit raises the peak of resident memory above what the loaded data take."""
    gc.collect()
    # Linux forgets the old peak when asked to; elsewhere there is no figure.
    Path("/proc/self/clear_refs").write_text("5")
    before = resident("VmRSS")
    fit(solver, k)
    return {"bytes": resident("VmHWM") - before}


def resident(field):
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field):
            return int(line.split()[1]) * 1024
    raise RuntimeError(f"no {field} in /proc/self/status")


def versions():
    libraries = [info for info in threadpoolctl.threadpool_info() if info["user_api"] == "blas"]
    # NumPy and SciPy may each bring one; scikit-learn's products run on NumPy's.
    libraries.sort(key=lambda info: "numpy" not in info["filepath"])
    blas_name = "none known to threadpoolctl"
    if libraries:
        library = libraries[0]
        blas_name = (
            f"{library['internal_api']} {library['version']} "
            f"({library.get('architecture', 'unknown kernels')}, {library['num_threads']} threads)"
        )
    return {
        "python": sys.version.split()[0],
        "scikit-learn": sklearn.__version__,
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "blas": blas_name,
    }


serve(load, fit, resample, syrk, truth, memory, versions)
