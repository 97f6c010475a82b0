import type { Model, Warning } from '@scree/core';
import type { AnalysisRecord } from './analysis.js';
import { shareKept } from './choose/components-for.js';
import { rowOrderOf, stableAxes } from './describe/describe-stability.js';
import { hasVariance } from './reasons.js';

/** Codes of findings that are not warnings. */
type OwnCode =
  /** How many components to keep. */
  | 'COMPONENTS_TO_KEEP'
  /** Which components another sample would have too. */
  | 'STABILITY'
  /** The meaning of a component. */
  | 'COMPONENT'
  /** Rows beyond the limits of T² and Q. */
  | 'UNUSUAL_ROWS'
  /** No row is beyond the limits. */
  | 'NO_UNUSUAL_ROWS'
  /** The scaling that `scale: 'auto'` chose. */
  | 'SCALING';

/** A finding about a table, as data. `describeFinding` makes a sentence of it. */
export interface Finding {
  /** The code of a warning, or of a finding of the analysis. */
  readonly code: OwnCode | Warning['code'];
  readonly details: Readonly<Record<string, unknown>>;
  /** From 0 to 100. Findings are ordered by it. */
  readonly importance: number;
  /** The message of the warning, if the finding is one. */
  readonly message?: string;
}

/**
 * The importance of warnings. From 80: the analysis may answer another question than the user meant. From 50: a part of the answer is
 * affected. Below: the data were changed, and users should know it.
 */
const IMPORTANCE: { readonly [Code in Warning['code']]?: number } = {
  CORRELATION_MATRIX: 98,
  CONSTANT_DATA: 97,
  SOURCE_CHANGED: 96,
  DOMINANT_COLUMN: 92,
  ID_COLUMN: 90,
  ORDERED_ROWS: 86,
  UNEQUAL_SPREAD: 84,
  CONSTANT_SUM: 83,
  CATEGORY_CODES: 82,
  NO_STRUCTURE: 80,
  FEW_DIGITS: 78,
  DUPLICATE_ROWS: 79,
  LINEAR_RELATION: 65,
  DUPLICATE_COLUMNS: 64,
  NEAR_CONSTANT_COLUMN: 63,
  FEW_ROWS: 62,
  SKEWED_COLUMNS: 60,
  FEW_LEVELS: 59,
  ZERO_INFLATED: 58,
  AXES_NOT_UNIQUE: 56,
  SUBSPACE_NOT_UNIQUE: 56,
  BELOW_ACCURACY: 55,
  INTEGERS_ROUNDED: 54,
  RANK_BELOW_K: 30,
  CONSTANT_COLUMN: 36,
  ORDERED_COLUMNS: 35,
  COLUMNS_LEFT_OUT: 34,
  VALUES_CONVERTED: 32,
  ENGINE_FALLBACK: 12,
};
const OTHER_WARNING = 40;

/** Importance of missing values: rises to `most` if half of the rows were dropped, or half of the values of a column were filled. */
const GAPS = { least: 38, most: 88 };
const KEEP = 76;
const STABILITY = 70;
/** Importance of the first component, and by how much it falls with each of the next. */
const COMPONENT = { first: 68, step: 3 };
/** Importance of unusual rows: rises by `more` if they are 5 % of all rows. */
const UNUSUAL = { least: 46, more: 20 };
const NOTHING_UNUSUAL = 20;
/** The scaling is said beside the description of the table. */
const SCALING = 10;

/** The findings of an analysis, the most important first. Equally important findings keep the order of the questions. */
export function findingsOf(analysis: Omit<AnalysisRecord, 'findings'>): Finding[] {
  const found = [
    ...analysis.model.warnings.map((warning) => warningFinding(warning, analysis)),
    ...keepFinding(analysis),
    ...stabilityFinding(analysis),
    ...componentFindings(analysis),
    ...unusualFinding(analysis),
    ...scalingFinding(analysis),
  ];
  return found.sort((a, b) => b.importance - a.importance);
}

