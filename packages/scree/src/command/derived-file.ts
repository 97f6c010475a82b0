import type { Block, Coding, PcaOptions, RowSource, TableData, TableSource } from '@scree/core';
import { codedSource, openForModel, ProgressTracker } from '@scree/core/engine';
import type { LabelledBlock, SupplementaryBlock } from '@scree/files';
import type { DataFile } from '../disk/index.js';

/** A file whose rows are analysed as something else than the numbers in it: coded, or residuals. */
export interface PreparedFile extends DataFile {
  /** How the table became the columns of `source`. */
  readonly coding?: Coding | undefined;
  /** Options with which PCA of `source` is the method that was asked for. */
  readonly fit?: Pick<PcaOptions, 'k' | 'scale' | 'ddof'> | undefined;
  /** The rows before that, as a model with the coding takes them. */
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

/** The file as a coding makes it: the rows of a fit, or others that its model is applied to. */
export async function codedFile(
  file: DataFile,
  coding: Coding,
  {
    source,
    fit,
    signal,
  }: { readonly source?: RowSource; readonly fit?: PreparedFile['fit']; readonly signal: AbortSignal },
): Promise<PreparedFile> {
  const input = coding.method === 'pca' ? file.source : file.table;
  // Levels without weight in the fit are not in its coding.
  const lenient: Coding = source ? { ...coding, unseen: 'mean' } : coding;
  return derivedFile(file, {
    coding,
    fit,
    input,
    source: source ?? (await openForModel(input, { coding }, new ProgressTracker({ signal }))),
    convert: (blocks) => codeBlocks(blocks, lenient, file),
    supplementaryRows: file.supplementaryRows && (await codedFile(file.supplementaryRows, coding, { signal })),
  });
}

/** Codes blocks of a file. A coded block may have fewer rows than the block that it was made of. */
async function* codeBlocks(
  blocks: AsyncIterable<SupplementaryBlock>,
  coding: Coding,
  file: DataFile,
): AsyncGenerator<SupplementaryBlock, void, void> {
  const places = new Map(file.categories.map((name, slot) => [name, slot]));
  const numbers = new Map(file.columns.map((name, slot) => [name, slot]));
  const cells = coding.columns.map(({ name }, j) => {
    const category = places.get(name);
    return category === undefined ? { slot: numbers.get(name) ?? j } : { slot: category, text: true };
  });
  for await (const part of blocks) {
    const { rows, stride, data } = part.block as Extract<Block, { kind: 'dense' }>;
    const batch = {
      rows,
      cell: (i: number, j: number) => {
        const { slot, text } = cells[j];
        return text ? part.categories[slot][i] : data[i * stride + slot];
      },
      place: (i: number) => part.places[i],
    };
    const table: TableSource = {
      columns: coding.columns.map(({ name }) => ({ name })),
      named: coding.named,
      rereadable: false,
      batches: () => [batch],
    };
    let first = 0;
    for await (const block of codedSource(table, coding).blocks()) {
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
