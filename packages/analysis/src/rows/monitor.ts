import { DataError, type Model, type Row, RowMatrix, Stream, type TableData } from '@scree/core';
import { type Block, decoded, openForModel, packedRows, refuseChanged, rowsOfBlock, withJson } from '@scree/core/data';
import {
  type ControlOptions,
  checkControl,
  checkObject,
  checkOption,
  keepAlive,
  ProgressTracker,
  readOneRow,
} from '@scree/core/pipeline';
import { checkModel } from '../check-model.js';
import { withoutEncoding } from '../methods/with-encoding.js';
import { type LimitOptions, type RowLimits, rowLimits, unusualLevel } from './row-limits.js';
import { RowMonitor, type RowStatistics } from './row-monitor.js';
import { flagOf, type RowFlag, type RowReason, reasonsOf } from './row-reasons.js';

/** Options of `monitor`. */
export interface MonitorOptions extends LimitOptions, ControlOptions {
  /** Maximum number of columns that are named for a row beyond a limit. Default 3. */
  readonly reasons?: number | undefined;
  /** Set to true for the contribution of every column to T² and Q of every row: two numbers per value. Default false. */
  readonly contributions?: boolean | undefined;
  /** Limits to use, such as those of `calibrationLimits`. Default: those that the model gives. */
  readonly limits?: RowLimits | undefined;
}

/** A row beyond a limit, and why. */
export interface FlaggedRow extends RowStatistics {
  /** Index of the row among the rows that were given. */
  readonly row: number;
  /** The limits that it is beyond. */
  readonly flag: RowFlag;
  /** The columns that contribute most, strongest first. */
  readonly reasons: readonly RowReason[];
}

/** Statistics of rows, and the limits beyond which they are unusual. */
export interface Monitored {
  /** Hotelling's T² of every row: Σ zᵢ²/λᵢ over the components with variance. */
  readonly t2: Float64Array;
  /** Squared distance of every row from its reconstruction, as `model.reconstructionError` has it. */
  readonly q: Float64Array;
  /** DModX of every row: its residual deviation √(Q/(d − k)), relative to that of the rows of the fit. NaN if this is 0 or unknown. */
  readonly dModX: Float64Array;
  /** T²/limit + Q/limit of every row (Yue & Qin 2001). NaN if one of the limits is not known. */
  readonly combined: Float64Array;
  readonly limits: RowLimits;
  /** The limit of DModX that corresponds to that of Q. */
  readonly dModXLimit: number | null;
  /** Limits at level 1 − (1 − level)/(2·rows): all good rows together have a chance of 1 − level to pass one of them (Bonferroni). */
  readonly unusualLimits: RowLimits;
  /** The rows beyond a limit of `limits`, in order. */
  readonly flagged: readonly FlaggedRow[];
  /** Indexes of the rows beyond a limit of `unusualLimits`, in order. */
  readonly unusual: readonly number[];
  /** Contributions of the columns, rows × d, if they were asked for: each row adds up to T², and to Q. */
  readonly contributions?: { readonly t2: RowMatrix<Float64Array>; readonly q: RowMatrix<Float64Array> };
}

/** Rows of a block with their statistics. */
export interface MonitoredBlock {
  /** Index of the first row in the data. */
  readonly first: number;
  readonly t2: Float64Array;
  readonly q: Float64Array;
  readonly flagged: readonly FlaggedRow[];
  readonly contributions?: { readonly t2: Float64Array; readonly q: Float64Array };
}

/** What is computed once per model. */
interface Prepared {
  readonly plain: Model;
  readonly monitor: RowMonitor;
  readonly limits: Map<string, RowLimits>;
  /** Values of one row, for `monitorSync`. */
  readonly values: Float64Array;
  readonly deviation: number;
}

const prepared = new WeakMap<Model, Prepared>();

function prepare(model: Model): Prepared {
  checkModel(model);
  const known = prepared.get(model);
  if (known) return known;
  const plain = withoutEncoding(model);
  const made = {
    plain,
    monitor: new RowMonitor(plain),
    limits: new Map<string, RowLimits>(),
    values: new Float64Array(model.d),
    deviation: residualDeviation(plain),
  };
  prepared.set(model, made);
  return made;
}

