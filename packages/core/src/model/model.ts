import { type ControlOptions, checkControl, checkOption } from '../base/control.js';
import { Printable } from '../base/inspect.js';
import { keepAlive } from '../base/keep-alive.js';
import { ProgressTracker } from '../base/progress.js';
import { type Block, type DenseBlock, identityScaler } from '../data/blocks/block.js';
import { refuseChanged } from '../data/blocks/changes.js';
import type { FloatArray } from '../data/blocks/matrix.js';
import { RowMatrix, scoreNames } from '../data/blocks/row-matrix.js';
import { checkBlockWidth, type DType } from '../data/blocks/row-source.js';
import type { ReconstructedColumn } from '../data/encoding/decode.js';
import { type Encoding, inputNames, reversible } from '../data/encoding/encoding.js';
import { type Data, openSource } from '../data/inputs/open-source.js';
import type { Row } from '../data/inputs/row-gatherer.js';
import { asRows, hasNoRows } from '../data/inputs/to-block.js';
import type { ScalingRule } from '../data/statistics/scaling.js';
import { checkFinite } from '../data/statistics/statistics.js';
import { withJson } from '../data/storage/result-json.js';
import { chooseEngine } from '../engines/choose.js';
import type { OnStep } from '../engines/engine.js';
import { OptionError } from '../errors.js';
import { axpy } from '../linalg/vector.js';
import type { Epoch } from '../solvers/learned/epoch.js';
import type { TableData } from '../table/to-table.js';
import type { Warning } from '../warning.js';
import type { Biplot, BiplotScale } from './biplot.js';
import type { Certificate } from './certificate.js';
import { checkMean } from './check-numbers.js';
import { checkRecord } from './check-record.js';
import type { Choice } from './choice.js';
import type { ConditionalModel } from './conditional.js';
import { checkFirst, recordOfFirst } from './first-components.js';
import { modelText } from './model-text.js';
import { checkOneRow, checkOut, projectInto, readOneRow, refuseGap, wrongWidth } from './one-row.js';
import { modelError, readRecord } from './read-record.js';
import {
  deviationOf,
  deviationsOf,
  type ModelPlan,
  type ModelRecord,
  OPTIONAL_VECTORS,
  type Origin,
  type Whiten,
} from './record.js';
import type { RobustFit } from './robust-fit.js';
import { RowCollector } from './row-collector.js';
import { scalerOf } from './scaler-of.js';
import { noErrorsOfZca, type ScoresWithErrors } from './score-errors.js';
import { toBinary, toJSON, transformToBinary } from './serialize.js';
import type { Stability } from './stability.js';
import { type StoredNumbers, transformOf } from './transform-record.js';
import type { Uniqueness } from './uniqueness.js';

/** Options for applying a model: progress, cancelling, threads. */
export type ApplyOptions = ControlOptions;

/** Options of `transform`. */
export interface TransformOptions extends ApplyOptions {
  /** Use only the first k components. Default: all. */
  readonly k?: number | undefined;
  /** Also return the standard errors of scores of rows with missing values. Default false. */
  readonly errors?: boolean | undefined;
  /** Rows with missing values: `'predict'` (default) gives them their expected scores, and `'error'` names the first missing value. */
  readonly missing?: 'predict' | 'error' | undefined;
}

/** Options of `toBinary`. */
export interface BinaryOptions {
  /** Stores only what `loadTransform` needs. */
  readonly only?: 'transform' | undefined;
  /** The type of the components, with `only: 'transform'`. Default `'float64'`. */
  readonly dtype?: StoredNumbers | undefined;
}

/** The values of the option `missing` of `transform`. */
const ROWS_WITH_GAPS = { must: "'predict' or 'error'", test: (v: unknown) => v === 'predict' || v === 'error' };

/** Number of rows between two yields to the event loop. */
const TILE_ROWS = 256;

