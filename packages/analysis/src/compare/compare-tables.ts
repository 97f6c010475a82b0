import { type Data, DataError, type Model, Moments, pca, RowMatrix, type RowSource } from '@scree/core';
import { joinColumns, mapSource, matrixSource, openSource, refuseChanged, withJson } from '@scree/core/data';
import { combineRows, powerOfTwo, svdSteps, transpose } from '@scree/core/linalg';
import {
  type ControlOptions,
  checkControl,
  checkOption,
  keepAlive,
  ProgressTracker,
  type Task,
} from '@scree/core/pipeline';

/** Options of comparing two tables. */
export interface CompareTablesOptions extends ControlOptions {
  /** `'unit'` divides every column by its deviation first. Default `'none'`. */
  readonly scale?: 'none' | 'unit' | undefined;
}

/**
 * RV coefficient of two tables of the same rows (Robert & Escoufier 1976): ‖XᵀY‖²/(‖XᵀX‖·‖YᵀY‖) in Frobenius norms, for centred X and
 * Y. It is a correlation of the rows' inner products: 1 if one table is the other rotated and scaled, 0 if no column of one is
 * correlated with a column of the other. Takes one reading and (p + q)² numbers of memory. A table with more columns than rows is
 * replaced by its PCA scores.
 */
export function rvCoefficient(a: Data, b: Data, options: CompareTablesOptions = {}): Promise<number> {
  return keepAlive(async () => {
    const { cross, left, right } = await crossProducts(a, b, options, new ProgressTracker(checkControl(options)));
    const squares = (numbers: Float64Array): number => numbers.reduce((sum, value) => sum + value * value, 0);
    return squares(cross) / Math.sqrt(squares(left.scatter) * squares(right.scatter));
  });
}

/** The rotation of one configuration of points onto another, and the remaining distances. */
export interface Procrustes {
  /** The share of the sum of squares that no rotation and scaling explains, 0 to 1: the symmetric m², the same in both directions. */
  readonly ss: number;
  /** √(1 − ss), the correlation of two configurations. */
  readonly correlation: number;
  /**
   * Orthogonal, q × p: rows y of the second table lie closest to those of the first as scale·yQ + translation. If q > p, these are the
   * p columns of the rotated table that match the first table; the other q − p columns have no match.
   */
  readonly rotation: RowMatrix<Float64Array>;
  readonly scale: number;
  readonly translation: Float64Array;
  /** The remaining sum of squared distances, in units of the first table, over all columns of the rotated table. */
  readonly residual: number;
}

/**
 * Procrustes rotation of the second table onto the first, for matched rows: the rotation or reflection, scale and translation that
 * minimise the sum of squared distances (Gower 1975). With XᵀY = UΣVᵀ of the centred tables Q = VUᵀ, scale = ΣΣ/‖Y‖², ss = 1 −
 * (ΣΣ)²/(‖X‖²‖Y‖²). The narrower table is padded with columns of zeros. As `procrustes(symmetric = TRUE)$ss` of R's vegan. With `scale:
 * 'unit'` rotation and translation are those of the scaled columns.
 */
export function procrustes(a: Data, b: Data, options: CompareTablesOptions = {}): Promise<Procrustes> {
  return keepAlive(async () => {
    const progress = new ProgressTracker(checkControl(options));
    const { cross, left, right } = await crossProducts(a, b, options, progress);
    const { rotation: inner, total } = await progress.follow(rotationOf(cross, left.cols, right.cols));
    const rotation = toColumns(inner, left, right);
    const [x2, y2] = [traceOf(left), traceOf(right)];
    const ss = Math.max(0, 1 - (total * total) / (x2 * y2));
    const scale = (total / y2) * (left.unit / right.unit);
    const turned = combineRows(right.mean, 1, rotation, right.mean.length, left.mean.length);
    return withJson({
      ss,
      correlation: Math.sqrt(1 - ss),
      rotation: new RowMatrix(right.mean.length, left.mean.length, rotation),
      scale,
      translation: left.mean.map((mean, j) => mean - scale * turned[j]),
      residual: ss * x2 * left.unit ** 2,
    });
  });
}

/** Q = VUᵀ (q × p) and ΣΣ for XᵀY = UΣVᵀ. */
function* rotationOf(cross: Float64Array, p: number, q: number): Task<{ rotation: Float64Array; total: number }> {
  const tall = p >= q;
  const found = yield* svdSteps(tall ? cross.slice() : transpose(cross, p, q), Math.max(p, q), Math.min(p, q), true);
  const [u, v] = tall ? [found.left, found.right] : [found.right, found.left];
  const rank = Math.min(p, q);
  return {
    rotation: combineRows(transpose(v, rank, q), q, u, rank, p),
    total: found.values.reduce((sum, value) => sum + value, 0),
  };
}

/** Turns a rotation of scores into one of columns: WᵦᵀQWₐ, with the components W of each table that was replaced by scores. */
function toColumns(rotation: Float64Array, left: Part, right: Part): Float64Array {
  const [p, q] = [left.cols, right.cols];
  const width = left.mean.length;
  const wide = left.components ? combineRows(rotation, q, left.components, p, width) : rotation;
  if (!right.components) return wide;
  return combineRows(transpose(right.components, q, right.mean.length), right.mean.length, wide, q, width);
}

