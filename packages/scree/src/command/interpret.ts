import {
  type AdjustedInertias,
  adjustedInertias,
  type Category,
  type ColumnContribution,
  categories,
  columnContributions,
  type MfaGroupPart,
  mfaGroups,
  type Rotation,
  type RotationMethod,
  type RowContributions,
  rotate,
  rowContributions,
  type Supplementary,
  type SupplementaryOptions,
  type SupplementaryRows,
  supplementary,
  supplementaryRows,
} from '@scree/analysis';
import { count, describeComponent, several } from '@scree/analysis/describe';
import type { Model, RowSource } from '@scree/core';
import type { Block } from '@scree/core/data';
import { refuseChanged } from '@scree/core/data';
import type { SupplementaryBlock } from '@scree/files';
import type { DataFile } from '../disk/index.js';
import { named } from '../report/columns.js';
import type { Call } from './command.js';
import { correlateWithRows } from './fit-between.js';
import { type FittedFile, withCoding } from './fit-file.js';
import { componentsToKeep, namesOf } from './look-at-rows.js';
import type { Terminal } from './terminal.js';

/** What the components have to do with columns and rows. */
export interface Interpretation {
  readonly columns: readonly ColumnContribution[];
  /** The same with the correlations that sentences are about: over all rows, where the fit is one of means of groups. */
  readonly related: readonly ColumnContribution[];
  /** The rows of the fit, or why they are not listed. */
  readonly rows: Listed<RowContributions> | string;
  /** Columns and groups that had no part in the fit. */
  readonly supplementary: Supplementary;
  /** Rows that had no part in it, or why they are not listed. */
  readonly supplementaryRows: Listed<SupplementaryRows> | string | undefined;
  /** The rotated components, or why there are none; undefined where none were asked for. */
  readonly rotation: Rotation | string | undefined;
  /** One sentence per component; null where there is nothing to say. */
  readonly descriptions: readonly (string | null)[];
  /** Of MCA, FAMD and MFA: the categories, the blocks and the adjusted inertias, where there are some. */
  readonly coded: CodedMeaning | undefined;
}

export interface CodedMeaning {
  readonly categories: readonly Category[];
  readonly blocks: readonly MfaGroupPart[];
  readonly inertias: AdjustedInertias | undefined;
}

/** What a model of coded columns says of the columns of the table. */
function codedMeaning(model: Model): CodedMeaning | undefined {
  const { coding } = model;
  if (!coding || coding.method === 'pca') return undefined;
  return {
    categories: categories(model),
    blocks: coding.method === 'mfa' ? mfaGroups(model) : [],
    inertias: coding.method === 'mca' && coding.columns.length > 1 ? adjustedInertias(model) : undefined,
  };
}

export interface Listed<Found> {
  readonly found: Found;
  /** Their numbers in the file, from 1 up, and their names; null where a row has none. */
  readonly numbers: readonly number[];
  readonly names: readonly (string | null)[];
}

/** Most rows that one JSON object lists. */
export const MOST_LISTED_ROWS = 10_000;

type Control = { readonly signal: AbortSignal; readonly onProgress: Terminal['onProgress'] };

/** Columns, rows and sentences of a fit. The rows of the fit are only listed for `--json`. */
export async function interpret(
  file: DataFile,
  fitted: FittedFile,
  { flags, signal }: Call,
  terminal: Terminal,
): Promise<Interpretation> {
  const { model } = fitted;
  const stored = withCoding(model, fitted.coding);
  const control = { signal, onProgress: terminal.onProgress };
  const columns = columnContributions(model);
  const rows = flags.json ? await listRows(file, fitted, control) : '';
  const beside = await relate(file, fitted, control);
  const apart = await listSupplementaryRows(file, model, control);
  const rotation = await rotated(model, componentsToKeep(stored, flags), flags, control);
  const related = fitted.between ? await correlateWithRows(columns, fitted, control) : columns;
  terminal.clear();
  const facts = { columns: named(related), supplementary: beside };
  return {
    columns,
    related,
    rows,
    supplementary: beside,
    supplementaryRows: apart,
    rotation,
    descriptions: Array.from({ length: model.k }, (_, c) => describeComponent(stored, c, facts) ?? null),
    coded: codedMeaning(stored),
  };
}

