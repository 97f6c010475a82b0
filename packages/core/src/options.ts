import { CONTROL_OPTIONS, type ControlOptions, checkObject, checkOption, type OptionCheck } from './base/control.js';
import { unknownOption } from './base/suggest-option.js';
import type { Matrix } from './data/blocks/matrix.js';
import { type Encoding, TRANSFORMS, type Transform } from './data/encoding/encoding.js';
import { type FillOptions, MISSING_OPTION, type MissingChoice } from './data/inputs/missing-option.js';
import { isMatrix } from './data/inputs/to-block.js';
import { checkColumnWeights, checkScale, type Scale, type ScalingRule } from './data/statistics/scaling.js';
import type { EngineChoice } from './engines/choose.js';
import type { Engine } from './engines/engine.js';
import { describeValue, OptionError } from './errors.js';
import type { Whiten } from './model/record.js';
import type { LearnOptions } from './solvers/learned/learn-options.js';
import { SOLVER_NAMES, type SolverName } from './solvers/names.js';
import { SOLVERS } from './solvers/registry.js';
import { isSketchOptions, SKETCH_RULES, type SketchOptions } from './solvers/sketch/sketch-options.js';

/** Options of `pca`. `Name` is the type of the column names. */
export interface PcaOptions<Name extends string = string> extends ControlOptions {
  /**
   * How many components: a whole number, a fraction of the variance (0 < f < 1) they must explain together, or `'all'`. Default:
   * 10, or fewer if the data have fewer. `{ atMost: 5 }` is 5, or fewer if the data have fewer: for tables of unknown width, because
   * `k: 5` for three columns is an error. `analyze` of `@scree/analysis` chooses k by criteria.
   */
  readonly k?: ComponentCount | undefined;
  /** Subtract the column means. Default true. */
  readonly center?: boolean | undefined;
  /** How columns are scaled. Default `'none'`. */
  readonly scale?: Scale | undefined;
  /**
   * A function that is applied to columns before they are centred and scaled: one function for all columns, or one per column
   * name. The columns of `clr` or `ilr` are the parts of a composition. Default: none. The model applies the function to new
   * rows, and inverts it.
   */
  readonly columnTransform?: Transform | Readonly<Record<string, Transform>> | undefined;
  /** Scores of variance 1: along the components (`'pca'`) or turned back to the columns (`'zca'`). Default false. */
  readonly whiten?: Whiten | undefined;
  /** Covariance is S/(n − ddof). Default 1. */
  readonly ddof?: number | undefined;
  /** One weight per row, at least 0: a row of weight 2 counts twice. */
  readonly weights?: ArrayLike<number> | undefined;
  /** One positive weight per column: a column of weight 2 counts like two copies of the column in distances and variances. */
  readonly columnWeights?: ArrayLike<number> | undefined;
  /** How to compute the components. Default `'auto'`: the plan chooses by cost. `model.plan.reason` says why. */
  readonly solver?: SolverName | 'auto' | undefined;
  /** Options of the solvers `points`, `autoencoder` and `hebbian`. */
  readonly learn?: LearnOptions | undefined;
  /** The sketch that `streaming` keeps. */
  readonly sketch?: SketchOptions | undefined;
  /** The engine that runs the passes. Default `'auto'`: the fastest available engine. The package `scree` adds `'blas'`. */
  readonly engine?: EngineChoice | undefined;
  /** Residual ‖Cv − λv‖/λ₁ that iterative solvers must reach. Default 1e-10, and 1e-6 for float32 data and for solvers that learn. */
  readonly tolerance?: number | undefined;
  /** Largest number of bytes that the matrices of a solver may take. The plan chooses a solver that fits. Default: no limit. */
  readonly memory?: number | undefined;
  /** Seed of everything random. Default 0. */
  readonly seed?: number | undefined;
  /** The column names, for data that have none. For records and tables: the columns to use. */
  readonly columnNames?: readonly Name[] | undefined;
  /**
   * Which columns of records and tables to use. `'all'` (default): a column of text is an error. `'numeric'`: columns without
   * numbers are left out, with a warning.
   */
  readonly columns?: 'all' | 'numeric' | undefined;
  /**
   * Missing values: null, undefined, '', NaN, and a key that a record does not have. `'error'` (default) names the first. `'drop'` leaves
   * their rows out, and `'mean'` fills in the mean of the column, which shrinks correlations. `'iterative'`, `'em'` and `'nipals'` predict
   * them from the values that are there; `{ method: 'iterative', k: 3 }` with that many components. All of them warn (`ROWS_DROPPED`,
   * `VALUES_FILLED`).
   */
  readonly missing?: MissingChoice | FillOptions | undefined;
  /**
   * Signs of the components. By default the largest entry of each is positive. An earlier model: component i points as component i of
   * that model does, so that rolling windows do not flip. A direction, one number per column: scores rise along it.
   */
  readonly signs?: { readonly components: Matrix } | ArrayLike<number> | undefined;
  /** `'right-handed'`: the three components of three columns x, y, z form a right-handed system, for boxes and frames in space. */
  readonly axes?: 'right-handed' | undefined;
}

