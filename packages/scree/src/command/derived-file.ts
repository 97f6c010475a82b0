import type { Encoding, PcaOptions, RowSource, TableData } from '@scree/core';
import type { Block, CellBatch, DenseBlock, EncodedCovariate } from '@scree/core/data';
import { changeTable, openForModel, type Table, TableEncoder, type ValueBatch, valueTable } from '@scree/core/data';
import { ProgressTracker } from '@scree/core/pipeline';
import type { LabelledBlock, SupplementaryBlock } from '@scree/files';
import type { DataFile } from '../disk/index.js';

/** A file whose rows are analysed as something else than the numbers in it: encoded, or residuals. */
export interface PreparedFile extends DataFile {
  /** How the table became the columns of `source`. */
  readonly coding?: Encoding | undefined;
  /** Options with which PCA of `source` is the method that was asked for. */
  readonly fit?: Pick<PcaOptions, 'k' | 'scale' | 'ddof'> | undefined;
  /** The rows before that, as a model with the encoding takes them. */
  readonly input?: TableData | undefined;
  readonly supplementaryRows: PreparedFile | undefined;
}

type Convert = (blocks: AsyncIterable<SupplementaryBlock>) => AsyncIterable<SupplementaryBlock>;

export interface Derivation extends Pick<PreparedFile, 'coding' | 'fit' | 'input' | 'supplementaryRows'> {
  readonly source: RowSource;
  /** Turns rows of the file into rows of `source`. */
  readonly convert: Convert;
  /** Columns and groups that the user asked for, where the file has more. */
  readonly supplementary?: readonly string[] | undefined;
  readonly groups?: readonly string[] | undefined;
}

/** The file with other rows. All that is beside the rows stays as it is. */
export function derivedFile(file: DataFile, derivation: Derivation): PreparedFile {
  const { convert, source, supplementaryRows, coding, fit, input } = derivation;
  const supplementary = derivation.supplementary ?? file.supplementary;
  const groups = derivation.groups ?? file.groups;
  async function* withSupplementary(): AsyncGenerator<SupplementaryBlock, void, void> {
    const asked = (names: readonly string[], all: readonly string[]): number[] =>
      names.map((name) => all.indexOf(name));
    const [beside, labels] = [asked(supplementary, file.supplementary), asked(groups, file.groups)];
    for await (const part of convert(file.withSupplementary())) {
      const numbers = pickColumns(part.columns, part.block.rows, file.supplementary.length, beside);
      yield { ...part, columns: numbers, groups: labels.map((g) => part.groups[g]) };
    }
  }
  async function* labelled(): AsyncGenerator<LabelledBlock, void, void> {
    for await (const { block, names } of withSupplementary())
      yield { block, labels: names ?? Array.from({ length: block.rows }, () => null) };
  }
  const { table, columns, categories, leftOut, label, color, weight, format, bytes } = file;
  return {
    source,
    table,
    coding,
    fit,
    input,
    columns,
    categories,
    leftOut,
    label,
    color,
    weight,
    supplementary,
    groups,
    supplementaryRows,
    format,
    bytes,
    shape: undefined,
    // The file counts while it is read.
    get rows() {
      return file.rows;
    },
    get dropped() {
      return file.dropped;
    },
    labelled,
    withSupplementary,
    labels: (options) => file.labels(options),
    weights: () => file.weights(),
    countMissing: () => file.countMissing(),
    rowsInFile: (rows) => file.rowsInFile(rows),
    explain: (error) => file.explain(error),
    describe: () => file.describe(),
    close: () => file.close(),
  };
}

/** Some columns of rows × cols numbers. */
export function pickColumns(data: Float64Array, rows: number, cols: number, columns: readonly number[]): Float64Array {
  const picked = new Float64Array(rows * columns.length);
  for (let i = 0; i < rows; i++) {
    columns.forEach((from, j) => {
      picked[i * columns.length + j] = data[i * cols + from];
    });
  }
  return picked;
}

export interface EncodedFileOptions extends Pick<Derivation, 'supplementary' | 'groups' | 'fit'> {
  /** The encoded rows of a fit; without it they are others, which its model is applied to. */
  readonly source?: RowSource;
  readonly signal: AbortSignal;
}

