import type { Model, Warning } from '@scree/core';
import type { RobustFit } from '@scree/core/pipeline';
import type { AnalysisRecord } from './analysis.js';
import { shareKept } from './choose/components-for.js';
import { rowOrderOf, STABLE_ANGLE, stableAxes } from './describe/describe-stability.js';
import { hasVariance } from './reasons.js';
import type { RowFacts } from './rows/row-facts.js';

/** Codes of findings that are not warnings. */
type OwnCode =
  /** How many components to keep. */
  | 'COMPONENTS_TO_KEEP'
  /** Which components another sample would have too. */
  | 'STABILITY'
  /** The meaning of a component. */
  | 'COMPONENT'
  /** What is missing, and whether rows with gaps differ. */
  | 'MISSING_VALUES'
  /** Rows beyond the limits of T² and Q. */
  /** Few rows make a component. */
  | 'FEW_ROWS_DRIVE'
  /** A single row that lies apart turns a kept component far. */
  | 'INFLUENTIAL_ROW'
  /** Rows beyond the limits of T² and Q, or apart from the others by robust distances. */
  | 'UNUSUAL_ROWS'
  /** No row is beyond the limits. */
  | 'NO_UNUSUAL_ROWS'
  /** A supplementary column or groups are related to a component that is not kept, more than to a kept one. */
  | 'COVARIATE'
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
  MISSING_LEVEL: 53,
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
/** What is missing is said first. */
const MISSING = 99;
/** Few rows that make a component come before what the component means; one row that turns it comes after the choice. */
const FEW_ROWS_DRIVE = 94;
const INFLUENTIAL_ROW = 66;
const KEEP = 76;
const STABILITY = 70;
/** Importance of the first component, and by how much it falls with each of the next. */
const COMPONENT = { first: 68, step: 3 };
/** Importance of unusual rows: rises by `more` if they are 5 % of all rows. */
const UNUSUAL = { least: 46, more: 20 };
/** Many rows that T² and Q do not show: before the stability, which they may have made. */
const MANY_UNUSUAL = 72;
const NOTHING_UNUSUAL = 20;
/** A relation that the user asked for, and that the recommended number of components would hide. */
const COVARIATE = 75;
/** The scaling is said beside the description of the table. */
const SCALING = 10;

