import { type EncodedTable, encodeTable } from '@scree/analysis';
import { DEFAULT_MEMORY } from '@scree/files';
import type { DataFile, OpenOptions } from '../disk/index.js';
import type { Call } from './command.js';
import { fileOptions } from './data-flags.js';
import { fitOptions } from './fit-options.js';
import { blocksOf, hasRanges, type Method, methodOf, openOptions, refuseOnSpark } from './method.js';
import { residualFile } from './residual-file.js';
import { shellWord } from './shell-word.js';
import type { Terminal } from './terminal.js';
import { UsageError } from './usage-error.js';
import { countRowsOfSmallFile, withFile } from './with-file.js';

/** Opens the data of a call as its flags want them analysed: encoded, transformed, or as residuals. Passes them to `use`, and closes them. */
export async function withData<Result>(
  call: Call,
  terminal: Terminal,
  more: Pick<OpenOptions, 'supplementary' | 'groups' | 'supplementaryRows' | 'only' | 'color'>,
  use: (file: DataFile) => Promise<Result>,
): Promise<Result> {
  const { positionals, flags, signal } = call;
  refuseOnSpark(call);
  const method = methodOf(flags);
  const { name, transform, covariates } = method;
  const given = { ...fileOptions(flags, signal), ...more };
  const peeks = covariates.length > 0 || hasRanges(method);
  const known = peeks ? await peek(call, method, more) : [];
  const columns = known.map((column) => column.name);
  const { numbers, labels } = splitCovariates(method, known);
  const options = openOptions(
    method,
    covariates.length === 0
      ? given
      : {
          ...given,
          supplementary: [...new Set([...(more.supplementary ?? []), ...numbers])],
          groups: [...new Set([...(more.groups ?? []), ...labels])],
        },
    columns,
  );
  return withFile(positionals, options, async (file) => {
    let prepared: DataFile = file;
    if (name !== 'pca' || transform !== undefined) prepared = await code(file, method, columns, call, terminal);
    if (covariates.length > 0) {
      const { supplementary = [], groups = [] } = more;
      const memory = (flags.memory as number | undefined) ?? DEFAULT_MEMORY;
      prepared = await residualFile(file, prepared, { covariates, supplementary, groups, memory, signal }, terminal);
    }
    return use(prepared);
  });
}

/** The columns of the file, before it is known which of them are covariates, or which are in a block. */
async function peek(
  { positionals, flags, signal }: Call,
  { covariates }: Method,
  more: OpenOptions,
): Promise<readonly { name: string; numeric: boolean }[]> {
  if (positionals.includes('-')) {
    const flag = covariates.length > 0 ? '--residualize' : 'A range of columns in --blocks';
    throw new UsageError(`${flag} looks at the columns first: save standard input to a file.`);
  }
  const { missing: _, columns: __, exclude, label, name, color, weight, ...options } = fileOptions(flags, signal);
  // A column that is not analysed is in no range, but may be a covariate.
  const apart = covariates.length > 0 ? {} : { ...more, exclude, label, name, color, weight };
  return withFile(positionals, { ...options, ...apart, categories: true }, async ({ table }) =>
    table.columns.map(({ name: column, kind }) => ({ name: column, numeric: kind === 'number' })),
  );
}

/** Covariates by what they hold: numbers, unless --categories names them, or labels. */
function splitCovariates(
  { covariates, codes = [] }: Method,
  known: readonly { readonly name: string; readonly numeric: boolean }[],
): { numbers: string[]; labels: string[] } {
  const isNumber = (name: string): boolean =>
    !codes.includes(name) && known.some((column) => column.name === name && column.numeric);
  return {
    numbers: covariates.filter(isNumber),
    labels: covariates.filter((name) => !isNumber(name)),
  };
}

/** Learns how the table becomes numbers. */
async function code(
  file: DataFile,
  method: Method,
  columns: readonly string[],
  { flags, signal }: Call,
  terminal: Terminal,
): Promise<DataFile> {
  const { name, transform, rules } = method;
  checkTransform(transform, file);
  if (name === 'pca') await countRowsOfSmallFile(file, signal);
  const { k, solver: _, ...how } = fitOptions(flags);
  const { engine, threads, seed } = how;
  const weights = await file.weights();
  const learned = await encodeTable(name, name === 'pca' ? file.source : file.table, {
    ...(k === undefined || name === 'pca' ? {} : { k: k as number | 'all' }),
    ...(engine === undefined ? {} : { engine }),
    ...(threads === undefined ? {} : { threads }),
    ...(seed === undefined ? {} : { seed }),
    ...(weights ? { weights } : {}),
    ...(transform === undefined ? {} : { columnTransform: transform }),
    ...(name === 'pca' ? {} : rules),
    ...(name === 'mfa' ? { groups: blocksFor(method, columns, flags) } : {}),
    memory: (flags.memory as number | undefined) ?? DEFAULT_MEMORY,
    signal,
    onProgress: terminal.onProgress,
  });
  terminal.clear();
  if (name !== 'pca') checkCategories(learned, method, flags);
  const fit = name === 'pca' ? undefined : learned.options;
  return file.encode(learned.coding, { source: learned.source, fit });
}

/** Every column that --transform names is analysed, and holds numbers. */
function checkTransform(transform: Method['transform'], { columns, categories }: DataFile): void {
  for (const name of typeof transform === 'object' ? Object.keys(transform) : []) {
    if (columns.includes(name)) continue;
    const some = `${columns.slice(0, 12).join(', ')}${columns.length > 12 ? ', …' : ''}`;
    throw new UsageError(
      categories.includes(name)
        ? `--transform names ${JSON.stringify(name)}, which is a category.`
        : `--transform names ${JSON.stringify(name)}, which is not analysed. The columns of numbers are ${some}.`,
    );
  }
}

function blocksFor(
  method: Method,
  columns: readonly string[],
  flags: Call['flags'],
): Record<string, { columns: readonly string[]; scale: 'unit' | 'none' }> {
  const scale = flags.scale === 'none' ? 'none' : 'unit';
  return Object.fromEntries(
    Object.entries(blocksOf(method, columns)).map(([block, names]) => [block, { columns: names, scale }]),
  );
}

/** A category with nearly as many levels as there are rows names the rows; one that the user named is meant. */
function checkCategories({ coding, source }: EncodedTable, { name, codes = [] }: Method, flags: Call['flags']): void {
  const meant = [...codes, ...((flags.columns ?? []) as readonly string[])];
  const categories = coding.columns.filter((column) => column.kind === 'category');
  if (name === 'famd' && categories.length === 0)
    throw new UsageError(
      'There are no categories, so FAMD would be PCA of scaled columns: use --scale unit, or name columns of codes with --categories.',
    );
  const rows = source.rows ?? Number.POSITIVE_INFINITY;
  const many = categories.find(
    ({ name: column, levels }) => levels.length > rows / 2 && levels.length > 2 && !meant.includes(column),
  );
  if (!many) return;
  throw new UsageError(
    `Column ${JSON.stringify(many.name)} has ${many.levels.length} different texts in ${rows} rows: it names rows rather than divides them. Use --name ${shellWord(many.name)} to name rows by it, or --exclude ${shellWord(many.name)}; to analyse it all the same, name it in --categories.`,
  );
}
