"""The methods for missing values in plain NumPy, each from its paper, one row at a time. Reads { method, rows, k, scale } as JSON."""
import json, sys
import numpy as np


def standardise(X, scale):
    mean = np.nanmean(X, 0)
    return mean, np.nanstd(X, 0, ddof=1) if scale else np.ones(X.shape[1])


def iterative(X, k, scale):
    # Josse & Husson (2012), as printed: fill, fit, shrink, refill.
    n, d = X.shape
    missing = np.isnan(X)
    filled = np.where(missing, np.nanmean(X, 0), X)
    for _ in range(100000):
        mean = filled.mean(0)
        sd = filled.std(0) if scale else np.ones(d)
        U, s, V = np.linalg.svd((filled - mean) / sd / np.sqrt(n), full_matrices=False)
        lam = s**2
        noise = n * d / min(d, n - 1) * lam[k:].sum() / ((n - 1) * d - (n - 1) * k - d * k + k * k)
        noise = min(noise, lam[k])
        fit = (U[:, :k] * ((lam[:k] - noise) / s[:k])) @ V[:k] * np.sqrt(n) * sd + mean
        new = np.where(missing, fit, X)
        change = np.abs(new - filled).max()
        filled = new
        if change < 1e-12 * np.abs(filled).max():
            break
    return filled


def em(X, k, scale):
    # Tipping & Bishop (1999), with the scores as latent data too: an algorithm with other steps and the same maximum.
    n, d = X.shape
    _, sd = standardise(X, scale)
    B = X / sd
    O = ~np.isnan(B)
    mu = np.nanmean(B, 0)
    Z = np.where(O, B - mu, 0)
    _, s, V = np.linalg.svd(Z / np.sqrt(n), full_matrices=False)
    W = V[:k].T * s[:k]
    noise = max((s[k:] ** 2).sum() / (d - k), 1e-6)
    old = -np.inf
    for _ in range(200000):
        A = np.zeros((d, k + 1, k + 1))
        R = np.zeros((d, k + 1))
        quad, like = 0.0, 0.0
        posts = []
        for i in range(n):
            o = O[i]
            Wo, b = W[o], (B[i] - mu)[o]
            M = noise * np.eye(k) + Wo.T @ Wo
            z = np.linalg.solve(M, Wo.T @ b)
            S = noise * np.linalg.inv(M)
            C = Wo @ Wo.T + noise * np.eye(o.sum())
            like -= 0.5 * (o.sum() * np.log(2 * np.pi) + np.linalg.slogdet(C)[1] + b @ np.linalg.solve(C, b))
            e = np.append(z, 1)
            E = np.outer(e, e)
            E[:k, :k] += S
            A[o] += E
            R[o] += B[i, o][:, None] * e
            posts.append((z, S))
        if like - old < 1e-11 * abs(like):
            break
        old = like
        joint = np.stack([np.linalg.solve(A[j], R[j]) for j in range(d)])
        W, mu = joint[:, :k], joint[:, k]
        for i in range(n):
            o = O[i]
            z, S = posts[i]
            r = B[i, o] - mu[o] - W[o] @ z
            quad += r @ r + np.trace(W[o] @ S @ W[o].T)
        noise = quad / O.sum()
    filled = B.copy()
    for i in range(n):
        o = O[i]
        z = np.linalg.solve(noise * np.eye(k) + W[o].T @ W[o], W[o].T @ (B[i] - mu)[o])
        filled[i, ~o] = (mu + W @ z)[~o]
    return filled * sd


def nipals(X, k, scale):
    mean, sd = standardise(X, scale)
    E = (X - mean) / sd
    O = ~np.isnan(E)
    E = np.where(O, E, 0)
    fit = np.zeros_like(E)
    for _ in range(k):
        t = E[:, np.argmax((E**2).sum(0))]
        for _ in range(100000):
            p = E.T @ t
            p /= np.linalg.norm(p)
            new = E @ p
            done = np.linalg.norm(new - t) < 1e-13 * np.linalg.norm(new)
            t = new
            if done:
                break
        fit += np.outer(t, p)
        E = np.where(O, E - np.outer(t, p), 0)
    return np.where(np.isnan(X), fit * sd + mean, X)


given = json.loads(sys.stdin.read()) if len(sys.argv) < 2 else json.loads(sys.argv[1])
X = np.array([[np.nan if x is None else x for x in row] for row in given["rows"]], float)
print(json.dumps(globals()[given["method"]](X, given["k"], given["scale"]).tolist()))