/**
 * A fitted PCA: an immutable record, and the methods that apply it. The public arrays are copies: changing their entries does not
 * change how the model transforms.
 *
 * ```ts
 * const model = await pca(records, { k: 2 });
 * const scores = await model.transform(records);
 * ```
 */
export class Model extends Printable implements ModelRecord {
  readonly components: RowMatrix<Float64Array>;
  readonly mean: Float64Array;
  readonly scale: Float64Array;
  readonly scaling?: ScalingRule;
  readonly variances: Float64Array;
  readonly spectrum?: Float64Array;
  readonly varianceRatios: Float64Array;
  readonly totalVariance: number;
  readonly columnVariances?: Float64Array;
  readonly columnWeights?: Float64Array;
  readonly singularValues: Float64Array;
  readonly noiseVariance: number;
  readonly n: number;
  readonly totalWeight: number;
  readonly ddof: number;
  readonly centered: boolean;
  readonly whiten: Whiten;
  readonly columnNames?: readonly string[];
  readonly dtype: DType;
  readonly plan: ModelPlan;
  readonly certificate: Certificate;
  readonly uniqueness: Uniqueness;
  readonly warnings: readonly Warning[];
  readonly choice?: Choice;
  readonly coding?: Encoding;
  readonly trace?: readonly Epoch[];
  readonly stability?: Stability;
  readonly robust?: RobustFit;
  readonly origin?: Origin;
  readonly #components: Float64Array;
  readonly #mean: Float64Array;
  readonly #scale: Float64Array;
  readonly #deviations: Float64Array;
  /** Memory of `transformSync`: one scaled row and its scores. */
  #scratch: { readonly row: Float64Array; readonly scores: Float64Array } | undefined;

  /** `defect` is the deviation of the components from orthonormality, if it is known. */
  constructor(record: ModelRecord, defect?: number) {
    super();
    checkRecord(record, defect);
    const { rows, cols, data } = record.components;
    this.#components = own(data);
    this.#mean = own(record.mean);
    this.#scale = own(record.scale);
    this.#deviations = deviationsOf(record);
    this.components = new RowMatrix(rows, cols, own(data), record.columnNames);
    Object.freeze(this.components);
    this.mean = listed(record.mean);
    this.scale = listed(record.scale);
    if (record.scaling) this.scaling = record.scaling;
    this.variances = listed(record.variances);
    if (record.spectrum) this.spectrum = listed(record.spectrum);
    this.varianceRatios = listed(record.varianceRatios);
    this.totalVariance = record.totalVariance;
    for (const name of OPTIONAL_VECTORS) if (record[name]) this[name] = listed(record[name]);
    this.singularValues = listed(record.singularValues);
    this.noiseVariance = record.noiseVariance;
    this.n = record.n;
    this.totalWeight = record.totalWeight;
    this.ddof = record.ddof;
    this.centered = record.centered;
    this.whiten = record.whiten;
    if (record.columnNames) this.columnNames = Object.freeze([...record.columnNames]);
    this.dtype = record.dtype;
    this.plan = frozenCopy(record.plan);
    this.certificate = frozenCopy(record.certificate);
    this.uniqueness = frozenCopy(record.uniqueness);
    this.warnings = frozenCopy(record.warnings);
    if (record.choice) this.choice = frozenCopy(record.choice);
    if (record.coding) this.coding = frozenCopy(record.coding);
    if (record.trace) this.trace = frozenCopy(record.trace);
    if (record.stability) this.stability = frozenCopy(record.stability);
    if (record.robust) this.robust = Object.freeze({ ...record.robust });
    if (record.origin) this.origin = record.origin;
    Object.freeze(this);
  }

  /** Number of components. */
  get k(): number {
    return this.components.rows;
  }

  /** Number of columns of the model. */
  get d(): number {
    return this.components.cols;
  }

