import { type AnalyzeOptions, bootstrap, chooseComponents, defaultReplicates } from '@scree/analysis';
import { CRITERION_TITLES, count, several, show } from '@scree/analysis/describe';
import {
  type Choice,
  type Coding,
  type CriterionName,
  DataError,
  Model,
  type Moments,
  OptionError,
  type RowSource,
  type Stability,
} from '@scree/core';

/** Why a model says nothing about the number of components or about other samples: sentences for people. */
export interface NotComputed {
  readonly choice?: string;
  readonly stability?: string;
  readonly unusual?: string;
  readonly rows?: string;
  readonly supplementaryRows?: string;
  readonly rotation?: string;
}

/** How closely a fit looks at the data: as far as it costs little, or at all of it. */
export type Depth = 'brief' | 'full';

export interface Examination {
  readonly depth: Depth;
  /** Replicates of the bootstrap, where they were asked for. */
  readonly replicates: number | undefined;
  /** The rows, or undefined where they cannot be read again. */
  readonly source: RowSource | undefined;
  /** Moments of all rows, where the fit had nothing else. */
  readonly moments: Moments | undefined;
  readonly options: AnalyzeOptions;
  /** How a table became the columns, where it was not just numbers. */
  readonly coding?: Coding | undefined;
}

/** Fewer rows than this are no sample to draw from. */
const FEWEST_ROWS = 3;
/** Numbers of a table up to which it is read again without being asked for: as for `defaultReplicates`. */
const SMALL_TABLE = 1e7;
/** Operations that a fit spends on simulated and permuted tables without being asked for: about a second. */
const OPERATIONS = 1.5e9;
/** Tables that are simulated by default, and the fewest that are worth it. */
const TABLES = 1000;
const FEWEST_TABLES = 99;
/** Groups of rows that cross-validation takes. */
const FOLDS = 10;

/** Replicates of a bootstrap: as asked for, or as the shape allows; or why there are none. */
export function replicatesFor(asked: number | undefined, rows: number, cols: number): number | string {
  if (asked === 0) return '--bootstrap 0 was given.';
  if (rows < FEWEST_ROWS) return `It takes ${FEWEST_ROWS} rows or more, and there ${are(rows)}.`;
  const replicates = asked ?? defaultReplicates(rows, cols);
  return replicates > 0
    ? replicates
    : `A table of ${count(rows)} × ${count(cols)} numbers takes long. Use --bootstrap 200 to do it.`;
}

function are(rows: number): string {
  return rows === 1 ? 'is 1' : `are ${rows}`;
}

/** Adds to a model how many components criteria advise and how stable they are, where it does not have them yet; or says why not. */
export async function examine(
  model: Model,
  how: Examination,
): Promise<{ readonly model: Model; readonly notComputed: NotComputed }> {
  const { stability: drawn, ...rest } = model;
  // Without variance there is nothing that could differ in another sample.
  const stability = (model.totalVariance > 0 && drawn) || (await stabilityFor(model, how));
  const choice = model.choice ?? (await choiceFor(model, how));
  return {
    model: new Model({
      ...rest,
      ...(typeof stability === 'string' ? {} : { stability }),
      ...(typeof choice === 'string' ? {} : { choice, warnings: withStructure(model, choice) }),
    }),
    notComputed: {
      ...(typeof choice === 'string' ? { choice } : {}),
      ...(typeof stability === 'string' ? { stability } : {}),
    },
  };
}

function withStructure({ warnings }: Model, { k, reason, agree }: Choice): Model['warnings'] {
  // Only a test against noise can say that.
  const tested = agree.includes('permutation') || agree.includes('parallel');
  if (k > 0 || !tested || warnings.some(({ code }) => code === 'NO_STRUCTURE')) return warnings;
  return [...warnings, { code: 'NO_STRUCTURE', message: reason, details: { criteria: agree } }];
}

async function stabilityFor(
  model: Model,
  { replicates: asked, source, options }: Examination,
): Promise<Stability | string> {
  const replicates = replicatesFor(asked, model.n, model.d);
  if (typeof replicates === 'string') return replicates;
  if (model.totalVariance === 0) return 'All rows are the same.';
  if (!source) return 'The rows can be read only once, and are too many to keep.';
  const { whiten: _, lookAtColumns: __, ...others } = options;
  const draw = (): Promise<Stability> => bootstrap(source, { ...others, k: model.k, replicates });
  // What was asked for fails loudly; what was not must not make a fit fail.
  return asked === undefined ? orWhy(draw) : draw();
}

