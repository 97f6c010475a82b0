import { DataError, type Encoding, type Model, OptionError, type PcaOptions, type TableData } from '@scree/core';
import type { EncodedGroup, MissingRule, Table, UnseenRule } from '@scree/core/data';
import {
  dropIncompleteRows,
  type EncodingMethod,
  encodedSource,
  type LearnedEncoding,
  learnEncoding,
  MISSING_RULES,
  offsetsOf,
  rereadableTable,
  rowWeights,
  selectColumns,
  toTable,
  UNSEEN_RULES,
} from '@scree/core/data';
import {
  availableEngines,
  checkObject,
  checkOption,
  checkOptions,
  describeValue,
  fit,
  fitOpened,
  keepAlive,
  type OptionCheck,
  ProgressTracker,
  type Settings,
  transformsOf,
} from '@scree/core/pipeline';
import { isChooser } from '../choose/criteria/registry.js';

/** Options of `pca` that the methods set. */
type Decided = 'center' | 'scale' | 'ddof' | 'columnWeights' | 'inspectColumns' | 'columnTransform' | 'missing';

/** Options of `mca`. */
export interface McaOptions extends Omit<PcaOptions, Decided> {
  /** The number of components; criteria cannot choose it. Default 10, or all if there are fewer: levels less columns. */
  readonly k?: number | 'all' | undefined;
  /** Columns to use, in this order. Default all. */
  readonly columnNames?: readonly string[] | undefined;
  /**
   * How to treat missing values (null, undefined, NaN, ''). `'error'`, the default, refuses them. `'mean'` replaces them by the mean of
   * their column, which for a category is the share of every level. `'level'` makes them a level of their own in categories, and the
   * mean in columns of numbers. `'drop'` leaves their rows out of the fit, and the model refuses missing values.
   */
  readonly missing?: MissingRule | 'drop' | undefined;
  /** How to apply the model to levels that the fit did not see: `'error'` (the default) refuses them, `'mean'` uses the mean. */
  readonly unseen?: UnseenRule | undefined;
  /** Levels with a smaller share are pooled into one, and unseen levels belong to it. Default 0: none. */
  readonly rare?: number | undefined;
}

/** Options of `famd`. */
export interface FamdOptions extends McaOptions, Pick<PcaOptions, 'columnTransform'> {
  /** Columns of numbers that are codes of categories. Columns with texts or truth values always are categories. */
  readonly categories?: readonly string[] | undefined;
}

/** Columns of a group. Columns of numbers are scaled to variance 1 before the group is weighted, unless the scale is 'none'. */
export type MfaGroup = readonly string[] | { readonly columns: readonly string[]; readonly scale?: 'unit' | 'none' };

/** Options of `mfa`. */
export interface MfaOptions extends Omit<FamdOptions, 'columnNames'> {
  /** The columns of each group, by name. Columns without a group are not used. */
  readonly groups: Readonly<Record<string, MfaGroup>>;
}

/**
 * Multiple correspondence analysis: correspondence analysis of the indicator matrix Z (n × J) of Q categories, as PCA of
 * (z − p)/√(Q·p), p the share of a level, with ddof 0. Variances are the principal inertias without the trivial ones, scores
 * the principal coordinates of the rows; `categories(model)` has those of the levels.
 */
export function mca(data: TableData, options: McaOptions = {}): Promise<Model> {
  return analyse('mca', data, options);
}

/**
 * Factor analysis of mixed data (Pagès 2004): PCA of numbers divided by their deviation and of levels as (z − p)/√p, with ddof 0.
 * Every number has variance 1, and every category of m levels adds m − 1.
 */
export function famd(data: TableData, options: FamdOptions = {}): Promise<Model> {
  return analyse('famd', data, options);
}

/**
 * Multiple factor analysis (Escofier & Pagès): the columns of each group encoded as for FAMD and divided by the root of the first
 * eigenvalue of their own analysis, so that no group decides a component alone because it is large.
 */