/** s₀ of SIMCA: the residual deviation of the rows of the fit, with (n − k − 1)(d − k) degrees of freedom. NaN if it is not known. */
function residualDeviation({ d, k, totalWeight: n, ddof, centered, totalVariance, variances }: Model): number {
  const left = totalVariance - variances.reduce((sum, variance) => sum + variance, 0);
  const freedom = (n - k - (centered ? 1 : 0)) * (d - k);
  const square = ((n - ddof) * left) / freedom;
  return freedom > 0 && square > 1e-13 * totalVariance ? Math.sqrt(square) : Number.NaN;
}

/** Limits are computed once per model and options. */
function limitsFor(model: Model, { level, rows, errors, spectrum, limits }: MonitorOptions): RowLimits {
  if (limits) return limits;
  const { plain, limits: known } = prepare(model);
  if (errors || spectrum) return rowLimits(plain, { level, rows, errors, spectrum });
  const key = `${level} ${rows}`;
  const found = known.get(key) ?? rowLimits(plain, { level, rows });
  known.set(key, found);
  return found;
}

function checkReasons(reasons: unknown): void {
  checkOption('reasons', reasons, {
    must: 'a whole number from 0 up',
    test: (v) => Number.isSafeInteger(v) && (v as number) >= 0,
  });
}

/**
 * Compares rows with a model, in one reading: Hotelling's T² and Q of every row, their limits, and for every row beyond a limit the columns
 * that make it unusual, in the user's units. A missing value is replaced by what the other values of its row predict. With a stream, rows
 * are compared with the model of the rows that were added so far.
 *
 * ```ts
 * const { flagged } = await monitor(model, rows, { reasons: 3 });
 * for (const { row, flag, reasons } of flagged) console.log(row, flag, reasons[0].name, reasons[0].difference);
 * ```
 */
export function monitor(
  fitted: Model | Stream,
  data: TableData | Row,
  options: MonitorOptions = {},
): Promise<Monitored> {
  checkObject(options);
  checkReasons(options.reasons ?? 3);
  return keepAlive(async () => {
    const model = fitted instanceof Stream ? await modelOfStream(fitted) : fitted;
    // Options are checked before anything is read.
    const limits = limitsFor(model, options);
    const parts: MonitoredBlock[] = [];
    for await (const part of monitorBlocks(model, data, options)) parts.push(part);
    const join = (part: (each: MonitoredBlock) => Float64Array): Float64Array => joined(parts.map(part));
    const [t2, q] = [join((part) => part.t2), join((part) => part.q)];
    const unusualLimits = limitsFor(model, {
      ...options,
      limits: undefined,
      level: unusualLevel(q.length, limits.level),
    });
    const { plain, deviation } = prepare(model);
    const contributions = options.contributions && {
      t2: matrix(
        join((part) => part.contributions?.t2 ?? new Float64Array(0)),
        plain,
      ),
      q: matrix(
        join((part) => part.contributions?.q ?? new Float64Array(0)),
        plain,
      ),
    };
    const unusual: number[] = [];
    for (let i = 0; i < q.length; i++) {
      if (flagOf({ t2: t2[i], q: q[i] }, unusualLimits).length > 0) unusual.push(i);
    }
    const free = plain.d - plain.k;
    const dModX = (value: number): number => Math.sqrt(value / free) / deviation;
    return withJson({
      t2,
      q,
      dModX: withJson(q.map(dModX)),
      combined: withJson(t2.map((value, i) => combinedIndex({ t2: value, q: q[i] }, limits))),
      limits,
      dModXLimit: limits.q === null || Number.isNaN(deviation) ? null : dModX(limits.q),
      unusualLimits,
      flagged: parts.flatMap(({ flagged }) => flagged),
      unusual,
      ...(contributions ? { contributions } : {}),
    });
  });
}