/** A table and its products. */
interface Part {
  /** The number of columns, or of scores if the table was replaced by scores. */
  readonly cols: number;
  /** XᵀX of the centred columns, both triangles, in units of unit². */
  readonly scatter: Float64Array;
  /** A power of two; 1 for scaled columns. */
  readonly unit: number;
  /** Means of the scaled columns of the table. */
  readonly mean: Float64Array;
  readonly components: Float64Array | undefined;
}

interface CrossProducts {
  /** XᵀY of the centred tables, p × q, in units of both. */
  readonly cross: Float64Array;
  readonly left: Part;
  readonly right: Part;
}

/** XᵀX, XᵀY and YᵀY of the centred tables, in one reading. Tables with more columns than rows are replaced by PCA scores first. */
async function crossProducts(
  a: Data,
  b: Data,
  options: CompareTablesOptions,
  progress: ProgressTracker,
): Promise<CrossProducts> {
  const { scale = 'none' } = options;
  checkOption('scale', scale, { must: "'none' or 'unit'", test: (v) => v === 'none' || v === 'unit' });
  const opened: RowSource[] = [];
  try {
    for (const data of [a, b]) opened.push(await openSource(data, progress));
    const [left, right] = [await narrowed(opened[0], options), await narrowed(opened[1], options)];
    const moments = await Moments.of(joinColumns(left.source, right.source), options, progress);
    for (const source of opened) await refuseChanged(source);
    if (moments.rows < 2) {
      throw new DataError('TOO_FEW_ROWS', 'There is 1 row. Comparing tables takes at least 2.', {
        value: 1,
        expected: 2,
      });
    }
    const p = left.source.cols;
    const parts = [partOf(moments, 0, p, scale, left), partOf(moments, p, moments.cols, scale, right)] as const;
    const cross = productsOf(moments, parts[0], 0, parts[1], p);
    return { cross, left: parts[0], right: parts[1] };
  } finally {
    for (const source of opened) await source.close?.();
  }
}

interface Narrowed {
  readonly source: RowSource;
  readonly model?: Model;
}

/** Replaces a table with more columns than rows by its scores on all components, which keeps distances and inner products of the rows. */
async function narrowed(source: RowSource, { scale = 'none', ...control }: CompareTablesOptions): Promise<Narrowed> {
  if (source.rows === undefined || source.cols <= source.rows || source.rows < 2 || !source.rereadable)
    return { source };
  // The caller closes the source; it is read twice here.
  const open = mapSource(source, {
    columnNames: undefined,
    sample: undefined,
    remote: undefined,
    warnings: () => [],
    close: () => {},
  });
  const model = await pca(open, { ...control, k: 'all', scale });
  return { source: matrixSource(await model.transform(open, control)), model };
}

function partOf(
  moments: Moments,
  from: number,
  to: number,
  scale: 'none' | 'unit',
  { model }: Narrowed,
): Part & Framed {
  const { columns, weight } = moments;
  const deviations = Array.from({ length: to - from }, (_, j) => {
    return Math.sqrt(columns.spread[from + j] / (weight - 1)) * columns.unit[from + j];
  });
  const largest = Math.max(...deviations);
  if (!(largest > 0))
    throw new DataError('BAD_DATA', 'All rows of one of the tables are the same, so it cannot be compared.');
  // The columns of a table that was replaced by scores are scaled already.
  const scaled = scale === 'unit' && !model;
  const unit = scaled ? 1 : powerOfTwo(largest);
  const factor = Float64Array.from(deviations, (deviation) => 1 / (scaled ? deviation || 1 : unit));
  const mean = model
    ? model.mean.map((m, j) => m / model.scale[j])
    : columns.mean.slice(from, to).map((m, j) => m * factor[j] * unit);
  const framed = { cols: to - from, factor, unit, mean, components: model?.components.data };
  return { ...framed, scatter: productsOf(moments, framed, from, framed, from) };
}

interface Framed {
  readonly cols: number;
  readonly factor: Float64Array;
}

/** The products of the columns of two parts, scaled by their factors. */
function productsOf(
  { scatter, columns, cols: d }: Moments,
  a: Framed,
  aFrom: number,
  b: Framed,
  bFrom: number,
): Float64Array {
  const out = new Float64Array(a.cols * b.cols);
  for (let i = 0; i < a.cols; i++) {
    for (let j = 0; j < b.cols; j++) {
      const [row, column] = [Math.min(aFrom + i, bFrom + j), Math.max(aFrom + i, bFrom + j)];
      const sizes = columns.unit[aFrom + i] * a.factor[i] * (columns.unit[bFrom + j] * b.factor[j]);
      out[i * b.cols + j] = scatter[row * d + column] * sizes;
    }
  }
  return out;
}

function traceOf({ cols, scatter }: Part): number {
  let trace = 0;
  for (let j = 0; j < cols; j++) trace += scatter[j * cols + j];
  return trace;
}
