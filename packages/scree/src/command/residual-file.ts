import { residualize } from '@scree/analysis';
import { count, plural } from '@scree/analysis/describe';
import type { Encoding } from '@scree/core';
import { type EncodedCovariate, encodeTerms, readCells, selectNamed, termNames, toRowSource } from '@scree/core/data';
import { showBytes } from '@scree/files/platform';
import type { DataFile } from '../disk/index.js';
import type { Terminal } from './terminal.js';
import { UsageError } from './usage-error.js';

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
/** Matrices of terms × columns that are in memory at once: products, slopes, those of a block, and slopes as they are stored, twice. */
const MATRICES = 5;

/**
 * The file with the residuals of its columns, encoded or not, regressed on covariates. The file is read once for the levels of labels and
 * once for the regression, block by block. The regression is a part of the encoding, so residuals are computed whenever rows are read.
 */
export async function residualFile(
  file: DataFile,
  { source, coding }: Pick<DataFile, 'source' | 'coding'>,
  { covariates: names, supplementary, groups, memory, signal }: ResidualOptions,
  terminal: Terminal,
): Promise<DataFile> {
  const covariates = await learn(file, names);
  const terms = termNames(covariates);
  if (terms.length === 0)
    throw new UsageError(`All rows have the same ${names.join(' and ')}, so there is nothing to regress out.`);
  const needed = 8 * MATRICES * terms.length * Math.max(source.cols, terms.length);
  if (needed > memory) {
    throw new UsageError(
      `--residualize needs ${showBytes(needed)} for ${plural(terms.length, 'term')} and ${plural(source.cols, 'column')}, and --memory is ${showBytes(memory)}: allow that much, or leave covariates or columns out.`,
    );
  }
  const control = { signal, onProgress: terminal.onProgress };
  const beside = selectNamed(file.supplementaryTable, names);
  const residuals = await residualize(source, toRowSource(encodeTerms(beside, covariates)), control);
  const warnings = (await residuals.warnings?.())?.filter(({ code }) => code === 'COVARIATE_DROPPED') ?? [];
  terminal.clear();
  const regression = { ...residuals.coding.regression, covariates };
  const regressed: Encoding = { ...(coding ?? residuals.coding), regression };
  return file.encode(regressed, { fitted: { rows: residuals.columns.rows }, warnings, supplementary, groups });
}

/** The covariates, with the levels of labels. */
async function learn(file: DataFile, names: readonly string[]): Promise<EncodedCovariate[]> {
  const labels = names.filter((name) => file.groups.includes(name));
  const levels = new Map(labels.map((name) => [name, new Set<string>()]));
  if (labels.length > 0) {
    for await (const { rows, columns } of readCells(selectNamed(file.supplementaryTable, labels))) {
      for (const [at, [name, own]] of [...levels].entries()) {
        for (let i = 0; i < rows; i++) {
          const label = columns[at](i);
          if (typeof label === 'string') own.add(label);
        }
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
    return found ? { name, levels: [...found].sort() } : { name };
  });
}
