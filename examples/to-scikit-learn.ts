/** Train here, apply in scikit-learn. Needs Python with scikit-learn; SCREE_PYTHON names it if it is not python3. */
import { execFileSync } from 'node:child_process';
import { pca } from '@scree/core';

const rows = Array.from({ length: 20 }, (_, i) => [Math.sin(i), Math.sin(i) + Math.cos(5 * i), Math.cos(i * i)]);
const model = await pca(rows, { k: 2 });

// docs/model-format.md has a reader that also knows scales and whitening.
const apply = `
import json, sys
import numpy as np
from sklearn.decomposition import PCA
m, rows = json.load(sys.stdin)
pca = PCA(m["k"])
pca.components_, pca.mean_ = np.array(m["components"]), np.array(m["mean"])
pca.explained_variance_ = np.array(m["variances"])
print(json.dumps(pca.transform(rows).tolist()))`;
const input = JSON.stringify([model, rows]);
const printed = execFileSync(process.env.SCREE_PYTHON ?? 'python3', ['-c', apply], { input, encoding: 'utf8' });
const theirs: number[][] = JSON.parse(printed);

const scores = await model.transform(rows);
const differences = theirs.flat().map((score, i) => Math.abs(score - (scores.data[i] ?? Number.NaN)));
console.log('scores in scikit-learn:', theirs);
console.log('largest difference:', Math.max(...differences));
