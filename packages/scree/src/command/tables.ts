import { join } from 'node:path';
import { type RowContributions, rowContributionBlocks } from '@scree/analysis';
import type { Matrix, Model } from '@scree/core';
import type { Block } from '@scree/core/data';
import { hasCategories, refuseChanged } from '@scree/core/data';
import type { SupplementaryBlock } from '@scree/files';
import { NativeMemoryCollector } from '../database/garbage-collection.js';
import { writeAtomically } from '../disk/atomic-file.js';
import { csvText } from '../disk/csv-writer.js';
import { createFile, type DataFile } from '../disk/index.js';
import { checkFolder, checkTarget, exists } from '../disk/output-target.js';
import { holdsText } from '../disk/write-file.js';
import type { Call } from './command.js';
import type { FittedFile } from './fit-file.js';
import { inFolder } from './in-folder.js';
import { type Interpretation, sourceFromBlocks } from './interpret.js';
import type { Terminal } from './terminal.js';
import { UsageError } from './usage-error.js';

export type TableFormat = 'csv' | 'tsv' | 'parquet';

/** Where the tables of `scree analyze --tables` go, and how they are written. */
export interface TableTarget {
  readonly folder: string;
  readonly format: TableFormat;
  readonly csvSafe: boolean;
}

/** Tables that have text in them are .csv where the rows are .parquet, which here holds numbers only. */
const SMALL_TABLES = [
  'columns',
  'supplementary-columns',
  'categories',
  'blocks',
  'groups',
  'eta2',
  'rotation',
] as const;
type SmallTable = (typeof SMALL_TABLES)[number];

/** Checks --tables before any work is done. */
export async function checkTables({ positionals, flags }: Call): Promise<TableTarget | undefined> {
  const { tables: folder, 'tables-format': format = 'csv', 'csv-safe': csvSafe = false } = flags;
  if (typeof folder !== 'string') {
    const needless = ['tables-format', 'csv-safe'].find((name) => flags[name] !== undefined);
    if (needless === undefined) return undefined;
    throw new UsageError(`--${needless} says how --tables are written: use it with --tables FOLDER.`);
  }
  const target = { folder, format: format as TableFormat, csvSafe: csvSafe === true };
  await checkFolder(folder);
  if (await exists(folder)) for (const path of pathsOf(target)) await checkTarget(path, positionals);
  return target;
}

function pathsOf(target: TableTarget): string[] {
  return [...ROW_TABLES.map((name) => rowPath(target, name)), ...SMALL_TABLES.map((name) => smallPath(target, name))];
}

/** Tables with one line per row, which may be more than memory holds. */
const ROW_TABLES = ['rows', 'supplementary-rows'] as const;

function rowPath({ folder, format }: TableTarget, name: (typeof ROW_TABLES)[number]): string {
  return join(folder, `${name}.${format}`);
}

function smallPath({ folder, format }: TableTarget, name: SmallTable): string {
  return join(folder, `${name}.${format === 'tsv' ? 'tsv' : 'csv'}`);
}

/** Writes what was found as tables. Rows are read once more, block by block, so that they may be more than memory holds. */
export async function writeTables(
  target: TableTarget,
  file: DataFile,
  fitted: FittedFile,
  meaning: Interpretation,
  call: Call,
  terminal: Terminal,
): Promise<void> {
  const { model } = fitted;
  await inFolder(target.folder, async () => {
    for (const [name, lines] of smallTables(model, meaning)) {
      const delimiter = target.format === 'tsv' ? '\t' : ',';
      await writeAtomically(smallPath(target, name), csvText(lines, { delimiter, csvSafe: target.csvSafe }));
    }
    if (model.totalVariance > 0) {
      await writeRowTable('rows', target, file, fitted, call, terminal);
      if (file.supplementaryRows) {
        const apart = { ...fitted, source: file.supplementaryRows.source, weights: undefined };
        await writeRowTable('supplementary-rows', target, file.supplementaryRows, apart, call, terminal);
      }
    }
  });
}

type Line = readonly (string | number)[];

