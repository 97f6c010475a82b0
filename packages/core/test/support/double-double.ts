/**
 * Independent exact results for small problems: covariance and Jacobi eigenvalues in double-double arithmetic (about 32 digits), without
 * any code of the library. A number is a pair hi + lo.
 */
type DD = readonly [number, number];

const twoSum = (a: number, b: number): DD => {
  const s = a + b;
  const t = s - a;
  return [s, a - (s - t) + (b - t)];
};
const split = (a: number): DD => {
  const c = 134217729 * a;
  const hi = c - (c - a);
  return [hi, a - hi];
};
const twoProduct = (a: number, b: number): DD => {
  const p = a * b;
  const [ah, al] = split(a);
  const [bh, bl] = split(b);
  return [p, ah * bh - p + ah * bl + al * bh + al * bl];
};
const add = (x: DD, y: DD): DD => {
  const [s, e] = twoSum(x[0], y[0]);
  const [t, f] = twoSum(x[1], y[1]);
  const [u, g] = twoSum(s, e + t);
  return twoSum(u, g + f);
};
const neg = (x: DD): DD => [-x[0], -x[1]];
const sub = (x: DD, y: DD): DD => add(x, neg(y));
const mul = (x: DD, y: DD): DD => {
  const [p, e] = twoProduct(x[0], y[0]);
  return twoSum(p, e + x[0] * y[1] + x[1] * y[0]);
};
const div = (x: DD, y: DD): DD => {
  const q1 = x[0] / y[0];
  const r = sub(x, mul([q1, 0], y));
  const q2 = r[0] / y[0];
  const r2 = sub(r, mul([q2, 0], y));
  return add(twoSum(q1, q2), [r2[0] / y[0], 0]);
};
const sqrt = (x: DD): DD => {
  if (x[0] <= 0) return [0, 0];
  const r = Math.sqrt(x[0]);
  const correction = sub(x, mul([r, 0], [r, 0]))[0] / (2 * r);
  return twoSum(r, correction);
};

/** Eigenvalues (largest first) and eigenvectors (rows) of the covariance of the rows, correct to about 28 digits. */
export function exactPca(
  rows: readonly (readonly number[])[],
  weights: readonly number[] = rows.map(() => 1),
  ddof = 1,
  center = true,
): { values: number[]; vectors: number[][] } {
  const d = rows[0].length;
  let total: DD = [0, 0];
  for (const w of weights) total = add(total, [w, 0]);
  const mean: DD[] = Array.from({ length: d }, (_, j) => {
    let sum: DD = [0, 0];
    rows.forEach((row, i) => {
      sum = add(sum, twoProduct(weights[i], row[j]));
    });
    return center ? div(sum, total) : [0, 0];
  });
  const divisor = sub(total, [ddof, 0]);
  const a: DD[][] = Array.from({ length: d }, () => Array.from({ length: d }, () => [0, 0]));
  rows.forEach((row, i) => {
    const c = row.map((x, j) => sub([x, 0], mean[j]));
    for (let p = 0; p < d; p++)
      for (let q = 0; q < d; q++) a[p][q] = add(a[p][q], mul([weights[i], 0], mul(c[p], c[q])));
  });
  for (let p = 0; p < d; p++) for (let q = 0; q < d; q++) a[p][q] = div(a[p][q], divisor);
  const v: DD[][] = Array.from({ length: d }, (_, p) => Array.from({ length: d }, (_, q): DD => [p === q ? 1 : 0, 0]));
  for (let sweep = 0; sweep < 60; sweep++) {
    let off = 0;
    let diagonal = 0;
    for (let p = 0; p < d; p++) {
      diagonal = Math.max(diagonal, Math.abs(a[p][p][0]));
      for (let q = p + 1; q < d; q++) off = Math.max(off, Math.abs(a[p][q][0]));
    }
    if (off <= 1e-30 * diagonal) break;
    for (let p = 0; p < d; p++) for (let q = p + 1; q < d; q++) rotate(a, v, p, q);
  }
  const order = a.map((_, i) => i).sort((i, j) => a[j][j][0] - a[i][i][0]);
  return { values: order.map((i) => a[i][i][0]), vectors: order.map((i) => v[i].map((x) => x[0])) };
}

function rotate(a: DD[][], v: DD[][], p: number, q: number): void {
  if (a[p][q][0] === 0) return;
  const d = a.length;
  const theta = div(sub(a[q][q], a[p][p]), mul([2, 0], a[p][q]));
  const root = sqrt(add(mul(theta, theta), [1, 0]));
  const magnitude = div([1, 0], add(theta[0] < 0 ? neg(theta) : theta, root));
  const t = theta[0] < 0 ? neg(magnitude) : magnitude;
  const c = div([1, 0], sqrt(add(mul(t, t), [1, 0])));
  const s = mul(t, c);
  for (let i = 0; i < d; i++) {
    const [x, y] = [a[i][p], a[i][q]];
    a[i][p] = sub(mul(c, x), mul(s, y));
    a[i][q] = add(mul(s, x), mul(c, y));
  }
  for (let i = 0; i < d; i++) {
    const [x, y] = [a[p][i], a[q][i]];
    a[p][i] = sub(mul(c, x), mul(s, y));
    a[q][i] = add(mul(s, x), mul(c, y));
    const [g, h] = [v[p][i], v[q][i]];
    v[p][i] = sub(mul(c, g), mul(s, h));
    v[q][i] = add(mul(s, g), mul(c, h));
  }
}
