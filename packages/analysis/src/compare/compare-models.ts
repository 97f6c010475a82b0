import { DataError, type Matrix, type Model, RowMatrix, type Warning } from '@scree/core';
import { isMatrix, withJson } from '@scree/core/data';
import { combineRows, dot, norm, rowProducts, subspaceAngles, svd, transpose } from '@scree/core/linalg';
import { describeValue } from '@scree/core/pipeline';
import { checkModel } from '../check-model.js';

/**
 * Tucker's congruence coefficients of the rows of two matrices with the same columns, usually loadings: Σaⱼbⱼ/√(Σaⱼ²·Σbⱼ²), a cosine
 * about zero and not about means. The result has one row per row of a and one column per row of b. A row of zeros gives 0. Lorenzo-Seva
 * & ten Berge (2006) call
 * |φ| from .85 fairly similar and from .95 equal.
 */
export function congruence(a: Matrix, b: Matrix): RowMatrix<Float64Array> {
  for (const matrix of [a, b]) {
    if (isMatrix(matrix) && ArrayBuffer.isView(matrix.data)) continue;
    const message = `Loadings are given by a matrix { rows, cols, data }, not by ${describeValue(matrix)}.`;
    throw new DataError('BAD_DATA', message);
  }
  if (a.cols !== b.cols) {
    throw new DataError('WIDTH_MISMATCH', `Loadings of ${a.cols} and of ${b.cols} columns cannot be compared.`, {
      value: b.cols,
      expected: a.cols,
    });
  }
  return new RowMatrix(a.rows, b.rows, cosines(packedMatrix(a), a.rows, packedMatrix(b), b.rows, a.cols));
}

/** How two models differ: angles, congruences, variances. */
export interface ModelComparison {
  /** Columns of both models, by name; if names are missing, by position, as indexes of the first model. */
  readonly columns: readonly string[] | readonly number[];
  /** Columns of one model only. They are ignored. */
  readonly onlyFirst: readonly string[];
  readonly onlySecond: readonly string[];
  /** Principal angles between the subspaces, over the shared columns, smallest first, in radians. */
  readonly angles: Float64Array;
  /** Tucker's congruence of every component of the first model with every component of the second. */
  readonly congruence: RowMatrix<Float64Array>;
  /** Pairs of components by |congruence|, the most similar first; each component at most once. Signs of components are arbitrary. */
  readonly matches: readonly { readonly first: number; readonly second: number; readonly congruence: number }[];
  /** RV coefficient of the loadings: the cosine between the covariance matrices that the models reconstruct, tr(CₐCᵦ)/(‖Cₐ‖·‖Cᵦ‖). */
  readonly rv: number;
  /** The second model's loadings rotated onto the first one's, about zero. */
  readonly procrustes: {
    /** The share of the sum of squares that the best rotation leaves, 0 to 1. */
    readonly ss: number;
    /** Orthogonal: one row per component of the second model, one column per component of the first. */
    readonly rotation: RowMatrix<Float64Array>;
  };
  readonly warnings: readonly Warning[];
}

/**
 * Compares two models by their components. Columns are matched by name if both models have names, otherwise by position. Loadings are
 * compared in the units of each fit, so both models should scale their columns in the same way.
 */
export function compareModels(first: Model, second: Model): ModelComparison {
  checkModel(first);
  checkModel(second);
  const { a, b, columns } = sharedColumns(first, second);
  const d = a.length;
  const restrict = ({ data, rows, cols }: Matrix<Float64Array>, to: readonly number[]): Float64Array => {
    const out = new Float64Array(rows * d);
    for (let i = 0; i < rows; i++) for (let j = 0; j < d; j++) out[i * d + j] = data[i * cols + to[j]];
    return out;
  };
  const [ka, kb] = [first.k, second.k];
  const angles = subspaceAngles(restrict(first.components, a), ka, restrict(second.components, b), kb, d);
  const [la, lb] = [restrict(first.loadings, a), restrict(second.loadings, b)];
  const similar = cosines(la, ka, lb, kb, d);
  // Loadings of length 1, so that neither products nor squares overflow.
  const [x, y] = [unit(la), unit(lb)];
  const cross = rowProducts(x, ka, y, kb, d);
  const { left, right, values } = svd(cross, ka, kb);
  const total = values.reduce((sum, value) => sum + value, 0);
  const rank = Math.min(ka, kb);
  const own = norm(rowProducts(x, ka, x, ka, d)) * norm(rowProducts(y, kb, y, kb, d));
  const names = ({ columnNames = [] }: Model, taken: ReadonlySet<number>): string[] =>
    columnNames.filter((_, j) => !taken.has(j));
  return withJson({
    columns,
    onlyFirst: names(first, new Set(a)),
    onlySecond: names(second, new Set(b)),
    angles,
    congruence: new RowMatrix(ka, kb, similar),
    matches: matchesOf(similar, ka, kb),
    rv: own > 0 ? dot(cross, 0, cross, 0, cross.length) / own : 0,
    procrustes: {
      ss: Math.max(0, 1 - total * total),
      rotation: new RowMatrix(kb, ka, combineRows(transpose(right, rank, kb), kb, left, rank, ka)),
    },
    warnings: scaleWarnings(first, second),
  });
}

