/** Train in scikit-learn, apply here. Needs Python with scikit-learn; SCREE_PYTHON names it if it is not python3. */
import { execFileSync } from 'node:child_process';
import { type ModelComponents, modelFrom } from '@scree/core/exchange';

const train = `
import json
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
data = load_iris()
pca = PCA(2).fit(data.data)
print(json.dumps({
    "model": {"components": pca.components_.tolist(), "mean": pca.mean_.tolist(), "variances": pca.explained_variance_.tolist(),
              "n": pca.n_samples_, "columnNames": ["sepal length", "sepal width", "petal length", "petal width"]},
    "scores": pca.transform([[5.1, 3.5, 1.4, 0.2], [6.3, 3.3, 6.0, 2.5]]).tolist(),
}))`;
const printed = execFileSync(process.env.SCREE_PYTHON ?? 'python3', ['-c', train], { encoding: 'utf8' });
const trained: { model: ModelComponents; scores: number[][] } = JSON.parse(printed);

const model = await modelFrom(trained.model);
const scores = await model.transform([
  { 'sepal length': 5.1, 'sepal width': 3.5, 'petal length': 1.4, 'petal width': 0.2 },
  { 'sepal length': 6.3, 'sepal width': 3.3, 'petal length': 6.0, 'petal width': 2.5 },
]);
const theirs = trained.scores.flat();
console.log('scores:', scores.toRows());
console.log(
  'largest difference:',
  Math.max(...scores.data.map((score, i) => Math.abs(score - (theirs[i] ?? Number.NaN)))),
);
console.log('checked:', model.certificate.checked ?? true);