/** The findings of an analysis, the most important first. Equally important findings keep the order of the questions. */
export function findingsOf(analysis: Omit<AnalysisRecord, 'findings'>): Finding[] {
  const found = [
    ...analysis.model.warnings.map((warning) => warningFinding(warning, analysis)),
    ...missingFinding(analysis),
    ...keepFinding(analysis),
    ...fewRowsFinding(analysis),
    ...stabilityFinding(analysis),
    ...componentFindings(analysis),
    ...unusualFinding(analysis),
    ...covariateFindings(analysis),
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

/** Standardised difference from which rows with gaps are said to differ: half a standard deviation, Cohen's medium effect. */
const MUCH = 0.5;

function missingFinding({ missing }: Pick<AnalysisRecord, 'missing'>): Finding[] {
  if (!missing) return [];
  const { rows, rowsWithGaps, share, values, patterns, columns, differences, draws } = missing;
  const details = {
    ...{ rows, rowsWithGaps, share, values, patterns, draws },
    columns: columns.filter((column) => column.missing > 0),
    differences: differences.filter(({ standardised }) => Math.abs(standardised) >= MUCH),
  };
  return [{ code: 'MISSING_VALUES', details, importance: MISSING }];
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

/** Few rows that make a component, or one row that turns a kept component by more than an unstable one. */
function fewRowsFinding({ secondLook, kept }: Pick<AnalysisRecord, 'secondLook' | 'kept'>): Finding[] {
  if (!secondLook) return [];
  const { drives, leftOut, leftOutCount, apart, leftOutShares, turns, kWithout, rows, ofRows, influence } = secondLook;
  if (drives.length > 0) {
    const [component] = drives;
    const details = {
      component,
      components: drives,
      count: leftOutCount,
      of: rows,
      ...(rows < ofRows ? { sampledFrom: ofRows } : {}),
      rows: leftOut.map(({ number, name }) => ({ row: number, name })),
      share: leftOutShares[component - 1],
      turn: turns[component - 1],
      kept,
      kWithout,
    };
    return [{ code: 'FEW_ROWS_DRIVE', details, importance: FEW_ROWS_DRIVE }];
  }
  const outside = new Set(apart.map(({ row }) => row));
  const [strongest] = influence.filter(
    ({ row, angle, component, exact }) => exact && component <= kept && angle > STABLE_ANGLE && outside.has(row),
  );
  if (!strongest) return [];
  const { number, name, component, angle } = strongest;
  return [{ code: 'INFLUENTIAL_ROW', details: { row: number, name, component, angle }, importance: INFLUENTIAL_ROW }];
}

function stabilityFinding({
  model,
  kept,
  secondLook,
}: Pick<AnalysisRecord, 'model' | 'kept' | 'secondLook'>): Finding[] {
  const { stability, d } = model;
  if (!stability || d === 1 || kept === 0 || !hasVariance(model)) return [];
  const order = rowOrderOf(model);
  const angles = stability.angles.slice(0, kept).map(({ q95 }) => q95);
  const isStable = stableAxes(stability, order);
  const numbers = angles.map((_, i) => i + 1);
  const degrees = (angle: number): number => (180 / Math.PI) * angle;
  // Replicates repeat the same few rows, so that they say nothing of other rows.
  const driven = (secondLook?.drives ?? []).filter((component) => component <= kept);
  const details = {
    stable: numbers.filter((component, i) => isStable(i) && !driven.includes(component)),
    ...(driven.length > 0 ? { driven } : {}),
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

/** The strongest relation of each covariate, if it is with a component that is not kept. */
function covariateFindings({
  covariates,
  kept,
  model,
}: Pick<AnalysisRecord, 'covariates' | 'kept' | 'model'>): Finding[] {
  const names = [...new Set(covariates.map(({ name }) => name))];
  const strongest = names.flatMap((name) => {
    const related = covariates.filter((each) => each.name === name && each.related);
    return related.length === 0 ? [] : [related.reduce((a, b) => (Math.abs(b.effect) > Math.abs(a.effect) ? b : a))];
  });
  const isStable = model.stability ? stableAxes(model.stability, rowOrderOf(model)) : () => false;
  return strongest
    .filter(({ component }) => component > kept && model.uniqueness.axes[component - 1].determined)
    .map(({ name, kind, component, effect, adjusted }) => {
      const angle = model.stability?.angles[component - 1]?.q95;
      const stable = angle !== undefined && isStable(component - 1);
      const degrees = angle === undefined ? {} : { degrees: (180 / Math.PI) * angle, stable };
      return {
        code: 'COVARIATE' as const,
        details: { name, kind, component, effect, pValue: adjusted, kept, ...degrees },
        importance: COVARIATE,
      };
    });
}

function scalingFinding({ scaling }: Pick<AnalysisRecord, 'scaling'>): Finding[] {
  return scaling ? [{ code: 'SCALING', details: { ...scaling }, importance: SCALING }] : [];
}

/** Rows beyond the limits of T² and Q; or those apart by robust distances, if they are more: rows that lie apart widen the limits. */
function unusualFinding(analysis: Pick<AnalysisRecord, 'compared' | 'table' | 'secondLook' | 'model'>): Finding[] {
  const { compared, table, secondLook, model } = analysis;
  if (!compared) return [];
  if (model.robust) return robustFinding(model.robust, compared.facts);
  const { counts, unusual, unusualLimits, complete } = compared.found;
  if (unusualLimits.t2 === null && unusualLimits.q === null) return [];
  const count = counts.either ?? Math.max(counts.t2, counts.q);
  const details = {
    components: compared.model.k,
    count,
    rows: unusual.map(({ number, name }) => ({ row: number, name })),
    complete,
  };
  if (secondLook && secondLook.drives.length > 0) {
    const said = new Set(secondLook.leftOut.map(({ row }) => row));
    if (complete && unusual.every(({ row }) => said.has(row))) return [];
  } else if (secondLook) {
    const { apart, apartCount, flagged, flaggedCount, manyFlagged, rows, ofRows } = secondLook;
    // Rows that T² and Q show are named. Without them, many flagged rows must not pass for none.
    const many = manyFlagged && flaggedCount > 0 && count === 0;
    const shown = many ? flagged : apart;
    const total = many ? flaggedCount : apartCount;
    if (total > count) {
      const more = {
        classical: count,
        count: total,
        of: rows,
        ...(rows < ofRows ? { sampledFrom: ofRows } : {}),
        rows: shown.map(({ number, name }) => ({ row: number, name })),
        complete: shown.length === total,
        byChance: secondLook.flaggedByChance,
        robust: many ? 'many' : 'apart',
      };
      const share = Math.min(1, total / Math.max(1, 0.05 * rows));
      return [
        {
          code: 'UNUSUAL_ROWS',
          details: { ...details, ...more },
          importance: many ? MANY_UNUSUAL : UNUSUAL.least + UNUSUAL.more * share,
        },
      ];
    }
  }
  if (count === 0) return [{ code: 'NO_UNUSUAL_ROWS', details, importance: NOTHING_UNUSUAL }];
  const share = Math.min(1, count / Math.max(1, 0.05 * table.rows));
  return [{ code: 'UNUSUAL_ROWS', details, importance: UNUSUAL.least + UNUSUAL.more * share }];
}

/** The rows beyond the limits of a robust fit. */
function robustFinding(
  { flagged, flaggedCount, scoreLimit, orthogonalLimit }: RobustFit,
  { rows, nameOf }: RowFacts,
): Finding[] {
  const details = {
    robust: 'fit',
    count: flaggedCount,
    of: rows,
    rows: flagged.map((place) => ({ row: place + 1, name: nameOf?.(place) ?? null })),
    complete: flagged.length === flaggedCount,
    scoreLimit,
    orthogonalLimit,
  };
  if (flaggedCount === 0) return [{ code: 'UNUSUAL_ROWS', details, importance: NOTHING_UNUSUAL }];
  const share = Math.min(1, flaggedCount / Math.max(1, 0.05 * rows));
  return [{ code: 'UNUSUAL_ROWS', details, importance: UNUSUAL.least + UNUSUAL.more * share }];
}