/** The same of a model alone, where there are no rows: `noRows` says why. */
export async function interpretModel(
  model: Model,
  { flags, signal }: Call,
  terminal: Terminal,
  noRows: string,
): Promise<Interpretation> {
  const columns = columnContributions(model);
  const control = { signal, onProgress: terminal.onProgress };
  const facts = { columns: named(columns) };
  const rotation = await rotated(model, componentsToKeep(model, flags), flags, control);
  return {
    columns,
    related: columns,
    rows: noRows,
    supplementary: { columns: [], groups: [] },
    supplementaryRows: undefined,
    rotation,
    descriptions: Array.from({ length: model.k }, (_, c) => describeComponent(model, c, facts) ?? null),
    coded: undefined,
  };
}

/** Rotates the components that are kept: with others, which are noise, the rotation would be another one. */
async function rotated(
  model: Model,
  kept: number,
  flags: Call['flags'],
  control: Control,
): Promise<Rotation | string | undefined> {
  const method = flags.rotate as RotationMethod | undefined;
  if (method === undefined) return undefined;
  const k = Math.min(kept, model.uniqueness.rank);
  if (model.totalVariance === 0) return 'All rows are the same.';
  if (k === 0) return 'No component stands out of noise. Use -k to rotate some all the same.';
  const { seed } = flags as { readonly seed?: number };
  return rotate(model, { ...control, method, k, ...(seed === undefined ? {} : { seed }) });
}

async function listRows(
  file: DataFile,
  { model, source, weights, between }: FittedFile,
  control: Control,
): Promise<Listed<RowContributions> | string> {
  if (between)
    return 'Rows have no part in means of groups. scree transform gives their scores, and --tables writes them.';
  if (model.totalVariance === 0) return 'All rows are the same.';
  if (!source.rereadable) return 'The rows can be read only once, and are too many to keep.';
  const { rows = model.n } = source;
  if (rows > MOST_LISTED_ROWS) return tooMany(rows);
  const found = await rowContributions(model, source, { ...control, ...(weights ? { weights } : {}) });
  return { found, ...(await identified(file, found.squaredDistances.length)) };
}

function tooMany(rows: number): string {
  return `${several(rows, 'row')} are too many for one JSON object, which lists up to ${count(MOST_LISTED_ROWS)}. Use --tables FOLDER to write all of them.`;
}

function tooManyApart(rows: number): string {
  return `${several(rows, 'row')} are too many to list: up to ${count(MOST_LISTED_ROWS)} are. Use --tables FOLDER to write all of them.`;
}

/** The numbers and names of the first rows of a file, as many as there are. */
async function identified(file: DataFile, rows: number): Promise<Pick<Listed<never>, 'numbers' | 'names'>> {
  const all = Array.from({ length: rows }, (_, i) => i);
  const again = file.source.rereadable;
  const places = again || file.dropped === 0 ? await file.rowsInFile(all) : all;
  const names = file.label === undefined || !again ? undefined : await namesOf(file, all);
  return { numbers: places.map((place) => place + 1), names: all.map((row) => names?.get(row) ?? null) };
}

/** Correlations of supplementary columns and the centres of groups. */
async function relate(file: DataFile, { model, weights }: FittedFile, control: Control): Promise<Supplementary> {
  const none = file.supplementary.length === 0 && file.groups.length === 0;
  if (none || model.totalVariance === 0) return { columns: [], groups: [] };
  const reading = file.withSupplementary()[Symbol.asyncIterator]();
  try {
    const columns = file.supplementary.length > 0 ? 1 : 0;
    return await relateTo(model, file, tee(reading, 1 + columns + file.groups.length), {
      ...control,
      ...(weights ? { weights } : {}),
    });
  } finally {
    await reading.return?.();
  }
}

async function relateTo(
  model: Model,
  file: DataFile,
  [rows, ...others]: readonly AsyncGenerator<SupplementaryBlock, void, void>[],
  options: SupplementaryOptions,
): Promise<Supplementary> {
  const { cols, columnNames } = file.source;
  const s = file.supplementary.length;
  // Every reader is read: what one does not read would be kept for it.
  const [beside, labels] = s === 0 ? [undefined, others] : [others[0], others.slice(1)];
  const found = await supplementary(
    model,
    sourceFromBlocks(
      cols,
      columnNames,
      blocksOf(rows, ({ block }) => block),
    ),
    {
      ...options,
      ...(beside === undefined
        ? {}
        : {
            columns: sourceFromBlocks(
              s,
              file.supplementary,
              blocksOf(beside, ({ block: { rows }, columns: data }) => ({
                kind: 'dense',
                rows,
                cols: s,
                stride: s,
                data,
              })),
            ),
          }),
      groups: Object.fromEntries(file.groups.map((name, g) => [name, blocksOf(labels[g], ({ groups }) => groups[g])])),
      hulls: [],
    },
  );
  await refuseChanged(file.source);
  return found;
}