/** A number of components, a fraction of the variance, all, or as many as there are up to a limit. */
export type ComponentCount = number | 'all' | { readonly atMost: number };

/** The number of components to plan for; undefined is the default. */
export function plannedCount(k: ComponentCount | undefined): number | 'all' | undefined {
  return typeof k === 'object' ? k.atMost : k;
}

/** Options with every default filled in. */
export type Settings = {
  readonly [Name in Exclude<keyof PcaOptions, Undefaulted>]-?: Exclude<PcaOptions[Name], undefined>;
} & Pick<PcaOptions, Undefaulted> & {
    /** How the columns were encoded, if they were. */
    readonly coding?: Encoding;
    /** The rule that the numbers in `scale` were computed by, if the user did not give them. */
    readonly scaling?: ScalingRule;
  };

type Undefaulted =
  | 'weights'
  | 'columnWeights'
  | 'columnTransform'
  | 'onProgress'
  | 'signal'
  | 'columnNames'
  | 'tolerance'
  | 'threads'
  | 'blocking'
  | 'k'
  | 'learn'
  | 'sketch'
  | 'memory'
  | 'signs'
  | 'axes';

/** The values that `k` accepts. */
export const COMPONENT_COUNT: OptionCheck = {
  must: "a whole number from 1 up, a fraction between 0 and 1, { atMost: a whole number }, or 'all'",
  test: (v) =>
    v === 'all' ||
    isCount(v) ||
    (typeof v === 'number' && v > 0 && v < 1) ||
    isCount((v as { atMost?: unknown })?.atMost),
};

/** The values that each option accepts. */
const OPTIONS: Record<keyof PcaOptions, OptionCheck> = {
  k: {
    must: `${COMPONENT_COUNT.must} (analyze of @scree/analysis can choose it)`,
    test: COMPONENT_COUNT.test,
  },
  center: { must: 'true or false', test: (v) => typeof v === 'boolean' },
  scale: {
    must: "'none', 'unit', 'pareto', 'range', 'median' or an array with one number per column",
    test: (v) =>
      ['none', 'unit', 'pareto', 'range', 'median'].includes(v as string) || Array.isArray(v) || ArrayBuffer.isView(v),
  },
  columnTransform: {
    must: `${TRANSFORMS.map((name) => `'${name}'`).join(', ')}, or an object with one of these per column`,
    test: (v) => (typeof v === 'object' && v !== null ? Object.values(v) : [v]).every(isTransform),
  },
  whiten: { must: "false, 'pca' or 'zca'", test: (v) => v === false || v === 'pca' || v === 'zca' },
  ddof: { must: 'a number from 0 up', test: (v) => typeof v === 'number' && v >= 0 && Number.isFinite(v) },
  weights: { must: 'an array with one number per row', test: (v) => Array.isArray(v) || ArrayBuffer.isView(v) },
  columnWeights: {
    must: 'an array with one positive number per column',
    test: (v) => Array.isArray(v) || ArrayBuffer.isView(v),
  },
  solver: {
    must: `'auto' or one of ${SOLVER_NAMES.map((name) => `'${name}'`).join(', ')}`,
    test: (v) => v === 'auto' || SOLVER_NAMES.includes(v as SolverName),
  },
  learn: { must: 'an object', test: (v) => typeof v === 'object' && v !== null },
  sketch: {
    must: `{ rule: ${SKETCH_RULES.map((rule) => `'${rule}'`).join(' or ')}, size: a whole number from 2 up }`,
    test: isSketchOptions,
  },
  engine: {
    must: "'auto', 'wasm', 'reference', 'blas', another engine's name or an engine",
    test: (v) => typeof v === 'string' || isEngine(v),
  },
  tolerance: {
    must: 'a number from 1e-14 to 0.1 (less is beyond float64, more is not a useful result)',
    test: (v) => typeof v === 'number' && v >= 1e-14 && v <= 0.1,
  },
  memory: {
    must: 'a number of bytes from 1048576 up',
    test: (v) => typeof v === 'number' && v >= 2 ** 20,
  },
  seed: { must: 'a whole number', test: (v) => Number.isSafeInteger(v) },
  columnNames: {
    must: 'an array of strings, one per column',
    test: (v) => Array.isArray(v) && v.every((name) => typeof name === 'string'),
  },
  columns: { must: "'all' or 'numeric'", test: (v) => v === 'all' || v === 'numeric' },
  missing: MISSING_OPTION,
  signs: {
    must: 'a model, or an array with one number per column',
    test: (v) => Array.isArray(v) || ArrayBuffer.isView(v) || isMatrix((v as { components?: unknown })?.components),
  },
  axes: { must: "'right-handed'", test: (v) => v === 'right-handed' },
  ...CONTROL_OPTIONS,
};

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}

