/**
 * The rows that every library gets, and what scree must make of them: `forms` are functions that make the library's own matrix or table
 * of these rows, `back` makes it of scores and returns its number of rows and its first entry.
 */
export const height = [1.75, 1.875, 1.625, 2, 1.5];
export const weight = [60, 85, 50, 90, 70];
export const rows = height.map((each, i) => [each, weight[i]]);

export async function checkData({ pca }, forms, back) {
  const expected = await pca(rows, { k: 2 });
  const scores = await expected.transform(rows);
  // TensorFlow.js has float32 only.
  const close = (a, b) => a.length === b.length && a.every((value, i) => Math.abs(value - b[i]) < 1e-5 * b[0] ** 2);
  for (const [what, make] of Object.entries(forms)) {
    const model = await pca(await make(), { k: 2 });
    if (!close(model.variances, expected.variances)) throw new Error(`${what}: variances are ${model.variances}`);
    const found = await model.transform(await make());
    if (!close(found.data, scores.data)) throw new Error(`${what}: scores are ${found.data}`);
  }
  const [count, first] = back(scores);
  if (count !== 5 || Math.abs(first - scores.data[0]) > 1e-5) throw new Error(`The scores came back as ${count} rows from ${first}.`); // biome-ignore format: one line
  return `scree reads: ${Object.keys(forms).join(', ')}`;
}
