/** Small programs that use the library and then have nothing more to do. See hangs.js, which starts them. */
const [path, what] = process.argv.slice(2);
const { Moments, pca, stream } = await import(path);

function matrix(rows, cols) {
  const data = new Float64Array(rows * cols);
  let state = 1;
  for (let i = 0; i < data.length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    data[i] = state / 2 ** 32;
  }
  return { rows, cols, data };
}

if (what === 'fit') {
  const data = matrix(120, 20);
  const model = await pca(data, { k: 5 });
  console.log((await model.transform(data)).rows);
} else if (what === 'threads') {
  const model = await pca(matrix(5000, 120), { k: 5, solver: 'covariance' });
  console.log(model.n);
} else if (what === 'stream') {
  const rows = stream({ k: 3 });
  for (let i = 0; i < 5; i++) await rows.add(matrix(40, 12));
  const moments = new Moments(12);
  await moments.add(matrix(40, 12));
  console.log((await rows.model()).n, (await pca(moments, { k: 3 })).n);
} else if (what === 'abort') {
  const controller = new AbortController();
  const fit = pca(matrix(5000, 120), { k: 5, signal: controller.signal });
  setTimeout(() => controller.abort(), 5);
  await fit.then(
    () => console.log('done before it was aborted'),
    () => console.log('aborted'),
  );
}
