/** What every environment must be able to do, given the modules as that environment loads them. Returns a line for the table. */
export async function checkCore(core, transform, files) {
  const rows = [
    [1, 2, 0],
    [3, 5, 1],
    [4, 4, 2],
    [8, 9, 1],
    [7, 7, 3],
  ];
  const model = await core.pca(rows, { k: 2 });
  const scores = await model.transform(rows);
  const stored = core.loadModel(model.toBinary());
  const close = (a, b) => a.every((value, i) => Math.abs(value - b[i]) < 1e-10);
  const blob = new Blob(['a,b,c\n1,2,0\n3,5,1\n4,4,2\n8,9,1\n7,7,3\n']);
  const file = await files.openBlob(blob);
  const fromFile = await core.pca(file.source, { k: 2 });
  await file.close();
  const learned = await core.pca(rows, { k: 1, solver: 'autoencoder' });
  const results = {
    'a stored model': close(stored.variances, model.variances),
    'transform without solvers': close(
      transform.loadTransform(JSON.stringify(model)).transform(rows).data,
      scores.data,
    ),
    'a file': close(fromFile.variances, model.variances),
    'a solver that is loaded on demand': Math.abs(learned.variances[0] - model.variances[0]) < 1e-4,
    'an error with its class': await core.pca([[1, Number.NaN]]).catch((error) => error instanceof core.DataError),
  };
  for (const [what, holds] of Object.entries(results)) if (holds !== true) throw new Error(`Not as expected: ${what}`);
  return `scree works: ${model.plan.engine}`;
}