  /** The share of the variance that the first 1, 2, …, k components have together. */
  get cumulativeRatios(): Float64Array {
    const sums = this.varianceRatios.slice();
    // Rounding may add up to slightly more than 1.
    for (let i = 1; i < sums.length; i++) sums[i] = Math.min(1, sums[i - 1] + sums[i]);
    return withJson(sums);
  }

  /**
   * Scores of rows: z = V(x − mean)/scale, n × k. Whitened by `pca`: zᵢ/√λᵢ. Whitened by `zca`: these scores rotated back to the
   * columns, Vᵀ(z/√λ), n × d. float32 rows give float32 scores. A model with an encoding accepts the user's own table and encodes
   * it. One row, `[1, 2, 3]` or `{ a: 1, b: 2, c: 3 }`, gives a matrix of one row. An empty array gives a matrix without rows.
   * With the option `k`, only the first k components are used.
   *
   * A row with missing values (NaN, null, undefined, '') gets its expected scores given the values that it has, under the model and its
   * noise variance. With `errors: true` the result also has the standard error of every score that comes from the missing values.
   *
   * ```ts
   * const scores = await model.transform(records, { k: 2 });
   * scores.toRecords(records); // [{ ...record, PC1: 1.2, PC2: -0.3 }, …]
   * ```
   */
  transform(data: TableData | Row, options: TransformOptions & { readonly errors: true }): Promise<ScoresWithErrors>;
  transform(
    data: TableData | Row,
    options?: TransformOptions & { readonly errors?: false | undefined },
  ): Promise<RowMatrix>;
  async transform(data: TableData | Row, options: TransformOptions = {}): Promise<RowMatrix | ScoresWithErrors> {
    const { d } = this;
    const own = ['k', 'errors', 'missing'];
    const { threads, k = this.k, errors: wanted = false, missing = 'predict' } = checkControl(options, own);
    checkFirst(k, this.k);
    checkOption('missing', missing, ROWS_WITH_GAPS);
    if (wanted && this.whiten === 'zca') throw noErrorsOfZca();
    const scaler = scalerOf({ mean: this.#mean, scale: this.#scale });
    const inverse = this.#deviations.map((deviation) => (deviation > 0 ? 1 / deviation : 0));
    const output = this.whiten === 'zca' ? new RowCollector(d, this.#names()) : new RowCollector(k, scoreNames(k));
    const wide = new Float64Array(d);
    const components = this.#components.subarray(0, k * d);
    const deviations = new RowCollector(k, scoreNames(k));
    const visit: Visit = async (block, progress, check, first) => {
      // The scores show whether a dense block has values that are not finite. Sparse blocks are checked first, because their
      // scores may not.
      if (block.kind === 'sparse') await check();
      const engine = await chooseEngine({ threads }, block.data.length);
      const loaded = await engine.load(block);
      const scores = new Float64Array(block.rows * k);
      await loaded.multiply(scaler, components, k, scores, (rows) => progress.step(rows));
      loaded.release();
      const errors = wanted ? new Float64Array(scores.length) : undefined;
      // The values are looked at one by one, because scores of finite values may overflow, which is allowed.
      if (block.kind === 'dense' && !firstScoresFinite(scores, k)) {
        if (missing === 'error') await check();
        const { estimateScores } = await import('./estimate-scores.js');
        await progress.follow(estimateScores(this.#numbers(), block, first, { k, scores, errors }, this.columnNames));
      }
      if (this.whiten) for (let at = 0; at < scores.length; at++) scores[at] *= inverse[at % k];
      if (errors) {
        if (this.whiten) for (let at = 0; at < errors.length; at++) errors[at] *= inverse[at % k];
        deviations.append(errors, block);
      }
      if (this.whiten !== 'zca') {
        output.append(scores, block);
        return;
      }
      output.reserve(block);
      for (let i = 0; i < block.rows; i++) {
        this.#combine(scores.subarray(i * k, (i + 1) * k), wide);
        output.push(wide);
      }
    };
    await this.#read('scores', 'rows', data, options, visit, missing === 'error' ? 'visitor' : 'gaps');
    return wanted ? { scores: output.matrix(), errors: deviations.matrix() } : output.matrix();
  }

  /**
   * Scores of one row, as `transform` computes them, at once and without a promise, for servers and animation. The row is numbers by
   * position or a record, which may have further fields. With `out`, the scores are written there, and a list of numbers needs no
   * memory at all.
   *
   * ```ts
   * const [x, y] = model.transformSync({ height: 1.7, weight: 65, name: 'Ada' });
   * ```
   */
  transformSync(row: Row): Float64Array;
  transformSync<Out extends FloatArray | number[]>(row: Row, out: Out): Out;
  transformSync(row: Row, out?: FloatArray | number[]): FloatArray | number[] {
    const { k, d } = this;
    if (this.coding) {
      throw new OptionError(
        'BAD_OPTION',
        'This model encodes its columns, and the code for that is loaded on demand. Use await model.transform(row).',
      );
    }
    if (!this.#scratch) this.#scratch = { row: new Float64Array(d), scores: new Float64Array(k) };
    const { row: b, scores: z } = this.#scratch;
    checkOneRow(row);
    readOneRow(row, this.columnNames, d, b, refuseGap);
    for (let j = 0; j < d; j++) b[j] = (b[j] - this.#mean[j]) / this.#scale[j];
    const width = this.whiten === 'zca' ? d : k;
    if (out) checkOut(out, width);
    const scores = out ?? withJson(new Float64Array(width));
    projectInto(this.#components, b, z);
    if (this.whiten) for (let c = 0; c < k; c++) z[c] = this.#deviations[c] > 0 ? z[c] / this.#deviations[c] : 0;
    if (this.whiten !== 'zca') for (let c = 0; c < k; c++) scores[c] = z[c];
    else {
      this.#combine(z, b);
      for (let j = 0; j < d; j++) scores[j] = b[j];
    }
    return scores;
  }

  /**
   * The same model with the first k components only. Bounds are those of this model.
   *
   * ```ts
   * const scores = await model.first(2).transform(records);
   * ```
   */
  first(k: number): Model {
    checkFirst(k, this.k);
    return k === this.k ? this : new Model(recordOfFirst(this, k));
  }

  /**
   * A biplot of two components: a point per row and an arrow per column, for d3, Observable Plot or canvas. `x` and `y` are indexes
   * from 0 or names; default 'PC1' and 'PC2'. `scale` is how the variances are shared between points and arrows: `'covariance'`
   * (default), `'form'` or `'symmetric'`. The result states what that means.
   *
   * ```ts
   * const { points, arrows, x, y } = await model.biplot(records);
   * ```
   */
  async biplot(
    rows: TableData | Row,
    options: ApplyOptions & {
      readonly x?: number | string | undefined;
      readonly y?: number | string | undefined;
      readonly scale?: BiplotScale | undefined;
    } = {},
  ): Promise<Biplot> {
    const { x = 0, y = 1, scale = 'covariance', ...control } = checkControl(options, ['x', 'y', 'scale']);
    const { checkBiplotScale, componentIndex, makeBiplot } = await import('./biplot.js');
    checkBiplotScale(scale);
    const axes = [componentIndex(x, this.k), componentIndex(y, this.k)] as const;
    const plain = this.whiten ? new Model({ ...this, whiten: false }) : this;
    const { data, cols } = await plain.transform(rows, control);
    return makeBiplot(this, data, cols, axes, scale);
  }

  /**
   * Rows from scores, in the user's own units: x = mean + scale·(Vᵀz), after undoing the whitening. This is the inverse of
   * `transform` for rows in the subspace, and the best approximation of other rows. Transforms of columns are inverted. A model
   * with categories throws: use `reconstruct`. If a regression was subtracted, the result are residuals, because scores do not
   * contain the covariates.
   */
  async inverseTransform(scores: Data | Row, options: ApplyOptions = {}): Promise<RowMatrix> {
    const encoding = reversible(this.coding);
    const decode = encoding && (await import('../data/encoding/decode.js')).numbersDecoder(encoding);
    const names = encoding?.columns.map(({ name }) => name) ?? this.#names();
    const output = new RowCollector(names.length, names);
    await this.#reconstruct(scores, options, (rows, block) => {
      if (!decode) {
        output.append(rows, block);
        return;
      }
      output.reserve(block);
      for (let i = 0; i < block.rows; i++) output.push(decode(rows.subarray(i * this.d, (i + 1) * this.d)));
    });
    return output.matrix();
  }

  /**
   * The columns of the user's table from scores: numbers in their own units, and for every category the level with the largest
   * fitted value.
   */
  async reconstruct(scores: Data, options: ApplyOptions = {}): Promise<ReconstructedColumn[]> {
    const { columnsOfEncoding, columnsOfRows } = await import('../data/encoding/decode.js');
    const encoding = reversible(this.coding);
    if (!encoding) return columnsOfRows(await this.inverseTransform(scores, options), this.#names());
    const { d } = this;
    return columnsOfEncoding(encoding, (onRow) =>
      this.#reconstruct(scores, options, (rows, block) => {
        for (let i = 0; i < block.rows; i++) onRow(rows.subarray(i * d, (i + 1) * d));
      }),
    );
  }

  /**
   * Computes rows of the model's columns from scores: the product of the scores with the matrix of rows √λ·v·scale (√λ only if the
   * model is whitened), plus the mean. `onRows` gets the rows of each block, which it may keep.
   */
  async #reconstruct(
    scores: Data | Row,
    options: ApplyOptions,
    onRows: (rows: Float64Array, block: Block) => void,
  ): Promise<void> {
    const { k, d } = this;
    checkMean(this.#mean);
    const { threads } = checkControl(options);
    const basis = new Float64Array(d * k);
    for (let c = 0; c < k; c++) {
      const deviation = this.whiten ? this.#deviations[c] : 1;
      for (let j = 0; j < d; j++) basis[j * k + c] = deviation * this.#components[c * d + j] * this.#scale[j];
    }
    const visit: Visit = async (given, progress) => {
      const step = (rows: number) => progress.step(rows);
      const block =
        this.whiten === 'zca'
          ? denseRows(given.rows, k, await multiply(given, this.#components, k, threads, () => step(0)))
          : given;
      const rows = await multiply(block, basis, d, threads, step);
      for (let i = 0; i < given.rows; i++) {
        axpy(1, this.#mean, 0, rows, i * d, d);
        const pause = i % TILE_ROWS === 0 ? step(0) : undefined;
        if (pause) await pause;
      }
      onRows(rows, given);
    };
    await this.#read('reconstruction', 'scores', scores, options, visit);
  }

  /**
   * Squared distance between each row and its reconstruction, in the scaled units of the variances: ‖b − VᵀVb‖² with b = (x −
   * mean)/scale. Their sum over the rows of the fit is (Σw − ddof)·Σ_{j>k} λⱼ.
   */
  async reconstructionError(data: TableData | Row, options: ApplyOptions = {}): Promise<Float64Array> {
    const { threads } = checkControl(options);
    const model = {
      components: { rows: this.k, cols: this.d, data: this.#components },
      mean: this.#mean,
      scale: this.#scale,
    };
    return keepAlive(async () => {
      const { ErrorCollector } = await import('./reconstruction.js');
      const errors = new ErrorCollector(model, threads);
      await this.#read('reconstruction error', 'rows', data, options, (block, progress) => errors.add(block, progress));
      return withJson(errors.all());
    });
  }

  /**
   * Loadings: √λᵢ·vᵢ, one row per component (k × d). Entry (i, j) is the covariance between scaled column j and the whitened
   * scores of component i. With `scale: 'unit'` and without column weights it is their correlation. LᵀL is the covariance of the
   * scaled data that k components reconstruct. Computed at every access.
   */
  get loadings(): RowMatrix<Float64Array> {
    const { rows, cols } = this.components;
    const data = this.#components.map((entry, at) => deviationOf(this, Math.floor(at / cols)) * entry);
    return new RowMatrix(rows, cols, data, this.columnNames);
  }

  /**
   * The covariance matrix that the model describes, in the user's own units (d × d): the variances along the components, and the
   * noise variance in every other direction. If k = d, it is the covariance of the data. With an encoding, it is that of the
   * encoded columns.
   */
  covariance(): RowMatrix<Float64Array> {
    const { k, d, noiseVariance } = this;
    const data = new Float64Array(d * d);
    for (let c = 0; c < k; c++) {
      const excess = this.variances[c] - noiseVariance;
      for (let i = 0; i < d; i++) {
        axpy(excess * this.#components[c * d + i], this.#components, c * d, data, i * d, d);
      }
    }
    for (let i = 0; i < d; i++) {
      data[i * d + i] += noiseVariance;
      for (let j = 0; j < d; j++) data[i * d + j] *= this.#scale[i] * this.#scale[j];
    }
    return new RowMatrix(d, d, data, this.columnNames);
  }

  /**
   * One line about the model, and its warnings: `PCA of 4 × 2: 2 components, 98.5 % + 1.5 % of the variance; svd on wasm; no warnings`.
   * `console.log(model)` prints the same in Node and Deno.
   */
  override toString(): string {
    return modelText(this);
  }

  /** The model as plain data for JSON.stringify. `loadModel` restores every bit. */
  toJSON(): object {
    return toJSON(this);
  }

  /**
   * The model as bytes: a self-describing header and the numbers. `loadModel` restores every bit. With `only: 'transform'`, only
   * the numbers that transform rows, for `loadTransform`: with `dtype: 'float32'` the components take half the bytes.
   */
  toBinary(options: BinaryOptions = {}): Uint8Array {
    const { only, dtype, ...others } = options;
    if (only === undefined && dtype === undefined && Object.keys(others).length === 0) return toBinary(this);
    if (only !== 'transform' || !/^(undefined|float(32|64))$/.test(String(dtype)) || Object.keys(others).length > 0) {
      throw new OptionError(
        'BAD_OPTION',
        "toBinary takes no options, or only: 'transform' with dtype 'float64' or 'float32'.",
        { option: 'only', value: only },
      );
    }
    return transformToBinary(transformOf(this), dtype ?? 'float64');
  }

  /** The numbers that predict missing values: the private arrays, which users cannot change. */
  #numbers(): ConditionalModel & Pick<ModelRecord, 'mean' | 'scale'> {
    const { k, d, variances, noiseVariance } = this;
    return {
      components: { rows: k, cols: d, data: this.#components },
      mean: this.#mean,
      scale: this.#scale,
      ...{ variances, noiseVariance },
    };
  }

  /** The column names, or their numbers if they have no names. */
  #names(): readonly string[] {
    return this.columnNames ?? Array.from({ length: this.d }, (_, j) => String(j));
  }

  /** out = Vᵀz. */
  #combine(z: Float64Array, out: Float64Array): void {
    out.fill(0);
    for (let c = 0; c < z.length; c++) axpy(z[c], this.#components, c * this.d, out, 0, this.d);
  }

  /**
   * Opens data, checks their width and values, passes their blocks to `visit`, and closes the data, also after an error. With
   * `checks: 'visitor'`, the visitor checks the values; with `'gaps'`, it also handles missing values, which are read as NaN.
   */
  #read(
    phase: string,
    what: 'rows' | 'scores',
    data: TableData | Row,
    options: ApplyOptions,
    visit: Visit,
    checks: Checks = 'first',
  ): Promise<void> {
    return keepAlive(() => this.#readBlocks(phase, what, data, options, visit, checks));
  }

  async #readBlocks(
    phase: string,
    what: 'rows' | 'scores',
    data: TableData | Row,
    options: ApplyOptions,
    visit: Visit,
    checks: Checks,
  ): Promise<void> {
    const progress = new ProgressTracker(checkControl(options));
    const width = what === 'rows' || this.whiten === 'zca' ? this.d : this.k;
    const names = width === this.d ? this.columnNames : undefined;
    const given = asRows(data, what === 'rows' && this.coding ? inputNames(this.coding) : names);
    if (hasNoRows(given)) return;
    const source =
      what === 'rows' && this.coding
        ? await (await import('../data/encoding/encoded-source.js')).openForModel(given as TableData, this, progress)
        : await openSource(given as Data, progress, names, false, checks === 'gaps' && 'with-keys');
    try {
      if (source.cols !== width) {
        throw wrongWidth(what, source.cols, width);
      }
      let rows = 0;
      progress.begin(phase, source.rows, source.expectedRows);
      for await (const block of source.blocks()) {
        checkBlockWidth(block, source, rows);
        const first = rows;
        const check = async (): Promise<void> => progress.follow(checkFinite(block, first, names));
        if (checks === 'first') await check();
        await visit(block, progress, check, first);
        rows += block.rows;
      }
      progress.end();
      await refuseChanged(source);
    } finally {
      await source.close?.();
    }
  }
}

/** Who checks the values of a block. */
type Checks = 'first' | 'visitor' | 'gaps';

/** Handles a block whose first row has the index `first`. `check` throws if the block has a value that is not finite. */
type Visit = (block: Block, progress: ProgressTracker, check: () => Promise<void>, first: number) => Promise<void>;

/** Returns true if the first score of every row is finite. No score of a row is finite if the row has a value that is not finite. */
function firstScoresFinite(scores: Float64Array, k: number): boolean {
  let sum = 0;
  for (let at = 0; at < scores.length; at += k) sum += scores[at] * 0;
  return sum === 0;
}

/** The product of the rows of a block with `count` rows of `basis`. */
async function multiply(
  block: Block,
  basis: Float64Array,
  count: number,
  threads: number | undefined,
  onStep: OnStep,
): Promise<Float64Array> {
  const engine = await chooseEngine({ threads }, block.data.length);
  const loaded = await engine.load(block);
  const product = new Float64Array(block.rows * count);
  await loaded.multiply(identityScaler(block.cols), basis, count, product, onStep);
  loaded.release();
  return product;
}

function denseRows(rows: number, cols: number, data: Float64Array): DenseBlock {
  return { kind: 'dense', rows, cols, stride: cols, data };
}

/** A copy that replaces −0 by 0, because JSON does not distinguish them. */
function own(values: Float64Array): Float64Array {
  const copy = new Float64Array(values.length);
  for (let i = 0; i < copy.length; i++) copy[i] = values[i] + 0;
  return copy;
}

/** A copy for the user, which `JSON.stringify` writes as a list. */
function listed(values: Float64Array): Float64Array {
  return withJson(own(values));
}

/** A frozen deep copy of plain records and arrays. Frozen values, such as those that a fit makes, are not copied. */
function frozenCopy<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  if (Array.isArray(value)) return Object.freeze(value.map(frozenCopy)) as T;
  const copy = { ...value } as Record<string, unknown>;
  for (const key of Object.keys(copy)) {
    if (typeof copy[key] === 'object') copy[key] = frozenCopy(copy[key]);
  }
  return Object.freeze(copy) as T;
}

/**
 * Reads a model from JSON (text, object or bytes), from its binary form, from a copy that `structuredClone` or `postMessage`
 * made, or from components of other software, `{ components, mean, variances }`. Throws a `ModelError` if the model is invalid.
 */
export function loadModel(source: string | object | Uint8Array | ArrayBuffer): Model {
  try {
    return new Model(readRecord(source));
  } catch (error) {
    throw modelError(error);
  }
}
