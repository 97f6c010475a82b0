import { DataError, type DenseBlock, type RowSource, residualize } from '@scree/core';
import { count, several } from '@scree/core/describe';
import { decoded } from '@scree/core/engine';
import type { SupplementaryBlock } from '@scree/files';
import { showBytes } from '@scree/files/internal';
import { derivedFile, type PreparedFile } from './derived-file.js';
import type { Terminal } from './terminal.js';
import { UsageError } from './usage-error.js';

/** A covariate: numbers, or labels with one term per level but the first. */
interface Covariate {
  readonly name: string;
  /** Its place among the supplementary columns, or the columns of groups. */
  readonly at: number;
  readonly levels: readonly string[] | undefined;
}

export interface ResidualOptions {
  readonly covariates: readonly string[];
  /** Supplementary columns and groups that the user asked for; the file has the covariates too. */
  readonly supplementary: readonly string[];
  readonly groups: readonly string[];
  readonly memory: number;
  readonly signal: AbortSignal;
}

/** Most levels of a covariate: one with more names its rows. */
const MOST_LEVELS = 1000;
/** Matrices of terms × columns that are in memory at once: products, slopes, and those of a block. */
const MATRICES = 3;

/**
 * The file with the residuals of its columns, regressed on covariates. The file is read once for the levels of labels and once for
 * the regression, block by block; residuals are computed whenever rows are read.
 */
export async function residualFile(
  file: PreparedFile,
  { covariates: names, supplementary, groups, memory, signal }: ResidualOptions,
  terminal: Terminal,
): Promise<PreparedFile> {
  const covariates = await learn(file, names);
  const terms = covariates.flatMap(
    ({ name, levels }) => levels?.slice(1).map((level) => `${name}: ${level}`) ?? [name],
  );
  if (terms.length === 0)
    throw new UsageError(`All rows have the same ${names.join(' and ')}, so there is nothing to regress out.`);
  const needed = 8 * MATRICES * terms.length * Math.max(file.source.cols, terms.length);
  if (needed > memory) {
    throw new UsageError(
      `--residualize needs ${showBytes(needed)} for ${several(terms.length, 'term')} and ${several(file.source.cols, 'column')}, and --memory is ${showBytes(memory)}: allow that much, or leave covariates or columns out.`,
    );
  }
  const control = { signal, onProgress: terminal.onProgress };
  const residuals = await residualize(file.source, termSource(file, covariates, terms), control);
  terminal.clear();
  const { slopes, intercept } = residuals.regression;
  return derivedFile(file, {
    source: residuals,
    coding: file.coding,
    supplementary,
    groups,
    supplementaryRows: undefined,
    convert: async function* (blocks) {
      for await (const part of blocks) {
        const block = decoded(part.block as DenseBlock);
        const { rows, cols } = block;
        const values = termsOf(part, covariates, terms.length, file.supplementary.length);
        const data = new Float64Array(rows * cols);
        for (let i = 0; i < rows; i++) {
          for (let j = 0; j < cols; j++) data[i * cols + j] = block.data[i * block.stride + j] - intercept[j];
          for (let t = 0; t < terms.length; t++) {
            const value = values[i * terms.length + t];
            if (value !== 0) for (let j = 0; j < cols; j++) data[i * cols + j] -= value * slopes.data[t * cols + j];
          }
        }
        yield { ...part, block: { kind: 'dense', rows, cols, stride: cols, data } };
      }
    },
  });
}

/** Where the covariates are beside the rows, and the levels of labels. */
async function learn(file: PreparedFile, names: readonly string[]): Promise<Covariate[]> {
  const labels = names.filter((name) => file.groups.includes(name));
  const levels = new Map(labels.map((name) => [name, new Set<string>()]));
  if (labels.length > 0) {
    for await (const { groups } of file.withSupplementary()) {
      for (const name of labels) {
        const own = levels.get(name) as Set<string>;
        for (const label of groups[file.groups.indexOf(name)]) if (label !== null) own.add(label);
        if (own.size > MOST_LEVELS) {
          throw new UsageError(
            `--residualize ${name} has more than ${count(MOST_LEVELS)} different values: these are names of rows rather than of groups.`,
          );
        }
      }
    }
  }
  return names.map((name) => {
    const found = levels.get(name);
    return found
      ? { name, at: file.groups.indexOf(name), levels: [...found].sort() }
      : { name, at: file.supplementary.indexOf(name), levels: undefined };
  });
}

/** The covariates as a source of numbers, read in step with the rows. */
function termSource(file: PreparedFile, covariates: readonly Covariate[], terms: readonly string[]): RowSource {
  const cols = terms.length;
  return {
    get rows() {
      // Undefined until the rows were counted, which a source may be.
      return file.source.rows as number;
    },
    cols,
    dtype: 'float64',
    columnNames: terms,
    rereadable: true,
    resident: false,
    async *blocks() {
      for await (const part of file.withSupplementary()) {
        const data = termsOf(part, covariates, cols, file.supplementary.length);
        yield { kind: 'dense', rows: part.block.rows, cols, stride: cols, data };
      }
    },
  };
}

/** rows × terms numbers: 1 where a row has the level of a term. */
function termsOf(
  { block: { rows }, columns, groups, places }: SupplementaryBlock,
  covariates: readonly Covariate[],
  cols: number,
  width: number,
): Float64Array {
  const data = new Float64Array(rows * cols);
  let term = 0;
  for (const { name, at, levels } of covariates) {
    const indexes = levels && new Map(levels.map((level, l) => [level, l]));
    for (let i = 0; i < rows; i++) {
      const number = levels ? undefined : columns[i * width + at];
      const label = levels ? groups[at][i] : undefined;
      if (label === null || Number.isNaN(number)) throw missing(name, places[i]);
      if (number !== undefined) data[i * cols + term] = number;
      else {
        const level = indexes?.get(label as string) ?? 0;
        if (level > 0) data[i * cols + term + level - 1] = 1;
      }
    }
    term += levels ? levels.length - 1 : 1;
  }
  return data;
}

function missing(name: string, row: number): DataError {
  return new DataError('MISSING_VALUES', `The covariate ${JSON.stringify(name)} of row ${row + 1} is missing.`, {
    row,
    columnName: name,
    reason: 'missing-covariate',
  });
}
