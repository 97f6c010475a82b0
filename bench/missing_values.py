"""
Tables with values removed, and what scikit-learn fills in: input of missing-values.ts. Usage: python missing_values.py FOLDER [mice]
Ten public tables, 5, 20 and 40 % missing, by three mechanisms: completely at random, in blocks of neighbouring rows, and where another
column is large. Errors are in standard deviations of the complete column.
"""
import json, os, sys, time, warnings
import numpy as np
import pandas as pd
from sklearn import datasets
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.impute import IterativeImputer, KNNImputer, SimpleImputer

warnings.filterwarnings("ignore")
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..") if os.path.exists(os.path.join(HERE, "..", "packages")) else os.path.join(HERE, "..", "..")


def csv(path, columns=None):
    table = pd.read_csv(os.path.join(ROOT, path))
    table = table[columns] if columns else table.select_dtypes("number")
    return table.dropna().to_numpy(float)


def tables():
    fixtures = "packages/core/test/fixtures/"
    yield "iris", datasets.load_iris().data
    yield "wine", datasets.load_wine().data
    yield "breast cancer", datasets.load_breast_cancer().data
    yield "diabetes", datasets.load_diabetes().data
    digits = datasets.load_digits().data[:600]
    yield "digits (600 rows)", digits[:, digits.std(0) > 0.5]
    yield "linnerud", np.hstack([datasets.load_linnerud().data, datasets.load_linnerud().target])
    yield "USArrests", csv(fixtures + "usarrests.csv")
    yield "mtcars", csv(fixtures + "mtcars.csv")
    yield "decathlon2", csv(fixtures + "decathlon2-27.csv")
    yield "airquality", csv("packages/files/test/tables/airquality.csv", ["Ozone", "Solar.R", "Wind", "Temp"])


def gaps(X, share, mechanism, rng):
    n, d = X.shape
    if mechanism == "random":
        mask = rng.random((n, d)) < share
    elif mechanism == "blocks":
        mask = np.zeros((n, d), bool)
        length = max(2, n // 20)
        while mask.mean() < share:
            i, j = rng.integers(n), rng.integers(d)
            mask[i : i + length, j] = True
    else:
        # A value is missing more often where the next column is large.
        rank = np.argsort(np.argsort(np.roll(X, 1, 1), 0), 0) / n
        mask = rng.random((n, d)) < np.minimum(1, 2 * share * rank)
    # Every row and column keeps some values.
    for i in np.flatnonzero(mask.all(1)):
        mask[i, rng.integers(d)] = False
    for j in range(d):
        if (~mask[:, j]).sum() < 3:
            mask[rng.choice(n, 3, replace=False), j] = False
    return mask


def main(folder):
    os.makedirs(folder, exist_ok=True)
    count = 0
    for name, X in tables():
        sd = X.std(0, ddof=1)
        for share in (0.05, 0.2, 0.4):
            for mechanism in ("random", "blocks", "another column"):
                rng = np.random.default_rng(7919 * count + 1)
                mask = gaps(X, share, mechanism, rng)
                given = np.where(mask, np.nan, X)
                scale = np.nanstd(given, 0)
                scale[~(scale > 0)] = 1
                centre = np.nanmean(given, 0)
                scaled = (given - centre) / scale
                others = {}
                for title, imputer in (
                    ("mean", SimpleImputer()),
                    ("IterativeImputer", IterativeImputer(random_state=0, max_iter=20)),
                    ("KNNImputer", KNNImputer()),
                ):
                    start = time.perf_counter()
                    filled = imputer.fit_transform(scaled) * scale + centre
                    seconds = time.perf_counter() - start
                    others[title] = {"error": float(np.median(np.abs((filled - X) / sd)[mask])), "seconds": seconds}
                case = {
                    "table": name,
                    "share": share,
                    "mechanism": mechanism,
                    "rows": [[None if np.isnan(x) else x for x in row] for row in given],
                    "truth": X.tolist(),
                    "deviations": sd.tolist(),
                    "others": others,
                }
                with open(os.path.join(folder, f"{count:03d}.json"), "w") as out:
                    json.dump(case, out)
                count += 1


main(sys.argv[1])
