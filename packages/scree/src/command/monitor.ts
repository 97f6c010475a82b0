import {
  blockMonitor,
  calibrationLimits,
  type Drift,
  drift,
  type MonitoredBlock,
  type RowLimits,
  withoutEncoding,
} from '@scree/analysis';
import { describeDrift, percent } from '@scree/analysis/describe';
import { DataError, type Model, type RowSource } from '@scree/core';
import { refuseChanged, rowsOfBlock } from '@scree/core/data';
import { createFile, type DataFile, type OpenOptions, type RowWriter } from '../disk/index.js';
import { readModel } from '../disk/model-file.js';
import { formatOf, holdsText, type OutputColumn, type OutputFormat } from '../disk/write-file.js';
import { checkOutput } from './check-output.js';
import type { Call } from './command.js';
import { afterRows } from './describe-error.js';
import { FailedCheck } from './failed-check.js';
import { fileOptionsFor, readFor } from './for-model.js';
import { MonitorSummary, wholePercent } from './monitor-summary.js';
import { print, printLines } from './print.js';
import { Terminal } from './terminal.js';
import { UsageError } from './usage-error.js';
import { withFile } from './with-file.js';
import { outputWidth } from './wrap.js';

/** Rows that are measured between two looks at the signal. */
const PIECE_ROWS = 512;

/** `scree monitor`: which new rows are unusual for a model, and why. */
export async function run(call: Call): Promise<void> {
  const {
    positionals: [modelPath, ...dataPaths],
    flags,
  } = call;
  const output = flags.output === undefined ? undefined : await checkTextOutput(call);
  for (const name of ['contributions', 'csv-safe']) {
    if (flags[name] === true && output === undefined)
      throw new UsageError(`--${name} is about --output, and there is none.`);
  }
  if (flags.by !== undefined && flags.calibrate === undefined)
    throw new UsageError('--by measures the limits of every group on good rows: name a file of them with --calibrate.');
  const terminal = new Terminal({ quiet: flags.quiet === true });
  const model = await readModel(modelPath);
  const level = (flags.level as number | undefined) ?? 0.95;
  const limits = await findLimits(call, model, level, terminal);
  const summary = new MonitorSummary(level);
  await withRows(call, model, dataPaths, (file) => watch(file, model, limits, summary, output, call, terminal));
  terminal.clear();
  const failAbove = flags['fail-above'] as number | undefined;
  const shown = limits.groups ? undefined : limits.common;
  const [path, ...more] = dataPaths;
  const title = path === undefined ? 'The query' : more.length > 0 ? `${path} and ${more.length} more` : path;
  const changes = flags.drift === true ? await findDrift(call, model, dataPaths, terminal) : undefined;
  if (flags.json)
    print(`${JSON.stringify({ ...summary.json(shown, failAbove), ...(changes ? { drift: changes } : {}) })}\n`);
  else printLines([...summary.lines(title, shown, outputWidth()), ...(changes ? ['', ...describeDrift(changes)] : [])]);
  if (output !== undefined) terminal.note(`Every row with T², Q and reasons: ${output}`);
  if (failAbove === undefined) return;
  const chance = 2 * (1 - level);
  if (chance > failAbove) {
    const enough = Number((1 - failAbove / 4).toPrecision(4));
    terminal.note(
      `Note: up to ${wholePercent(chance)} of good rows are beyond one of two ${wholePercent(level)} limits, so --fail-above ${wholePercent(failAbove)} also stops for good rows. Use --level ${enough} with it.`,
    );
  }
  if (summary.share > failAbove)
    throw new FailedCheck(
      `${percent(summary.share)} of the rows are beyond a limit, more than --fail-above ${wholePercent(failAbove)}.`,
    );
}

async function checkTextOutput(call: Call): Promise<string> {
  const output = await checkOutput(call);
  if (!holdsText(formatOf(output) as OutputFormat))
    throw new UsageError(`${output} holds numbers only, and reasons are text: write .csv, .tsv, .parquet or .arrow.`);
  return output;
}

