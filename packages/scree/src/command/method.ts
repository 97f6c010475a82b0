import type { EncodeTableOptions } from '@scree/analysis';
import type { Encoding, Transform } from '@scree/core';
import { isSparkUrl } from '../cluster/spark-url.js';
import type { OpenOptions } from '../disk/open-file.js';
import type { Call } from './command.js';
import { predictingMethod } from './data-flags.js';
import { checkBetween } from './fit-between.js';
import type { Blocks, GivenTransform } from './method-flags.js';
import { UsageError } from './usage-error.js';

/** The conversion of a table to numbers, from the flags. */
export interface Method {
  readonly name: Encoding['method'];
  readonly transform: GivenTransform | undefined;
  readonly blocks: Blocks | undefined;
  readonly rules: Pick<EncodeTableOptions, 'missing' | 'unseen' | 'rare'>;
  /** Columns of numbers that are categories. */
  readonly codes: readonly string[] | undefined;
  readonly covariates: readonly string[];
}

const TITLES = { pca: 'PCA', mca: 'MCA', famd: 'FAMD', mfa: 'MFA' } as const;

/** The method that the flags choose. Throws if flags contradict each other. */
export function methodOf(flags: Readonly<Record<string, unknown>>): Method {
  const name = (flags.method ?? 'pca') as Method['name'];
  const composition = flags.scale === 'clr' || flags.scale === 'ilr' ? (flags.scale as Transform) : undefined;
  const transform = flags.transform as GivenTransform | undefined;
  const covariates = (flags.residualize ?? []) as readonly string[];
  const refuse = (flag: string, why: string): void => {
    if (flags[flag] !== undefined) throw new UsageError(why);
  };
  const title = TITLES[name];
  if (composition && transform !== undefined) {
    throw new UsageError(
      `--scale ${composition} takes logarithms of the parts itself: leave --transform out. To transform other columns too, name the parts: --transform a=${composition},b=${composition},c=log1p.`,
    );
  }
  if (name === 'pca') {
    refuse('blocks', '--blocks are for --method mfa: use it, or leave --blocks out.');
    for (const flag of ['rare', 'unseen'])
      refuse(flag, `--${flag} is about categories: use --method mca or famd, or leave it out.`);
    if (flags.missing === 'level')
      throw new UsageError('--missing level is for categories: use --missing mean, or --method mca or famd.');
    if (covariates.length === 0)
      refuse(
        'categories',
        '--categories are analysed by --method mca, famd or mfa: use one of them, or leave --categories out.',
      );
    const predicting = predictingMethod(flags);
    if (predicting && (transform !== undefined || composition || covariates.length > 0)) {
      const what = covariates.length > 0 ? '--residualize' : composition ? `--scale ${composition}` : '--transform';
      throw new UsageError(
        `--missing ${predicting} predicts the numbers of the table, and ${what} needs them all before. Use --missing drop.`,
      );
    }
    if (flags.missing === 'mean' && hasParts(composition ?? transform)) {
      throw new UsageError('--missing mean would change the proportions of a composition: use --missing drop.');
    }
  } else {
    const predicting = predictingMethod(flags);
    if (predicting) {
      throw new UsageError(
        `--missing ${predicting} predicts columns of numbers, and --method ${name} has categories. Use --missing level or --missing mean.`,
      );
    }
    const scaled = flags.scale !== undefined && !(name === 'mfa' && ['none', 'unit'].includes(String(flags.scale)));
    if (composition)
      throw new UsageError(`--scale ${composition} is for PCA, and --method is ${name}. Leave one of them out.`);
    if (scaled) throw new UsageError(`${title} scales columns itself: leave --scale out.`);
    for (const flag of ['no-center', 'ddof', 'column-weights'])
      refuse(flag, `--${flag} is for PCA; ${title} decides that itself. Leave it out.`);
    if (typeof flags.components === 'string')
      throw new UsageError(
        `-k ${flags.components} is a criterion for columns of numbers. Give ${title} a number: -k 5.`,
      );
    refuse('residualize', `--residualize is for columns of numbers, and --method is ${name}. Leave one of them out.`);
    if (name === 'mca')
      refuse('transform', '--transform is for numbers, and MCA takes categories. Use --method famd for both.');
    if (hasParts(transform)) throw new UsageError('clr and ilr are for PCA. Leave --method out.');
    if (name === 'mfa' && flags.blocks === undefined)
      throw new UsageError("MFA needs blocks of columns: --blocks 'smell=a,b,c;taste=d,e'.");
    if (name !== 'mfa') refuse('blocks', `--blocks are for --method mfa, and --method is ${name}.`);
    if (name === 'mfa') refuse('columns', '--blocks say which columns are used: leave --columns out.');
  }
  if (covariates.length > 0) refuse('weight', '--residualize counts all rows the same: leave --weight out.');
  checkBetween(flags);
  return {
    name,
    transform: composition ?? transform,
    blocks: flags.blocks as Blocks | undefined,
    rules: {
      ...(flags.missing === 'mean' || flags.missing === 'level' ? { missing: flags.missing } : {}),
      ...(flags.unseen === undefined ? {} : { unseen: flags.unseen as 'error' | 'mean' }),
      ...(flags.rare === undefined ? {} : { rare: flags.rare as number }),
    },
    codes: flags.categories as readonly string[] | undefined,
    covariates,
  };
}