export function mfa(data: TableData, options: MfaOptions): Promise<Model> {
  return analyse('mfa', data, options);
}

const isNames = (v: unknown): boolean => Array.isArray(v) && v.every((name) => typeof name === 'string');

const OWN_OPTIONS: Record<'missing' | 'unseen' | 'rare' | 'categories' | 'groups', OptionCheck> = {
  missing: {
    must: "'error', 'drop', 'mean' or 'level'",
    test: (v) => v === 'drop' || MISSING_RULES.includes(v as MissingRule),
  },
  unseen: { must: "'error' or 'mean'", test: (v) => UNSEEN_RULES.includes(v as UnseenRule) },
  rare: { must: 'a share from 0 up and below 1', test: (v) => typeof v === 'number' && v >= 0 && v < 1 },
  categories: { must: 'a list of column names', test: isNames },
  groups: {
    must: 'an object with a list of column names, or { columns, scale }, per group',
    test: (v) => typeof v === 'object' && v !== null && !Array.isArray(v) && Object.values(v).every(isGroup),
  },
};

function isGroup(value: unknown): boolean {
  if (isNames(value)) return true;
  if (typeof value !== 'object' || value === null) return false;
  const { columns, scale, ...others } = value as Record<string, unknown>;
  return isNames(columns) && [undefined, 'unit', 'none'].includes(scale as string) && Object.keys(others).length === 0;
}

/** Options of each method besides the shared ones, and options that the methods refuse. */
const EXTRA: Record<Exclude<EncodingMethod, 'pca'>, readonly string[]> = {
  mca: ['columnNames'],
  famd: ['columnNames', 'categories', 'columnTransform'],
  mfa: ['groups', 'categories', 'columnTransform'],
};
const REFUSED = [
  'center',
  'scale',
  'ddof',
  'columnWeights',
  'inspectColumns',
  'columnTransform',
  'categories',
  'groups',
  'columnNames',
  'columns',
];

interface Request {
  readonly settings: Settings;
  readonly missing: MissingRule | 'drop';
  readonly unseen: UnseenRule;
  readonly rare: number;
  readonly categories: readonly string[];
  readonly groups:
    | readonly { readonly name: string; readonly columns: readonly string[]; readonly unit: boolean }[]
    | undefined;
}

/** Checks the options of a method, before any data are read. */
export function checkRequest(
  method: Exclude<EncodingMethod, 'pca'>,
  options: Partial<MfaOptions> & McaOptions,
): Request {
  checkObject(options);
  for (const [option, value] of Object.entries(options ?? {})) {
    if (value === undefined) continue;
    if (REFUSED.includes(option) && !EXTRA[method].includes(option)) {
      throw new OptionError('BAD_OPTION', `${method} has no option ${option}. Leave it out.`, { option });
    }
    if (Object.hasOwn(OWN_OPTIONS, option)) checkOption(option, value, OWN_OPTIONS[option as 'rare']);
  }
  const { missing = 'error', unseen = 'error', rare = 0, categories = [], groups, ...shared } = options;
  if (isChooser(shared.k)) {
    throw new OptionError(
      'K_OUT_OF_RANGE',
      `k is '${shared.k}', a criterion for columns of numbers. Give ${method} a number, a fraction of the variance or 'all'.`,
      { option: 'k', value: shared.k },
    );
  }
  const settings = { ...checkOptions(shared, Object.keys(OWN_OPTIONS)), ddof: 0 };
  if (method !== 'mfa') return { settings, missing, unseen, rare, categories, groups: undefined };
  if (!groups || Object.keys(groups).length === 0) {
    throw new OptionError('BAD_OPTION', 'mfa needs groups: { name: [columns], … }.', { option: 'groups' });
  }
  const list = Object.entries(groups).map(([name, group]) => {
    const given = 'columns' in group ? group : { columns: group };
    return { name, columns: given.columns, unit: given.scale !== 'none' };
  });
  const seen = new Set<string>();
  for (const { name, columns } of list) {
    if (columns.length === 0)
      throw new OptionError('BAD_OPTION', `The group ${describeValue(name)} has no columns.`, {
        option: 'groups',
        value: name,
      });
    for (const column of columns) {
      if (seen.has(column)) {
        throw new OptionError('BAD_OPTION', `Column ${describeValue(column)} is in two groups, or in one twice.`, {
          option: 'groups',
          columnName: column,
        });
      }
      seen.add(column);
    }
  }
  return { settings: { ...settings, columnNames: [...seen] }, missing, unseen, rare, categories, groups: list };
}