function warningFinding({ code, message, details = {} }: Warning, { table }: Pick<AnalysisRecord, 'table'>): Finding {
  const affected = code === 'VALUES_FILLED' ? mostFilled(details) : Number(details.affectedRows ?? details.count ?? 0);
  const total = Number(details.rows ?? details.totalRows ?? table.rows + table.dropped);
  const gaps = code === 'ROWS_DROPPED' || code === 'VALUES_FILLED';
  const share = gaps && total > 0 ? Math.min(1, (2 * affected) / total) : 0;
  const importance = gaps ? GAPS.least + (GAPS.most - GAPS.least) * share : (IMPORTANCE[code] ?? OTHER_WARNING);
  return { code, details, importance, message };
}

/** Values that were filled in the column that lacked most of them. */
function mostFilled({ columns }: NonNullable<Warning['details']>): number {
  const filled = Array.isArray(columns) ? (columns as readonly { readonly count: number }[]) : [];
  return Math.max(0, ...filled.map(({ count }) => count));
}

function keepFinding({ model, kept }: Pick<AnalysisRecord, 'model' | 'kept'>): Finding[] {
  const { choice, d } = model;
  if (!hasVariance(model) || d === 1 || (!choice && kept === model.k)) return [];
  // The warning says it already.
  if (kept === 0 && model.warnings.some(({ code }) => code === 'NO_STRUCTURE')) return [];
  const details = {
    k: kept,
    recommended: choice?.k ?? null,
    agree: choice?.agree ?? [],
    share: kept > 0 && kept <= model.k ? shareOf(model, kept) : 0,
  };
  return [{ code: 'COMPONENTS_TO_KEEP', details, importance: KEEP }];
}

function shareOf(model: Model, k: number): number {
  return k === model.k ? shareKept(model) : model.varianceRatios.slice(0, k).reduce((sum, ratio) => sum + ratio, 0);
}

function stabilityFinding({ model, kept }: Pick<AnalysisRecord, 'model' | 'kept'>): Finding[] {
  const { stability, d } = model;
  if (!stability || d === 1 || kept === 0 || !hasVariance(model)) return [];
  const order = rowOrderOf(model);
  const angles = stability.angles.slice(0, kept).map(({ q95 }) => q95);
  const isStable = stableAxes(stability, order);
  const numbers = angles.map((_, i) => i + 1);
  const degrees = (angle: number): number => (180 / Math.PI) * angle;
  const details = {
    stable: numbers.filter((_, i) => isStable(i)),
    unstable: numbers.filter((_, i) => !isStable(i)),
    degrees: angles.map(degrees),
    replicates: stability.replicates,
    kind: stability.kind,
    ...(stability.block === undefined ? {} : { block: stability.block }),
    ...(order ? { halves: order.halves.slice(0, kept).map(degrees), wanders: order.randomWalks.length > 0 } : {}),
  };
  return [{ code: 'STABILITY', details, importance: STABILITY }];
}

function componentFindings({ meaning, kept, model }: Pick<AnalysisRecord, 'meaning' | 'kept' | 'model'>): Finding[] {
  const noise = model.choice?.k === 0 && kept === 0;
  return meaning.slice(0, kept).flatMap((each, c) => {
    const says = each && (each.columns.length > 0 || each.categories.length > 0 || each.groups.length > 0);
    if (!each || noise || !(says || each.supplementary.length > 0)) return [];
    return [
      {
        code: 'COMPONENT' as const,
        details: { ...each },
        importance: Math.max(10, COMPONENT.first - COMPONENT.step * c),
      },
    ];
  });
}

function scalingFinding({ scaling }: Pick<AnalysisRecord, 'scaling'>): Finding[] {
  return scaling ? [{ code: 'SCALING', details: { ...scaling }, importance: SCALING }] : [];
}

function unusualFinding({ compared, table }: Pick<AnalysisRecord, 'compared' | 'table'>): Finding[] {
  if (!compared) return [];
  const { counts, unusual, unusualLimits, complete } = compared.found;
  if (unusualLimits.t2 === null && unusualLimits.q === null) return [];
  const count = counts.either ?? Math.max(counts.t2, counts.q);
  const details = {
    components: compared.model.k,
    count,
    rows: unusual.map(({ number, name }) => ({ row: number, name })),
    complete,
  };
  if (count === 0) return [{ code: 'NO_UNUSUAL_ROWS', details, importance: NOTHING_UNUSUAL }];
  const share = Math.min(1, count / Math.max(1, 0.05 * table.rows));
  return [{ code: 'UNUSUAL_ROWS', details, importance: UNUSUAL.least + UNUSUAL.more * share }];
}