/** Columns that divide the rows into groups: the columns of --group and the column of --between. */
export function groupColumns({ group, between }: Readonly<Record<string, unknown>>): string[] | undefined {
  const names = [...((group ?? []) as string[]), ...(between === undefined ? [] : [between as string])];
  return names.length === 0 ? undefined : [...new Set(names)];
}

/** The first flag that changes the rows before they are analysed, as the user typed it. */
export function encodingFlag(flags: Readonly<Record<string, unknown>>): string | undefined {
  if (flags.scale === 'clr' || flags.scale === 'ilr') return `--scale ${flags.scale}`;
  if (flags.method !== undefined && flags.method !== 'pca') return `--method ${flags.method}`;
  const given = ['transform', 'residualize', 'between', 'by', 'categories', 'blocks', 'rare', 'unseen'].find(
    (name) => flags[name] !== undefined,
  );
  return given && `--${given}`;
}

/** Throws if rows on Spark are to be encoded. An encoding reads rows several times in the same order, and rows on Spark have no order. */
export function refuseOnSpark({ positionals, flags }: Pick<Call, 'positionals' | 'flags'>): void {
  const flag = positionals.some(isSparkUrl) && encodingFlag(flags);
  if (flag)
    throw new UsageError(
      `${flag} reads rows in order, and tables on Spark have none. Save the table as Parquet files first, or transform its columns with --sql.`,
    );
}

/** Returns true if a transform is for the parts of a composition. */
function hasParts(transform: GivenTransform | undefined): boolean {
  const all = typeof transform === 'object' ? Object.values(transform) : [transform];
  return all.includes('clr') || all.includes('ilr');
}

/**
 * Options to open a file for a method, with the columns that are categories. `columns` are the columns of the file, for blocks with ranges.
 */
export function openOptions(method: Method, options: OpenOptions, columns: readonly string[] = []): OpenOptions {
  const { name, codes } = method;
  if (name === 'pca') return options;
  const { missing, ...others } = options;
  return {
    ...others,
    ...(name === 'mfa' ? { columns: Object.values(blocksOf(method, columns)).flat() } : {}),
    categories: name === 'mca' ? 'only' : true,
    ...(codes ? { codes } : {}),
    // The encoding treats other missing values.
    ...(missing === 'drop' ? { missing } : {}),
  };
}

/** Returns true if a block names a range of columns, so that the columns of the file must be known. */
export function hasRanges({ blocks = {} }: Method): boolean {
  return Object.values(blocks)
    .flat()
    .some((name) => name.includes('..'));
}

/** The columns of every block, without ranges. The name of a column in the file may contain `..`. */
export function blocksOf({ blocks = {} }: Method, columns: readonly string[]): Blocks {
  const expand = (name: string): readonly string[] => {
    const at = name.indexOf('..');
    if (at < 0 || columns.includes(name)) return [name];
    const [first, last] = [name.slice(0, at), name.slice(at + 2)].map((end) => columns.indexOf(end.trim()));
    if (first >= 0 && last >= first) return columns.slice(first, last + 1);
    const unknown = first < 0 ? name.slice(0, at) : name.slice(at + 2);
    throw new UsageError(
      first >= 0 && last >= 0
        ? `--blocks has ${name}, and ${name.slice(at + 2)} comes before ${name.slice(0, at)} in the file.`
        : `--blocks has ${name}, and there is no column ${JSON.stringify(unknown)} to analyse.`,
    );
  };
  return Object.fromEntries(Object.entries(blocks).map(([block, names]) => [block, names.flatMap(expand)]));
}