/** Small tables that have something in them, each with its header. */
function smallTables(model: Model, meaning: Interpretation): [SmallTable, Line[]][] {
  const { k, d, columnNames } = model;
  const nameOf = (j: number): string => columnNames?.[j] ?? String(j);
  const { columns, supplementary, rotation, coded } = meaning;
  const rotated = typeof rotation === 'object' ? rotation : undefined;
  const all: [SmallTable, Line[], Line][] = [
    [
      'columns',
      columns.map(({ correlation, cos2, contribution, communality }, j) => [
        nameOf(j),
        ...correlation,
        ...cos2,
        ...contribution,
        communality,
      ]),
      ['column', ...named('correlation', k), ...named('cos2', k), ...named('contribution', k), 'communality'],
    ],
    [
      'supplementary-columns',
      supplementary.columns.map(({ name = '', n, correlation, cos2 }) => [name, n, ...correlation, ...cos2]),
      ['column', 'n', ...named('correlation', k), ...named('cos2', k)],
    ],
    [
      'categories',
      (coded?.categories ?? []).flatMap(({ column, levels }) =>
        levels.map(({ level, share, center, coordinate, vTest, cos2, contribution }) => [
          column,
          level,
          share,
          ...center,
          ...coordinate,
          ...vTest,
          ...cos2,
          ...contribution,
        ]),
      ),
      [
        'column',
        'level',
        'share',
        ...['center', 'coordinate', 'v_test', 'cos2', 'contribution'].flatMap((what) => named(what, k)),
      ],
    ],
    [
      'blocks',
      (coded?.blocks ?? []).map(({ name, columns, eigenvalue, coordinate, contribution }) => [
        name,
        columns.length,
        eigenvalue,
        ...coordinate,
        ...contribution,
      ]),
      ['block', 'columns', 'eigenvalue', ...named('coordinate', k), ...named('contribution', k)],
    ],
    [
      'groups',
      supplementary.groups.flatMap(({ name, levels }) =>
        levels.map(({ level, n, center, vTest }) => [name, level, n, ...center, ...vTest]),
      ),
      ['column', 'level', 'n', ...named('center', k), ...named('v_test', k)],
    ],
    [
      'eta2',
      [
        ...(coded?.categories ?? []).map(({ column, eta2 }) => [column, ...eta2]),
        ...supplementary.groups.map(({ name, eta2 }) => [name, ...eta2]),
      ],
      ['column', ...named('eta2', k)],
    ],
    [
      'rotation',
      rotated
        ? Array.from({ length: d }, (_, j) => [
            nameOf(j),
            ...Array.from({ length: rotated.k }, (_, c) => rotated.loadings.data[c * d + j]),
          ])
        : [],
      ['column', ...Array.from({ length: rotated?.k ?? 0 }, (_, c) => `loading_rc${c + 1}`)],
    ],
  ];
  return all.flatMap(([name, lines, head]) =>
    lines.length === 0 ? [] : [[name, [head, ...lines]] satisfies [SmallTable, Line[]]],
  );
}

/** correlation_pc1, correlation_pc2, … */
function named(what: string, k: number): string[] {
  return Array.from({ length: k }, (_, c) => `${what}_pc${c + 1}`);
}

/** Bytes of rows and of what is written about them after which garbage is collected: V8 alone would let hundreds of megabytes pile up. */
const COLLECTED_BYTES = 8 << 20;

/** Scores, cos² and squared distances of rows, and the contributions of those of the fit. */
async function writeRowTable(
  table: (typeof ROW_TABLES)[number],
  target: TableTarget,
  file: DataFile,
  { model, coding, source, weights, between }: FittedFile,
  { signal }: Call,
  terminal: Terminal,
): Promise<void> {
  const { format, csvSafe } = target;
  const { k } = model;
  // Rows have no part in means of groups.
  const contributes = table === 'rows' && !between;
  const contributions = contributes ? named('contribution', k) : [];
  const names = ['row', ...named('score', k), ...named('cos2', k), ...contributions, 'squared_distance'];
  const label = holdsText(format) ? file.label : undefined;
  const writer = await createFile(rowPath(target, table), {
    cols: names.length,
    columnNames: names,
    label,
    csvSafe,
    format,
  });
  // Where the rows that were read last are in the file, and their names.
  let at: Pick<SupplementaryBlock, 'places' | 'names'> = { places: [], names: undefined };
  async function* blocks(): AsyncGenerator<Block, void, void> {
    // Sparse rows have neither names nor gaps.
    if (source.nonzeros === undefined || (coding && hasCategories(coding))) {
      for await (const { block, places, names } of file.withSupplementary()) {
        at = { places, names };
        yield block;
      }
      return;
    }
    let first = 0;
    for await (const block of source.blocks()) {
      const start = first;
      at = { places: Array.from({ length: block.rows }, (_, i) => start + i), names: undefined };
      first += block.rows;
      yield block;
    }
  }
  const collector = new NativeMemoryCollector(COLLECTED_BYTES);
  try {
    const data = sourceFromBlocks(model.d, model.columnNames, blocks());
    const options = { signal, onProgress: terminal.onProgress, ...(weights ? { weights } : {}) };
    for await (const part of rowContributionBlocks(model, data, options)) {
      await writer.write(rowMatrix(part, at.places, k, contributes), at.names);
      collector.released(8 * at.places.length * (model.d + 2 * names.length));
    }
    await refuseChanged(file.source);
    await writer.close();
  } catch (error) {
    await writer.abort();
    throw error;
  } finally {
    terminal.clear();
  }
}

/** Lines of a table of rows: number in the file from 1 up, scores, cos2, contributions of rows of the fit, squared distance. */
function rowMatrix(
  { scores, cos2, contributions, squaredDistances }: RowContributions,
  places: readonly number[],
  k: number,
  contributes: boolean,
): Matrix<Float64Array> {
  const parts = [scores, cos2, ...(contributes ? [contributions] : [])];
  const [rows, cols] = [places.length, parts.length * k + 2];
  const data = new Float64Array(rows * cols);
  for (let i = 0; i < rows; i++) {
    data[i * cols] = places[i] + 1;
    parts.forEach((matrix, part) => {
      data.set(matrix.data.subarray(i * k, (i + 1) * k), i * cols + 1 + part * k);
    });
    data[(i + 1) * cols - 1] = squaredDistances[i];
  }
  return { rows, cols, data };
}