/** Tests of drift, with the rows of --calibrate as rows of comparison. Rows with missing values are left out. */
async function findDrift(call: Call, model: Model, paths: readonly string[], terminal: Terminal): Promise<Drift> {
  const dropping = { ...call, flags: { ...call.flags, missing: call.flags.missing ?? 'drop', by: undefined } };
  const { calibrate } = call.flags;
  const plain = withoutEncoding(model);
  const control = { signal: call.signal, onProgress: terminal.onProgress };
  const test = (reference?: RowSource): Promise<Drift> =>
    withRows(dropping, model, paths, (file) =>
      drift(plain, file.source, { ...control, ...(reference ? { reference } : {}) }),
    );
  const found =
    typeof calibrate === 'string'
      ? await withRows(dropping, model, [calibrate], ({ source }) => test(source))
      : await test();
  terminal.clear();
  return found;
}

/** The limits of all rows, or of each group. */
interface Limits {
  readonly common: RowLimits;
  readonly groups?: ReadonlyMap<string, RowLimits>;
}

/** The limits of the model, or those measured on the good rows of --calibrate. */
async function findLimits(call: Call, model: Model, level: number, terminal: Terminal): Promise<Limits> {
  const { flags } = call;
  const own = blockMonitor(model, { level, reasons: 0 });
  if (typeof flags.calibrate !== 'string') {
    if (own.limits.t2 === null && own.limits.q === null) {
      throw new UsageError(
        'This model has no limits of T² and Q, because it does not say how many rows it was fitted to. Name a file of good rows: --calibrate good.csv.',
      );
    }
    if (own.limits.q === null && model.k < model.d)
      terminal.note(
        'Note: the model does not have all variances, so Q has no limit. Name a file of good rows: --calibrate good.csv.',
      );
    return { common: own.limits };
  }
  const byGroup = new Map<string, { t2: number[]; q: number[] }>();
  const all: { t2: number[]; q: number[] } = { t2: [], q: [] };
  await withRows(call, model, [flags.calibrate], async (file) => {
    await eachPiece(file, call, terminal, 'calibration', ({ block, groups }, first) => {
      const { t2, q } = own.measure(block, first);
      t2.forEach((value, i) => {
        all.t2.push(value);
        all.q.push(q[i]);
        const group = groups?.[i] ?? null;
        if (group === null) return;
        const known = byGroup.get(group) ?? { t2: [], q: [] };
        known.t2.push(value);
        known.q.push(q[i]);
        byGroup.set(group, known);
      });
    });
  });
  const common = calibrationLimits(all, level);
  if (flags.by === undefined) return { common };
  return { common, groups: new Map([...byGroup].map(([group, rows]) => [group, calibrationLimits(rows, level)])) };
}

/** Opens rows for the model. Missing values are passed on, unless --missing says otherwise: the model predicts them. */
async function withRows<Result>(
  call: Call,
  model: Model,
  paths: readonly string[],
  use: (file: DataFile) => Promise<Result>,
): Promise<Result> {
  const { flags, signal } = call;
  const given = fileOptionsFor(model, flags, signal);
  const options: OpenOptions = {
    ...given,
    ...(flags.missing === undefined && !model.coding ? { missing: 'keep' } : {}),
    ...(typeof flags.by === 'string' ? { groups: [...(given.groups ?? []), flags.by] } : {}),
  };
  return withFile(paths, options, (raw) => use(readFor(model, raw, call, paths[0] ?? 'The query')));
}

interface Piece {
  readonly block: Parameters<ReturnType<typeof blockMonitor>['measure']>[0];
  readonly places: readonly number[];
  readonly names: readonly (string | null)[] | undefined;
  readonly groups: readonly (string | null)[] | undefined;
}

/** Reads a file in pieces of some hundred rows. */
async function eachPiece(
  file: DataFile,
  { signal }: Pick<Call, 'signal'>,
  terminal: Terminal,
  phase: string,
  visit: (piece: Piece, first: number) => void | Promise<void>,
): Promise<void> {
  let first = 0;
  for await (const part of file.withSupplementary()) {
    const { rows } = part.block;
    const labels = part.groups.at(-1);
    for (let from = 0; from < rows; from += PIECE_ROWS) {
      signal.throwIfAborted();
      const to = Math.min(rows, from + PIECE_ROWS);
      const piece = {
        block: rowsOfBlock(part.block, from, to),
        places: part.places.slice(from, to),
        names: part.names?.slice(from, to),
        groups: labels?.slice(from, to),
      };
      await afterRows(first, async () => visit(piece, 0));
      first += to - from;
      const total = file.source.rows ?? file.source.expectedRows?.();
      terminal.onProgress({ phase, done: first, ...(total === undefined ? {} : { total }) });
    }
  }
  await refuseChanged(file.source);
}