/** One row, compared with a model at once and without a promise. */
export interface MonitoredRow extends RowStatistics {
  readonly flag: RowFlag;
  readonly reasons: readonly RowReason[];
  readonly limits: RowLimits;
}

/**
 * Compares one row with a model, at once: a few microseconds after the first call, which computes the limits. The row is numbers by position
 * or a record; NaN is a missing value.
 */
export function monitorSync(model: Model, row: Row, options: MonitorOptions = {}): MonitoredRow {
  checkObject(options);
  const { reasons = 3 } = options;
  const limits = limitsFor(model, options);
  const { plain, monitor, values } = prepare(model);
  if (model.coding) {
    throw new DataError('BAD_DATA', 'This model encodes its columns. Use await monitor(model, row).');
  }
  readOneRow(row, plain.columnNames, plain.d, values, missingValue);
  const measured = monitor.measure(values);
  const flag = flagOf(measured, limits);
  return {
    t2: measured.t2,
    q: measured.q,
    flag,
    reasons: flag.length > 0 ? reasonsOf(plain, monitor, measured, limits, reasons) : NONE,
    limits,
  };
}

const NONE: readonly RowReason[] = Object.freeze([]);

const missingValue = (): number => Number.NaN;

/** T²/limit + Q/limit. */
export function combinedIndex({ t2, q }: RowStatistics, limits: Pick<RowLimits, 't2' | 'q'>): number {
  return limits.t2 === null || limits.q === null ? Number.NaN : t2 / limits.t2 + q / limits.q;
}

/** Measures the rows of one block after the other, for programs that read blocks themselves. */
export interface BlockMonitor {
  readonly limits: RowLimits;
  /**
   * The statistics of the rows of a block; `first` is the index of its first row. `limitsOf` gives limits of single rows, such as those of
   * their group. Long blocks should come in pieces, because this does not yield to the event loop.
   */
  measure(block: Block, first: number, limitsOf?: (i: number) => RowLimits): MonitoredBlock;
}

/** A monitor of blocks whose columns are those of the model, encoded if it has an encoding. */
export function blockMonitor(model: Model, options: MonitorOptions = {}): BlockMonitor {
  const { reasons = 3, contributions = false } = options;
  checkReasons(reasons);
  const limits = limitsFor(model, options);
  const { plain, monitor } = prepare(model);
  const { d } = plain;
  return {
    limits,
    measure(block, first, limitsOf = () => limits) {
      const { rows } = block;
      const dense = block.kind === 'dense' ? decoded(block) : undefined;
      const values = dense?.data ?? packedRows(block);
      const stride = dense?.stride ?? d;
      const [t2, q] = [new Float64Array(rows), new Float64Array(rows)];
      const parts = contributions && { t2: new Float64Array(rows * d), q: new Float64Array(rows * d) };
      const flagged: FlaggedRow[] = [];
      for (let i = 0; i < rows; i++) {
        checkRow(values, i * stride, d, first + i, plain.columnNames);
        const measured = monitor.measure(values, i * stride);
        t2[i] = measured.t2;
        q[i] = measured.q;
        const own = limitsOf(i);
        const flag = flagOf(measured, own);
        if (flag.length > 0) {
          flagged.push({
            row: first + i,
            ...measured,
            flag,
            reasons: reasonsOf(plain, monitor, measured, own, reasons),
          });
        }
        if (!parts) continue;
        monitor.share();
        for (let j = 0; j < d; j++) {
          parts.t2[i * d + j] = monitor.shares[j] ** 2;
          parts.q[i * d + j] = monitor.residual[j] ** 2;
        }
      }
      return { first, t2, q, flagged, ...(parts ? { contributions: parts } : {}) };
    },
  };
}

/** Rows that are measured between two yields to the event loop. */
const PIECE_ROWS = 256;

