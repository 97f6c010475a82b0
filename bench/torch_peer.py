"""PyTorch on a GPU, for gpu.ts to take turns with.

Loads data once, then obeys one command a line (JSON on standard input) and answers each with one line of JSON.
"""

import json
import time
from pathlib import Path

import numpy as np
import torch
from peer import serve

DATA = {}


def load(folder):
    """Reads what stored.ts wrote: row-major numbers."""
    folder = Path(folder)
    shape = json.loads((folder / "shape.json").read_text())
    DATA["X"] = torch.from_numpy(np.fromfile(folder / "data", dtype=shape["type"]).reshape(shape["rows"], shape["cols"]))
    DATA["folder"] = folder
    return {"device": torch.cuda.get_device_name(), "torch": torch.__version__}


def fit(k, repeat=1):
    """Transfer, covariance and eigh in the type of the data: what a user writes."""
    start = time.perf_counter()
    for _ in range(repeat):
        x = DATA["X"].cuda()
        x -= x.mean(0)
        values, vectors = torch.linalg.eigh(x.T @ x / (len(x) - 1))
        found = values.flip(0)[:k].cpu(), vectors.flip(1)[:, :k].T.cpu()
    seconds = (time.perf_counter() - start) / repeat
    return {"seconds": seconds, **answer(*found)}


def truth(k):
    """k + 1 variances and k components in float64."""
    x = DATA["X"].cuda()
    d = x.shape[1]
    mean = x.double().mean(0)
    scatter = torch.zeros(d, d, dtype=torch.float64, device="cuda")
    for part in x.split(2**27 // d):
        centred = part.double() - mean
        scatter += centred.T @ centred
    values, vectors = torch.linalg.eigh(scatter / (len(x) - 1))
    found = answer(values.flip(0)[: k + 1].cpu(), vectors.flip(1)[:, :k].T.cpu())
    del x, scatter
    torch.cuda.empty_cache()
    return found


def answer(variances, components):
    """Components go through a file: there can be millions of numbers."""
    np.ascontiguousarray(components.numpy(), dtype=np.float64).tofile(DATA["folder"] / "components")
    return {"variances": variances.double().tolist()}


serve(load, fit, truth)