async function watch(
  file: DataFile,
  model: Model,
  { common, groups: own }: Limits,
  summary: MonitorSummary,
  output: string | undefined,
  call: Call,
  terminal: Terminal,
): Promise<void> {
  const { flags } = call;
  const contributions = flags.contributions === true;
  const blocks = blockMonitor(model, {
    limits: common,
    reasons: (flags.reasons as number | undefined) ?? 3,
    contributions,
  });
  const columns = outputColumns(file, model, contributions);
  const writer =
    output === undefined
      ? undefined
      : await createFile(output, {
          cols: columns.filter(({ kind }) => kind === 'number').length,
          columns,
          csvSafe: flags['csv-safe'] === true,
        });
  try {
    await eachPiece(file, call, terminal, 'T² and Q', async ({ block, places, names, groups }) => {
      const limitsOf = (i: number): RowLimits => {
        const group = groups?.[i];
        if (!own || group === undefined || group === null) return common;
        const found = own.get(group);
        if (found) return found;
        throw new DataError(
          'BAD_DATA',
          `Row ${places[i] + 1} is of the group ${JSON.stringify(group)}, of which --calibrate has no row.`,
          {
            row: places[i],
          },
        );
      };
      const part = blocks.measure(block, 0, own ? limitsOf : undefined);
      const ratios = part.t2.map((t2, i) =>
        summary.add(t2, part.q[i], limitsOf(i), own ? (groups?.[i] ?? null) : null),
      );
      for (const { row, ...flagged } of part.flagged) {
        const name = names?.[row] ?? null;
        summary.flag({ row: places[row] + 1, name, group: groups?.[row] ?? null, ratio: ratios[row], ...flagged });
      }
      if (writer) await writePart(writer, part, { places, names, limitsOf }, columns, contributions);
    });
    await writer?.close();
  } catch (error) {
    await writer?.abort();
    throw error;
  }
}

function outputColumns(file: DataFile, model: Model, contributions: boolean): OutputColumn[] {
  const number = (name: string): OutputColumn => ({ name, kind: 'number', nullable: true });
  const text = (name: string): OutputColumn => ({ name, kind: 'text' });
  const names = model.columnNames ?? Array.from({ length: model.d }, (_, j) => String(j));
  return [
    number('row'),
    ...(file.label === undefined ? [] : [text(file.label)]),
    ...['t2', 'q', 't2Limit', 'qLimit'].map(number),
    text('flag'),
    text('reasons'),
    ...(contributions
      ? [...names.map((name) => number(`t2 ${name}`)), ...names.map((name) => number(`q ${name}`))]
      : []),
  ];
}

/** Writes rows: number from 1, name, T², Q, their limits, which of them are passed, and the columns that are the reason. */
async function writePart(
  writer: RowWriter,
  { t2, q, flagged, contributions: parts }: MonitoredBlock,
  { places, names, limitsOf }: Pick<Piece, 'places' | 'names'> & { limitsOf(i: number): RowLimits },
  columns: readonly OutputColumn[],
  contributions: boolean,
): Promise<void> {
  const rows = q.length;
  const cols = columns.filter(({ kind }) => kind === 'number').length;
  const d = contributions ? (cols - 5) / 2 : 0;
  const data = new Float64Array(rows * cols);
  const flags = new Array<string | null>(rows).fill(null);
  const reasons = new Array<string | null>(rows).fill(null);
  for (const each of flagged) {
    flags[each.row] = each.flag.join(';');
    reasons[each.row] = each.reasons.map(({ name }) => name).join(';');
  }
  for (let i = 0; i < rows; i++) {
    const limits = limitsOf(i);
    data.set([places[i] + 1, t2[i], q[i], limits.t2 ?? Number.NaN, limits.q ?? Number.NaN], i * cols);
    if (!parts) continue;
    data.set(parts.t2.subarray(i * d, (i + 1) * d), i * cols + 5);
    data.set(parts.q.subarray(i * d, (i + 1) * d), i * cols + 5 + d);
  }
  const named = columns[1].kind === 'text';
  const labels = names ?? new Array<string | null>(rows).fill(null);
  await writer.write({ rows, cols, data }, [...(named ? [labels] : []), flags, reasons]);
}