interface Shared {
  /** Indexes of the shared columns in either model. */
  readonly a: readonly number[];
  readonly b: readonly number[];
  readonly columns: readonly string[] | readonly number[];
}

function sharedColumns(first: Model, second: Model): Shared {
  const [names, others] = [first.columnNames, second.columnNames];
  if (names && others) {
    // If a name occurs twice, the last column counts.
    const own = new Map(names.map((name, j) => [name, j]));
    const at = new Map(others.map((name, j) => [name, j]));
    const columns = [...own.keys()].filter((name) => at.has(name));
    const indexes = (map: ReadonlyMap<string, number>): number[] => columns.map((name) => map.get(name) as number);
    if (columns.length > 0) return { a: indexes(own), b: indexes(at), columns };
    throw new DataError(
      'MISSING_COLUMN',
      `The models have no column in common: one has ${describeValue(names.slice(0, 3).join(', '))}, the other ${describeValue(others.slice(0, 3).join(', '))}.`,
    );
  }
  if (first.d !== second.d) {
    throw new DataError(
      'WIDTH_MISMATCH',
      `Models of ${first.d} and ${second.d} columns are matched by the columns' names, and ${names || others ? 'one of them has none' : 'they have none'}. Fit with columnNames.`,
      { value: second.d, expected: first.d },
    );
  }
  const a = Array.from({ length: first.d }, (_, j) => j);
  return { a, b: a, columns: names ?? others ?? a };
}

function matchesOf(
  similar: Float64Array,
  ka: number,
  kb: number,
): { first: number; second: number; congruence: number }[] {
  const pairs = Array.from(similar, (congruence, at) => ({ first: Math.floor(at / kb), second: at % kb, congruence }));
  // Congruences that are equal within rounding keep the order of the components.
  const size = ({ congruence }: { congruence: number }): number => Math.round(Math.abs(congruence) * 1e9);
  pairs.sort((p, q) => size(q) - size(p));
  const taken = [new Set<number>(), new Set<number>()];
  const matches: { first: number; second: number; congruence: number }[] = [];
  for (const pair of pairs) {
    if (matches.length === Math.min(ka, kb)) break;
    if (taken[0].has(pair.first) || taken[1].has(pair.second)) continue;
    taken[0].add(pair.first);
    taken[1].add(pair.second);
    matches.push(pair);
  }
  return matches;
}

function scaleWarnings(first: Model, second: Model): Warning[] {
  // Models of version 0.1.0 do not store how they scale.
  const rule = ({ scaling, scale }: Model): string => scaling ?? (scale.every((s) => s === 1) ? 'none' : 'unit');
  const [a, b] = [rule(first), rule(second)];
  if (a === b) return [];
  return [
    {
      code: 'SCALES_DIFFER',
      message: `The models scale their columns differently (${a} and ${b}), so their loadings have different units. Fit both with the same scale.`,
      details: { scales: [a, b] },
    },
  ];
}

/** Cosines of rows with rows; 0 for a row of zeros. */
function cosines(a: Float64Array, ka: number, b: Float64Array, kb: number, d: number): Float64Array {
  const rows = (m: Float64Array, k: number): Float64Array => {
    const out = new Float64Array(k * d);
    for (let i = 0; i < k; i++) out.set(unit(m.subarray(i * d, (i + 1) * d)), i * d);
    return out;
  };
  return rowProducts(rows(a, ka), ka, rows(b, kb), kb, d).map((cosine) => Math.max(-1, Math.min(1, cosine)));
}

/** The vector scaled to length 1; zeros are unchanged. */
function unit(x: Float64Array): Float64Array {
  let largest = 0;
  for (const entry of x) largest = Math.max(largest, Math.abs(entry));
  if (largest === 0) return x;
  const sized = x.map((entry) => entry / largest);
  const length = norm(sized);
  return sized.map((entry) => entry / length);
}

/** The rows of a matrix as float64, without a stride. */
export function packedMatrix({ rows, cols, data, stride = cols }: Matrix): Float64Array {
  const out = new Float64Array(rows * cols);
  for (let i = 0; i < rows; i++) out.set(data.subarray(i * stride, i * stride + cols), i * cols);
  return out;
}