async function choiceFor(
  model: Model,
  { depth, source, moments, options, coding }: Examination,
): Promise<Choice | string> {
  const { n, d } = model;
  if (model.totalVariance === 0) return 'All rows are the same.';
  if (coding && coding.method !== 'pca') return inertiaWords(model, coding);
  if (d === 1) return 'There is only one column.';
  if (n < FEWEST_ROWS) return `It takes ${FEWEST_ROWS} rows or more, and there ${are(n)}.`;
  const brief = depth === 'brief' ? criteriaFor(n, d, options.scale === 'unit') : ALL;
  const how = { ...pick(options, ['engine', 'seed', 'threads', 'onProgress', 'signal']), ...asked(brief) };
  const scaling = pick(options, ['center', 'scale', 'ddof', 'columnWeights']);
  return orWhy(async () => {
    // Moments have all that can be known without reading again.
    const little = !moments && n * d <= SMALL_TABLE && brief.omitted.length < 3;
    const reread = source && (depth === 'full' || little);
    if (reread) return choice(await chooseComponents(source, { ...scaling, ...pick(options, ['weights']), ...how }));
    if (moments) return choice(await chooseComponents(moments, { ...scaling, ...how }));
    if (model.spectrum) return choice(await chooseComponents(model, how));
    return `The ${model.plan.solver} solver finds only the leading variances of these ${several(n, 'row')}. Use --components auto to compute all of them, which reads the data again.`;
  });
}

/** Variance that a component has at least if it says more than one column, or one block, does: see `inertiaWords`. */
function inertiaLimit({ method, columns }: Coding): number {
  return method === 'mca' ? 1 / columns.length : 1;
}

/** How many components of MCA, FAMD or MFA say more than one column or block does. Variances at the limit are not above it by rounding. */
export function countAboveLimit(variances: Float64Array, coding: Coding): number {
  const limit = inertiaLimit(coding) * (1 + 1e-9);
  return variances.filter((variance) => variance > limit).length;
}

/** Of MCA and FAMD the average component, of MFA the most that one block alone has. */
function inertiaWords({ variances }: Model, coding: Coding): string {
  const { method, columns } = coding;
  const [only] = columns;
  if (columns.length === 1 && only.kind === 'category')
    return `One category gives only trivial components: ${only.name} has ${several(only.levels.length, 'level')}, and so ${several(only.levels.length - 1, 'component')} of variance 1${only.levels.length > 2 ? ' each, in no order' : ''}. Add columns to see how they are related.`;
  const limit = inertiaLimit(coding);
  const above = countAboveLimit(variances, coding);
  if (above === 0 && method !== 'mfa')
    return `All components have the same variance, ${show(limit, 3)}: no column is related to another.`;
  const all = above === variances.length ? ' all' : ` ${above}`;
  const whole = coding.method === 'mca' ? `1/${coding.columns.length} = ${show(limit, 3)}` : '1';
  const what =
    coding.method === 'mfa' ? 'more than the first component of a block alone' : 'that of the average component';
  return `The criteria are for columns of numbers. Of the ${several(variances.length, 'component')}${all} ${above === 1 ? 'has' : 'have'} a variance above ${whole}, ${what}.`;
}

/** A choice, unless no criterion applies. */
function choice(found: Choice): Choice | string {
  return found.criteria.some(({ k }) => k !== null) ? found : found.reason;
}

interface Brief {
  /** Simulated or permuted tables; undefined: as many as the library takes. */
  readonly tables: number | undefined;
  readonly omitted: readonly CriterionName[];
}

const ALL: Brief = { tables: undefined, omitted: [] };

/**
 * The criteria that cost little, by the shape alone: simulated and permuted tables and cross-validation may take so many
 * operations each, and are left out where that is not enough.
 */
export function criteriaFor(n: number, d: number, correlation: boolean): Brief {
  const size = Math.min(n, d);
  const light = correlation && size > 128;
  const simulated = light ? 60 * size * size : 2 * d * size * size + 4 * size ** 3 + 150 * d * size;
  const permuted = n * d * (size + 60) + 4 * size ** 3;
  const validated = FOLDS * (n < d ? n * d * (n + 60) : 11 * d ** 3);
  const tables = (each: number): number => Math.min(TABLES, Math.floor(OPERATIONS / each));
  const [one, both] = [tables(simulated), tables(simulated + permuted)];
  const omitted: CriterionName[] = [
    ...(one < FEWEST_TABLES ? (['parallel'] as const) : []),
    ...(both < FEWEST_TABLES ? (['permutation'] as const) : []),
    ...(validated > OPERATIONS ? (['cross-validation'] as const) : []),
  ];
  const count = both < FEWEST_TABLES ? one : both;
  return { tables: count === TABLES || count < FEWEST_TABLES ? undefined : count, omitted };
}

function asked({ tables, omitted }: Brief): { criteria?: CriterionName[]; permutations?: number } {
  const all = Object.keys(CRITERION_TITLES) as CriterionName[];
  return {
    ...(omitted.length === 0 ? {} : { criteria: all.filter((name) => !omitted.includes(name)) }),
    ...(tables === undefined ? {} : { permutations: tables }),
  };
}

/** A result, or the library's reason why these data have none. What goes wrong while they are read is an error of the command. */
async function orWhy<Result>(work: () => Promise<Result>): Promise<Result | string> {
  try {
    return await work();
  } catch (error) {
    const unsuitable = error instanceof OptionError || (error instanceof DataError && error.code !== 'SOURCE_CHANGED');
    if (unsuitable) return error.message;
    throw error;
  }
}

function pick<Name extends keyof AnalyzeOptions>(
  options: AnalyzeOptions,
  names: readonly Name[],
): Pick<AnalyzeOptions, Name> {
  const given = names.filter((name) => options[name] !== undefined).map((name) => [name, options[name]]);
  return Object.fromEntries(given) as Pick<AnalyzeOptions, Name>;
}