function analyse(
  method: Exclude<EncodingMethod, 'pca'>,
  data: TableData,
  options: Partial<MfaOptions> & McaOptions,
): Promise<Model> {
  return keepAlive(async () => {
    const request = checkRequest(method, options);
    const progress = new ProgressTracker(request.settings);
    const { model } = await fitOpened(async () => {
      const opened = await toTable(data, progress, request.settings.columnNames);
      try {
        return await prepare(method, opened, request, progress);
      } catch (error) {
        await opened.close();
        throw error;
      }
    }, progress);
    return model;
  });
}

/** Learns the encoding, and makes the source and the settings with which `pca` is the method. */
export async function prepare(
  method: Exclude<EncodingMethod, 'pca'>,
  opened: Table<unknown>,
  { settings: given, missing, unseen, rare, categories, groups }: Request,
  progress: ProgressTracker,
): Promise<{ source: ReturnType<typeof encodedSource>; settings: Settings }> {
  const whole = await rereadableTable(opened, progress);
  const complete =
    missing === 'drop' ? await dropIncompleteRows(whole, rowWeights(given.weights, whole.rows), progress) : undefined;
  const { table } = complete ?? { table: whole };
  const settings = complete?.weights ? { ...given, weights: complete.weights } : given;
  const names = table.columns.map(({ name }) => name);
  for (const name of categories) {
    if (names.includes(name)) continue;
    throw new OptionError(
      'BAD_OPTION',
      `categories names a column ${describeValue(name)}, which the table does not have or which is not used.`,
      {
        option: 'categories',
        columnName: name,
      },
    );
  }
  const { columnTransform: transform, columnNames: _, ...others } = settings;
  const transformOf = transformsOf(typeof transform === 'string' ? undefined : transform, names);
  const rules = {
    method,
    missing: missing === 'drop' ? 'error' : missing,
    unseen,
    rare,
    isCategory: (name: string) => method === 'mca' || categories.includes(name),
    transformOf: (name: string) => (typeof transform === 'string' ? transform : transformOf(name)),
  };
  refuseCompositions(method, names.map(rules.transformOf));
  const learned = await learnEncoding(table, rules, rowWeights(settings.weights, table.rows), progress);
  for (const { kind, name } of learned.coding.columns) {
    if (kind === 'number' || transformOf(name) === 'none') continue;
    throw new OptionError(
      'BAD_OPTION',
      `columnTransform names the column ${describeValue(name)}, which is a category.`,
      {
        option: 'columnTransform',
        columnName: name,
      },
    );
  }
  const grouped = groups && (await groupEigenvalues(table, learned, groups, others, progress));
  const encoding = grouped ? { ...learned.coding, groups: grouped } : learned.coding;
  const scale = columnDivisors(encoding, groups);
  const { rows } = learned;
  const warnings = [...(complete?.warnings ?? []), ...learned.warnings];
  const source = encodedSource(table, encoding, { fitted: { rows }, warnings });
  return { source, settings: { ...others, scale, coding: encoding, ...chosenCount(settings.k, learned) } };
}