/** `monitor` block by block, for data larger than memory. Nothing is kept. */
export async function* monitorBlocks(
  model: Model,
  data: TableData | Row,
  options: MonitorOptions = {},
): AsyncGenerator<MonitoredBlock, void, void> {
  const progress = new ProgressTracker(checkControl(options));
  const blocks = blockMonitor(model, options);
  const source = await openForModel(data, model, progress);
  try {
    checkColumns(prepare(model).plain, source);
    let first = 0;
    progress.begin('T² and Q', source.rows, source.expectedRows);
    for await (const block of source.blocks()) {
      for (let from = 0; from < block.rows; from += PIECE_ROWS) {
        const to = Math.min(block.rows, from + PIECE_ROWS);
        yield blocks.measure(rowsOfBlock(block, from, to), first + from);
        const pause = progress.step(to - from);
        if (pause) await pause;
      }
      first += block.rows;
    }
    progress.end();
    await refuseChanged(source);
  } finally {
    await source.close?.();
  }
}

/** Refuses rows whose columns differ from the model's, and names the difference. */
function checkColumns(
  { d, columnNames }: Model,
  source: { cols: number; columnNames?: readonly string[] | undefined },
): void {
  if (source.cols !== d) {
    const extra = source.columnNames?.filter((name) => columnNames && !columnNames.includes(name)) ?? [];
    const missing = columnNames?.filter((name) => source.columnNames && !source.columnNames.includes(name)) ?? [];
    const named = [
      ...(missing.length > 0
        ? [
            `Missing: ${missing
              .slice(0, 5)
              .map((name) => JSON.stringify(name))
              .join(', ')}.`,
          ]
        : []),
      ...(extra.length > 0
        ? [
            `Not in the model: ${extra
              .slice(0, 5)
              .map((name) => JSON.stringify(name))
              .join(', ')}.`,
          ]
        : []),
    ];
    throw new DataError(
      'WIDTH_MISMATCH',
      [
        `These rows have ${source.cols} columns, but the model was fitted to ${d}.`,
        ...named,
        'Pass the same columns in the same order.',
      ].join(' '),
      { value: source.cols, expected: d },
    );
  }
  const other = source.columnNames?.findIndex((name, j) => columnNames && name !== columnNames[j]) ?? -1;
  if (other < 0 || !source.columnNames) return;
  throw new DataError(
    'MISSING_COLUMN',
    `Column ${other + 1} is ${JSON.stringify(source.columnNames[other])}, and in the model it is ${JSON.stringify(columnNames?.[other])}.`,
    { column: other, columnName: source.columnNames[other], expected: columnNames?.[other] },
  );
}

/** Refuses infinite values, and rows without any value. */
function checkRow(
  values: ArrayLike<number>,
  start: number,
  d: number,
  row: number,
  names: readonly string[] | undefined,
): void {
  let sum = 0;
  for (let j = 0; j < d; j++) sum += values[start + j] * 0;
  if (sum === 0) return;
  let missing = 0;
  for (let j = 0; j < d; j++) {
    const value = values[start + j];
    if (Number.isNaN(value)) missing++;
    else if (value - value !== 0) {
      const name = names?.[j] ?? String(j);
      throw new DataError('NOT_FINITE', `The value of column ${JSON.stringify(name)} in row ${row + 1} is ${value}.`, {
        row,
        column: j,
      });
    }
  }
  if (missing === d) {
    throw new DataError('MISSING_VALUES', `Row ${row + 1} has no value at all. Leave it out.`, { row });
  }
}

const streamModels = new WeakMap<Stream, { readonly revision: number; readonly model: Model }>();

/** The model of the rows so far, made again only after more rows were added. */
async function modelOfStream(stream: Stream): Promise<Model> {
  const known = streamModels.get(stream);
  if (known && known.revision === stream.revision) return known.model;
  const { revision } = stream;
  const model = await stream.model();
  streamModels.set(stream, { revision, model });
  return model;
}

function matrix(data: Float64Array, { d, columnNames }: Model): RowMatrix<Float64Array> {
  return new RowMatrix(data.length / d, d, data, columnNames);
}

function joined(parts: readonly Float64Array[]): Float64Array {
  const whole = new Float64Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return withJson(whole);
}