function isTransform(value: unknown): value is Transform {
  return (TRANSFORMS as readonly unknown[]).includes(value);
}

function isEngine(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { name, rates, load, roundoff, symmetricEigen } = value as Partial<Engine>;
  return (
    typeof name === 'string' &&
    typeof rates === 'object' &&
    [load, roundoff, symmetricEigen].every((f) => typeof f === 'function')
  );
}

/** The default of every option. All options are listed, so that settings always have the same fields. */
const DEFAULTS: Readonly<Record<keyof PcaOptions, unknown>> = {
  k: undefined,
  center: true,
  scale: 'none',
  columnTransform: undefined,
  whiten: false,
  ddof: 1,
  weights: undefined,
  columnWeights: undefined,
  solver: 'auto',
  learn: undefined,
  sketch: undefined,
  engine: 'auto',
  tolerance: undefined,
  memory: undefined,
  seed: 0,
  columnNames: undefined,
  columns: 'all',
  missing: 'error',
  signs: undefined,
  axes: undefined,
  onProgress: undefined,
  signal: undefined,
  threads: undefined,
  blocking: undefined,
};

/**
 * Checks the options and fills in the defaults, before any data are read. `own` names further options of the caller, for error
 * messages.
 */
export function checkOptions(options: PcaOptions, own: readonly string[] = []): Settings {
  checkObject(options);
  const filled: Record<string, unknown> = { ...DEFAULTS };
  for (const option of Object.keys(options)) {
    const value = options[option as keyof PcaOptions];
    if (!Object.hasOwn(OPTIONS, option)) throw unknownOption(option, [...own, ...Object.keys(OPTIONS)]);
    if (value === undefined) continue;
    checkOption(option, value, OPTIONS[option as keyof PcaOptions]);
    filled[option] = value;
  }
  const settings = filled as unknown as Settings;
  checkDifferent(settings.columnNames);
  checkSketch(settings);
  return settings;
}

function checkDifferent(names: readonly string[] | undefined): void {
  if (!names) return;
  const seen = new Set<string>();
  const twice = names.find((name) => seen.size === seen.add(name).size);
  if (twice === undefined) return;
  throw new OptionError(
    'BAD_OPTION',
    `columnNames has ${describeValue(twice)} twice. Give every column a name of its own.`,
    {
      option: 'columnNames',
      value: twice,
    },
  );
}

/** Throws if the option `sketch` is given for a solver that keeps no sketch. */
function checkSketch({ solver, sketch }: Settings): void {
  if (sketch === undefined || (solver !== 'auto' && SOLVERS[solver].family === 'sketch')) return;
  const names = SOLVER_NAMES.filter((name) => SOLVERS[name].family === 'sketch').map((name) => `'${name}'`);
  throw new OptionError(
    'BAD_OPTION',
    `sketch is for solver: ${names.join(' or ')}, and the solver is '${solver}'. Choose it, or leave sketch out.`,
    { option: 'sketch' },
  );
}

/** Checks options against the width of the data. */
export function checkColumnOptions(settings: Settings, cols: number): void {
  // `pca` applies transforms before it calls this function.
  if (settings.columnTransform !== undefined && settings.columnTransform !== 'none') {
    throw new OptionError(
      'BAD_OPTION',
      'columnTransform is an option of pca. Leave it out here, or transform the rows first.',
      {
        option: 'columnTransform',
      },
    );
  }
  checkScale(settings.scale, cols);
  if (settings.columnWeights) checkColumnWeights(settings.columnWeights, cols);
  const names = settings.columnNames;
  if (names && names.length !== cols) {
    throw new OptionError('BAD_OPTION', `columnNames has ${names.length} names, but there are ${cols} columns.`, {
      option: 'columnNames',
      value: names.length,
      expected: cols,
    });
  }
}

/** The option k as a number of components, or as a fraction of the variance. Throws if the data cannot have k components. */
export function checkCount(
  k: Settings['k'],
  rows: number,
  cols: number,
  rankLimit: number,
): { count: number } | { fraction: number } {
  if (k === 'all') return { count: Math.max(1, rankLimit) };
  if (k === undefined || typeof k === 'object') return { count: Math.max(1, Math.min(k?.atMost ?? 10, rankLimit)) };
  if (k < 1) return { fraction: k };
  const most = Math.min(rows, cols);
  if (k > most) {
    throw new OptionError(
      'K_OUT_OF_RANGE',
      `k is ${k}, but ${rows} rows of ${cols} columns have at most ${most} components. Use k ≤ ${most}, or k: 'all'.`,
      { option: 'k', value: k, expected: most },
    );
  }
  return { count: k };
}