function refuseCompositions(method: string, transforms: readonly string[]): void {
  const found = transforms.find((transform) => transform === 'clr' || transform === 'ilr');
  if (!found) return;
  throw new OptionError('BAD_OPTION', `columnTransform: '${found}' is for pca, not for ${method}.`, {
    option: 'columnTransform',
    value: found,
  });
}

/** The divisor of every encoded column, see the formulas above. A number that does not vary keeps 1. */
function columnDivisors(encoding: Encoding, groups: Request['groups']): Float64Array {
  const { method, columns } = encoding;
  const scale: number[] = [];
  let [group, left] = [0, encoding.groups?.[0]?.columns ?? columns.length];
  for (const column of columns) {
    if (left === 0) left = encoding.groups?.[++group]?.columns ?? 0;
    left--;
    const own = encoding.groups?.[group];
    const factor = method === 'mca' ? Math.sqrt(columns.length) : own ? Math.sqrt(own.eigenvalue) : 1;
    if (column.kind === 'category') scale.push(...column.shares.map((share) => factor * Math.sqrt(share)));
    else scale.push(factor * (groups?.[group].unit === false ? 1 : column.deviation || 1));
  }
  return Float64Array.from(scale);
}

/** The first eigenvalue of every group by itself, encoded as for FAMD. */
async function groupEigenvalues(
  table: Table<unknown>,
  { coding: encoding, rows }: LearnedEncoding,
  groups: NonNullable<Request['groups']>,
  settings: Settings,
  progress: ProgressTracker,
): Promise<EncodedGroup[]> {
  const { weights, engine, threads, seed, signal, onProgress, memory } = settings;
  const found: EncodedGroup[] = [];
  let first = 0;
  for (const { name, columns: own, unit } of groups) {
    const from = first;
    first += own.length;
    const columns = encoding.columns.slice(from, first);
    const part: Encoding = { ...encoding, method: 'famd', columns };
    const indexes = own.map((_, j) => from + j);
    const source = encodedSource(selectColumns(table, indexes), part, { fitted: { rows } });
    const scale = columnDivisors({ ...part, groups: [{ name, columns: own.length, eigenvalue: 1 }] }, [
      { name, columns: own, unit },
    ]);
    const given = { weights, engine, threads, seed, signal, onProgress, memory, scale, k: 1, ddof: 0 };
    const numbers = rows * source.cols;
    const { model } = await fit(
      source,
      checkOptions(given as PcaOptions),
      await availableEngines(settings, numbers),
      progress,
    );
    const [eigenvalue] = model.variances;
    if (!(eigenvalue > 0)) {
      throw new DataError(
        'BAD_DATA',
        `The columns of the group ${describeValue(name)} do not vary, so it cannot be weighted. Leave it out.`,
        { value: name },
      );
    }
    found.push({ name, columns: own.length, eigenvalue });
  }
  return found;
}

/** k, limited by the rank of the encoded columns. The levels of a category add up to 1, so each category loses one dimension. */
function chosenCount(k: Settings['k'], { coding: encoding, present }: LearnedEncoding): { k?: number } {
  const dimensions = encoding.columns.reduce(
    (sum, column) => sum + (column.kind === 'category' ? column.levels.length - 1 : column.deviation === 0 ? 0 : 1),
    0,
  );
  const most = Math.max(1, Math.min(dimensions, present - 1));
  if (k === 'all') return { k: most };
  if (k === undefined || typeof k === 'object') return { k: Math.min(k?.atMost ?? 10, most) };
  if (k <= most) return { k };
  const levels = offsetsOf(encoding)[encoding.columns.length];
  throw new OptionError(
    'K_OUT_OF_RANGE',
    `k is ${k}, but ${present} rows of ${encoding.columns.length} ${encoding.columns.length === 1 ? 'column' : 'columns'} (${levels} when coded) have at most ${most} ${most === 1 ? 'component' : 'components'}. Use k ≤ ${most}, or k: 'all'.`,
    { option: 'k', value: k, expected: most },
  );
}
