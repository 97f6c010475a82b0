import { join } from 'node:path';
import type { AnalysedRows, Analysis } from '@scree/analysis';
import type { Matrix } from '@scree/core';
import { scoreNames } from '@scree/core/data';
import { NativeMemoryCollector } from '../database/garbage-collection.js';
import { writeAtomically } from '../disk/atomic-file.js';
import { csvText } from '../disk/csv-writer.js';
import { createFile } from '../disk/index.js';
import { checkFolder, checkTarget, exists } from '../disk/output-target.js';
import { isTextFile } from '../disk/write-file.js';
import type { Call } from './command.js';
import { inFolder } from './in-folder.js';
import type { Terminal } from './terminal.js';
import { UsageError } from './usage-error.js';

export type TableFormat = 'csv' | 'tsv' | 'parquet';

/** The folder and the format of the tables of `scree analyze --tables`. */
export interface TableTarget {
  readonly folder: string;
  readonly format: TableFormat;
  readonly csvSafe: boolean;
}

/** Tables with text. If the rows are written as .parquet, which holds only numbers here, these tables are .csv. */
const SMALL_TABLES = [
  'columns',
  'supplementary-columns',
  'categories',
  'blocks',
  'groups',
  'eta2',
  'covariates',
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

/** Tables with one line per row, which may be larger than memory. */
const ROW_TABLES = ['rows', 'supplementary-rows'] as const;

function rowPath({ folder, format }: TableTarget, name: (typeof ROW_TABLES)[number]): string {
  return join(folder, `${name}.${format}`);
}

function smallPath({ folder, format }: TableTarget, name: SmallTable): string {
  return join(folder, `${name}.${format === 'tsv' ? 'tsv' : 'csv'}`);
}

/** Writes the results as tables. Rows are read once more, block by block, so they may be larger than memory. */
export async function writeTables(
  target: TableTarget,
  analysis: Analysis,
  label: string | undefined,
  terminal: Terminal,
): Promise<void> {
  await inFolder(target.folder, async () => {
    for (const [name, lines] of smallTables(analysis)) {
      const delimiter = target.format === 'tsv' ? '\t' : ',';
      await writeAtomically(smallPath(target, name), csvText(lines, { delimiter, csvSafe: target.csvSafe }));
    }
    if (analysis.model.totalVariance > 0) {
      const apart = analysis.supplementaryRows !== undefined || analysis.notComputed.supplementaryRows !== undefined;
      await writeRowTable('rows', target, analysis, label);
      if (apart) await writeRowTable('supplementary-rows', target, analysis, label);
      terminal.clear();
    }
  });
}

type Line = readonly (string | number)[];

/** Small tables that are not empty, each with its header. */
function smallTables({ model, columns, supplementary, covariates, rotation, coded }: Analysis): [SmallTable, Line[]][] {
  const { k, d, columnNames } = model;
  const nameOf = (j: number): string => columnNames?.[j] ?? String(j);
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
      'covariates',
      covariates.map(({ name, kind, component, effect, pValue, adjusted }) => [
        name,
        `PC${component}`,
        kind === 'column' ? 'correlation' : 'eta2',
        effect,
        pValue,
        adjusted,
      ]),
      ['covariate', 'component', 'measure', 'effect', 'p_value', 'p_adjusted'],
    ],
    [
      'rotation',
      rotation
        ? Array.from({ length: d }, (_, j) => [
            nameOf(j),
            ...Array.from({ length: rotation.k }, (_, c) => rotation.loadings.data[c * d + j]),
          ])
        : [],
      ['column', ...Array.from({ length: rotation?.k ?? 0 }, (_, c) => `loading_rc${c + 1}`)],
    ],
  ];
  return all.flatMap(([name, lines, header]) =>
    lines.length === 0 ? [] : [[name, [header, ...lines]] satisfies [SmallTable, Line[]]],
  );
}

/** correlation_PC1, correlation_PC2, … */
function named(what: string, k: number): string[] {
  return scoreNames(k).map((name) => `${what}_${name}`);
}

/** Garbage is collected after this many bytes of rows and of output. Otherwise V8 would let hundreds of megabytes pile up. */
const COLLECTED_BYTES = 8 << 20;

/** Writes scores, cos² and squared distances of rows, and contributions for the rows of the fit. */
async function writeRowTable(
  table: (typeof ROW_TABLES)[number],
  target: TableTarget,
  analysis: Analysis,
  labelColumn: string | undefined,
): Promise<void> {
  const { format, csvSafe } = target;
  const { k, d } = analysis.model;
  // Rows do not contribute to a fit of group means.
  const contributes = table === 'rows' && !analysis.between;
  const contributions = contributes ? named('contribution', k) : [];
  const columnNames = ['row', ...named('score', k), ...named('cos2', k), ...contributions, 'squared_distance'];
  const label = isTextFile(format) ? labelColumn : undefined;
  const cols = columnNames.length;
  const writer = await createFile(rowPath(target, table), { cols, columnNames, label, csvSafe, format });
  const collector = new NativeMemoryCollector(COLLECTED_BYTES);
  try {
    for await (const part of analysis.rows(table === 'rows' ? 'fit' : 'supplementary')) {
      await writer.write(rowMatrix(part, k, contributes), part.names);
      collector.released(8 * part.numbers.length * (d + 2 * cols));
    }
    await writer.close();
  } catch (error) {
    await writer.abort();
    throw error;
  }
}

/** Lines of a table of rows: number in the file from 1 up, scores, cos2, contributions (rows of the fit only), squared distance. */
function rowMatrix(
  { scores, cos2, contributions, squaredDistances, numbers }: AnalysedRows,
  k: number,
  contributes: boolean,
): Matrix<Float64Array> {
  const parts = [scores, cos2, ...(contributes ? [contributions] : [])];
  const [rows, cols] = [numbers.length, parts.length * k + 2];
  const data = new Float64Array(rows * cols);
  for (let i = 0; i < rows; i++) {
    data[i * cols] = numbers[i];
    parts.forEach((matrix, part) => {
      data.set(matrix.data.subarray(i * k, (i + 1) * k), i * cols + 1 + part * k);
    });
    data[(i + 1) * cols - 1] = squaredDistances[i];
  }
  return { rows, cols, data };
}