/** The file as an encoding makes it: the rows of a fit, or others that its model is applied to. */
export async function encodedFile(
  file: DataFile,
  coding: Encoding,
  { source, fit, signal, ...beside }: EncodedFileOptions,
): Promise<PreparedFile> {
  const rows = coding.regression ? tableWithCovariates(file, coding) : file.source;
  const input = coding.method === 'pca' ? rows : file.table;
  // Levels without weight in the fit are not in its encoding.
  const lenient: Encoding = source ? { ...coding, unseen: 'mean' } : coding;
  return derivedFile(file, {
    coding,
    fit,
    input,
    source: source ?? (await openForModel(input, { coding }, new ProgressTracker({ signal }))),
    convert: (blocks) => enencodeBlocks(blocks, lenient, file),
    ...beside,
    supplementaryRows:
      file.supplementaryRows && (await encodedFile(file.supplementaryRows, coding, { ...beside, signal })),
  });
}

/** The rows with their covariates behind them, as a coding with a regression takes them. */
export function tableWithCovariates(file: DataFile, coding: Encoding): Table<unknown> {
  const { named, columns, regression } = coding;
  const cells = cellsOf(file, coding);
  const inputs = [...columns, ...(regression?.covariates ?? [])].map(({ name }) => ({ name }));
  const facts = { columns: inputs, named, rows: undefined, rereadable: file.source.rereadable };
  async function* batches(): AsyncGenerator<ValueBatch, void, void> {
    for await (const part of file.withSupplementary()) {
      const { rows } = part.block;
      const values = (j: number): unknown[] => Array.from({ length: rows }, (_, i) => cells[j](part, i));
      yield { rows, values, rowNumbers: part.places };
    }
  }
  return changeTable(valueTable(facts, batches), { warnings: () => file.source.warnings?.() ?? [] });
}

/** Where a cell of a row is in a block of a file. */
type CellOf = (part: SupplementaryBlock, i: number) => unknown;

/** The cells that an encoding codes: its columns, then covariates. */
function cellsOf(file: DataFile, { columns, regression }: Encoding): CellOf[] {
  const cells = columns.map(({ name }, j): CellOf => {
    const category = file.categories.indexOf(name);
    if (category >= 0) return ({ categories }, i) => categories[category][i];
    const found = file.columns.indexOf(name);
    const at = found < 0 ? j : found;
    return ({ block }, i) => (block as DenseBlock).data[i * (block as DenseBlock).stride + at];
  });
  return [...cells, ...covariateCells(file, regression?.covariates ?? [])];
}

/** Covariates stand beside the rows of a file: numbers among its supplementary columns, labels among its groups. */
export function covariateCells(file: DataFile, covariates: readonly EncodedCovariate[]): CellOf[] {
  const width = file.supplementary.length;
  return covariates.map(({ name, levels }) => {
    const at = (levels ? file.groups : file.supplementary).indexOf(name);
    return levels ? ({ groups }, i) => groups[at][i] : ({ columns }, i) => columns[i * width + at];
  });
}

/** The cells of a block of a file by column, and its row numbers. */
export function batchReader(
  cells: readonly CellOf[],
): (part: SupplementaryBlock) => Pick<CellBatch, 'rows' | 'columns' | 'rowNumber'> {
  return (part) => ({
    rows: part.block.rows,
    columns: cells.map((cell) => (i: number) => cell(part, i)),
    rowNumber: (i) => part.places[i],
  });
}

/** Codes blocks of a file. An encoded block may have fewer rows than the block that it was made of. */
async function* enencodeBlocks(
  blocks: AsyncIterable<SupplementaryBlock>,
  coding: Encoding,
  file: DataFile,
): AsyncGenerator<SupplementaryBlock, void, void> {
  const batchOf = batchReader(cellsOf(file, coding));
  const encoder = new TableEncoder(coding);
  for await (const part of blocks) {
    let first = 0;
    for (const block of encoder.encode(batchOf(part))) {
      yield rowsOf(part, block, first, file.supplementary.length);
      first += block.rows;
    }
  }
}

/** What stands beside the rows of a block that is a part of another one. */
function rowsOf(part: SupplementaryBlock, block: Block, first: number, columns: number): SupplementaryBlock {
  const to = first + block.rows;
  return {
    block,
    places: part.places.slice(first, to),
    names: part.names?.slice(first, to),
    columns: part.columns.subarray(first * columns, to * columns),
    groups: part.groups.map((labels) => labels.slice(first, to)),
    categories: part.categories.map((texts) => texts.slice(first, to)),
  };
}