/** Blocks that are read once, as a source. */
export function sourceFromBlocks(
  cols: number,
  columnNames: readonly string[] | undefined,
  blocks: AsyncGenerator<Block>,
): RowSource {
  return {
    cols,
    dtype: 'float64',
    rereadable: false,
    resident: false,
    ...(columnNames ? { columnNames } : {}),
    blocks: () => blocks,
  };
}

async function* blocksOf<Part>(
  blocks: AsyncIterable<SupplementaryBlock>,
  part: (block: SupplementaryBlock) => Part,
): AsyncGenerator<Part, void, void> {
  for await (const block of blocks) yield part(block);
}

/**
 * One reading for several readers: what one is ahead of the others is kept for them. Only the first may use the numbers of a block, and it is never
 * behind the others: the next block may be read into the same array.
 */
function tee(
  reading: AsyncIterator<SupplementaryBlock>,
  readers: number,
): AsyncGenerator<SupplementaryBlock, void, void>[] {
  const waiting = Array.from({ length: readers }, (): SupplementaryBlock[] => []);
  return waiting.map(async function* (own) {
    for (;;) {
      if (own.length === 0) {
        const next = await reading.next();
        if (next.done) return;
        for (const queue of waiting) queue.push(next.value);
      }
      yield own.shift() as SupplementaryBlock;
    }
  });
}

async function listSupplementaryRows(
  { supplementaryRows: file }: DataFile,
  model: Model,
  control: Control,
): Promise<Listed<SupplementaryRows> | string | undefined> {
  if (!file) return undefined;
  if (model.totalVariance === 0) return 'All rows of the fit are the same.';
  for await (const _ of file.source.blocks()) control.signal.throwIfAborted();
  const { rows = 0 } = file;
  if (rows > MOST_LISTED_ROWS) return tooManyApart(rows);
  const found = await supplementaryRows(model, file.source, control);
  return { found, ...(await identified(file, rows)) };
}

/** The same for `--json`: lists over components, contributions in percent. */
export function interpretationJson(model: Model, meaning: Interpretation): object {
  const { columns, rows, descriptions, supplementary, supplementaryRows: apart, rotation } = meaning;
  const { columns: beside, groups } = supplementary;
  return {
    columns: columns.map(({ name, correlation, cos2, contribution, communality }, j) => ({
      name: name ?? String(j),
      correlation,
      cos2,
      contribution,
      communality,
    })),
    rows:
      typeof rows === 'string'
        ? null
        : rowsJson(model.k, rows, ({ cos2, contributions }) => ({ cos2, contribution: contributions })),
    supplementary: {
      columns: beside.map(({ name, correlation, cos2 }) => ({ name, correlation, cos2 })),
      rows:
        apart === undefined
          ? []
          : typeof apart === 'string'
            ? null
            : rowsJson(model.k, apart, ({ scores, cos2 }) => ({ scores, cos2 })),
    },
    groups: groups.flatMap(({ name, levels }) =>
      levels.map(({ level, n, center, vTest }) => ({ column: name, level, n, center, vTest })),
    ),
    eta2: groups.map(({ name, eta2 }) => ({ column: name, values: eta2 })),
    rotation: rotation === undefined || typeof rotation === 'string' ? null : rotationJson(rotation),
    descriptions,
    ...(meaning.coded
      ? {
          categories: meaning.coded.categories,
          ...(meaning.coded.blocks.length > 0 ? { blocks: meaning.coded.blocks } : {}),
          ...(meaning.coded.inertias ? { adjustedInertias: meaning.coded.inertias } : {}),
        }
      : {}),
  };
}

/** Loadings as one list per component, as `components` are. */
function rotationJson({ method, k, loadings, phi, sumsOfSquares, varianceRatios, warnings }: Rotation): object {
  const lists = ({ rows, cols, data }: Rotation['phi']): number[][] =>
    Array.from({ length: rows }, (_, i) => Array.from(data.subarray(i * cols, (i + 1) * cols)));
  return {
    method,
    k,
    loadings: lists(loadings),
    phi: lists(phi),
    sumsOfSquares: Array.from(sumsOfSquares),
    varianceRatios: Array.from(varianceRatios),
    warnings,
  };
}

function rowsJson<Found>(
  k: number,
  { found, numbers, names }: Listed<Found>,
  matrices: (found: Found) => Readonly<Record<string, { readonly data: Float64Array }>>,
): object[] {
  const named = Object.entries(matrices(found));
  return numbers.map((row, i) => ({
    row,
    name: names[i],
    ...Object.fromEntries(named.map(([name, { data }]) => [name, Array.from(data.subarray(i * k, (i + 1) * k))])),
  }));
}
