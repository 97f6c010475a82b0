import type { Model, RowMatrix } from '@scree/core';
import { listsOf, withText } from '@scree/core/data';
import type { RobustFit } from '@scree/core/pipeline';
import { describeMeaning } from './describe/describe-component.js';
import { describeReasons } from './describe/describe-reason.js';
import type { Finding } from './findings.js';
import type { Between } from './fit-table.js';
import type { ScaleChoice } from './inspect/choose-scale.js';
import type { AdjustedInertias, Category, MfaGroupPart } from './meaning/categories.js';
import type { ColumnContribution } from './meaning/column-contributions.js';
import type { ComponentMeaning } from './meaning/component-meaning.js';
import type { CovariateRelation } from './meaning/covariate-relations.js';
import type { Supplementary } from './meaning/supplementary.js';
import type { Rotation } from './methods/rotation.js';
import type { MissingValuesRecord } from './missing/complete-table.js';
import type { NotComputed } from './reasons.js';
import type { SecondLook } from './robust/second-look.js';
import type { ComparedModel } from './rows/compared-model.js';
import type { Listed } from './rows/read-rows.js';
import type { RowContributions, SupplementaryRows } from './rows/row-contributions.js';
import type { RowFacts } from './rows/row-facts.js';
import type { RowsOf } from './rows/row-limits.js';
import type { UnusualRows } from './rows/unusual-rows.js';

/** The table as it was analysed: its rows and columns, and what was left out. */
export interface AnalysedTable {
  /** Rows that were analysed. */
  readonly rows: number;
  /** Names of the columns that were analysed. */
  readonly columns: readonly string[];
  /** Columns that were not analysed, and why. */
  readonly leftOut: readonly { readonly name: string; readonly why: string }[];
  /** Rows that were left out because values are missing. */
  readonly dropped: number;
  /** The parts of the table if their moments were merged. */
  readonly parts?: readonly object[];
}

/** Rows compared with a model of the components that are kept. */
export interface ComparedRows {
  /** The kept components. If no component stands out of noise, the model has none, and Q is the squared distance from the mean. */
  readonly model: ComparedModel;
  readonly facts: RowFacts;
  readonly found: UnusualRows;
}

/** The categories, blocks and adjusted inertias of MCA, FAMD or MFA. */
export interface EncodedMeaning {
  readonly categories: readonly Category[];
  readonly blocks: readonly MfaGroupPart[];
  readonly inertias: AdjustedInertias | undefined;
}

/** The fields of an analysis. */
export interface AnalysisRecord {
  /** The table as it was analysed. */
  readonly table: AnalysedTable;
  /** The model with the choice of k, the stability and all warnings. It applies to the user's own table. */
  readonly model: Model;
  /** The number of kept components: the requested number, or else the recommended one; 0 if no component stands out of noise. */
  readonly kept: number;
  /** `'fit'` if the model was fitted to these rows, otherwise `'new'`. An analysis of new rows describes the rows, and not the fit. */
  readonly kind: RowsOf;
  /** What was missing and how it was predicted; undefined if no method predicted values. */
  readonly missing?: MissingValuesRecord | undefined;
  /** Seconds that the fit took; undefined if the model was given. */
  readonly seconds: number | undefined;
  /** How columns and components are related. Empty for models of version 0.1.0, which do not store the variances of the columns. */
  readonly columns: readonly ColumnContribution[];
  /** The same with the correlations to test: those over all rows, even if the model was fitted to means of groups. */
  readonly related: readonly ColumnContribution[];
  /** The meaning of each component; undefined if nothing can be tested. */
  readonly meaning: readonly (ComponentMeaning | undefined)[];
  readonly coded: EncodedMeaning | undefined;
  /** Facts about all rows: distances, the most extreme rows, an even sample. Undefined if the rows were not read. */
  readonly rowFacts: RowFacts | undefined;
  /** The rows compared with the kept components. */
  readonly compared: ComparedRows | undefined;
  /** Whether few rows made the answer. */
  readonly secondLook: SecondLook | undefined;
  /** The contributions of each row, for up to 10,000 rows. */
  readonly rowContributions: Listed<RowContributions> | undefined;
  /** Columns and groups that were not fitted. */
  readonly supplementary: Supplementary;
  /** Supplementary columns and groups against every fitted component, also those that are not kept. */
  readonly covariates: readonly CovariateRelation[];
  readonly supplementaryRows: Listed<SupplementaryRows> | undefined;
  readonly rotation: Rotation | undefined;
  /** Set if the model was fitted to means of groups. */
  readonly between: Between | undefined;
  /** The scaling that `scale: 'auto'` chose, and why; undefined if the user chose it, or the method prescribes it. */
  readonly scaling: ScaleChoice | undefined;
  /** Why parts were not computed. */
  readonly notComputed: NotComputed;
  /** The findings, the most important first. */
  readonly findings: readonly Finding[];
}

/** A block of rows with their scores, cos² and contributions. */
export interface AnalysedRows extends RowContributions {
  /** Row numbers in the table, from 1. */
  readonly numbers: readonly number[];
  readonly names: readonly (string | null)[] | undefined;
}

/** A block of rows whose missing values were filled in. */
export interface CompletedRows {
  /** Row numbers in the table, from 1. */
  readonly numbers: readonly number[];
  /** The fitted columns, in the user's units. */
  readonly values: RowMatrix;
  /** 1 for a value that was filled in, otherwise 0, in the order of `values.data`. */
  readonly filled: Uint8Array;
}

/**
 * Everything known about a table and its components, as an immutable record. The command, the report and the lab render it and compute
 * nothing.
 */
export interface Analysis extends Readonly<AnalysisRecord> {
  /** The model of the first k components; k is at most that of `model`. */
  first(k: number): Model;
  /** Reads all rows once more and yields them with their contributions, block by block; or the supplementary rows. */
  rows(which?: 'fit' | 'supplementary'): AsyncIterable<AnalysedRows>;
  /**
   * Reads all rows once more and yields the fitted columns in the user's units, with their missing values filled in, and which values were.
   * Rows without missing values are yielded as they are.
   */
  completed(): AsyncIterable<CompletedRows>;
  /** The record as plain data, with numbers in lists. */
  toJSON(): object;
}

/** Components whose meaning `analysisText` prints. */
const MOST_PRINTED = 4;

/** The model and the meaning of the kept components, as `String(analysis)` and `console.log(analysis)` print them. */
function analysisText({ model, kept, meaning, findings }: AnalysisRecord): string {
  const described = meaning.slice(0, Math.min(kept, MOST_PRINTED)).map((each) => each && describeMeaning(each));
  return [
    `Analysis: ${model}`,
    `  keep ${kept} of ${model.k}; findings: ${findings.map(({ code }) => code).join(', ') || 'none'}`,
    ...described.flatMap((sentence) => (sentence ? [`  ${sentence}`] : [])),
  ].join('\n');
}

/** Makes the record immutable. */
export function analysisOf(record: AnalysisRecord, methods: Pick<Analysis, 'first' | 'rows' | 'completed'>): Analysis {
  const analysis = { ...record };
  const hidden = { ...methods, toJSON: () => analysisJson(record) };
  for (const [name, value] of Object.entries(hidden)) Object.defineProperty(analysis, name, { value });
  return Object.freeze(withText(analysis, () => analysisText(record))) as Analysis;
}

/** The analysis as plain data. A part that was not computed is null, and `notComputed` has the reason as a sentence of `describeReason`. */
export function analysisJson(
  analysis: AnalysisRecord,
  { describeReason, threads }: { describeReason?: Parameters<typeof describeReasons>[1]; threads?: number } = {},
): object {
  const { model, table, kept, compared, between, supplementary, supplementaryRows: apart, rotation, coded } = analysis;
  const { columns, rowContributions, notComputed, findings, meaning, seconds, missing, secondLook } = analysis;
  const { columns: beside, groups } = supplementary;
  return {
    table,
    ...modelJson(model),
    ...(threads === undefined ? {} : { threads }),
    seconds,
    ...(missing ? { missing } : {}),
    kept,
    scalingChoice: analysis.scaling ?? null,
    notComputed: describeReasons(notComputed, describeReason),
    findings,
    ...(between ? { between: betweenJson(between) } : {}),
    secondLook: secondLook ? secondLookJson(secondLook) : null,
    unusual: compared ? unusualJson(compared) : null,
    columns: columns.map(({ name, correlation, cos2, contribution, communality }, j) => ({
      name: name ?? String(j),
      correlation,
      cos2,
      contribution,
      communality,
    })),
    rows: rowContributions
      ? rowsJson(model.k, rowContributions, ({ cos2, contributions }) => ({ cos2, contribution: contributions }))
      : null,
    supplementary: {
      columns: beside.map(({ name, correlation, cos2 }) => ({ name, correlation, cos2 })),
      rows: apart
        ? rowsJson(model.k, apart, ({ scores, cos2 }) => ({ scores, cos2 }))
        : notComputed.supplementaryRows
          ? null
          : [],
    },
    groups: groups.flatMap(({ name, levels }) =>
      levels.map(({ level, n, center, vTest }) => ({ column: name, level, n, center, vTest })),
    ),
    covariates: analysis.covariates,
    eta2: groups.map(({ name, eta2 }) => ({ column: name, values: eta2 })),
    rotation: rotation ? rotationJson(rotation) : null,
    meaning: meaning.map((each) => each ?? null),
    descriptions: meaning.map((each) => (each && describeMeaning(each)) ?? null),
    ...(coded
      ? {
          categories: coded.categories,
          ...(coded.blocks.length > 0 ? { blocks: coded.blocks } : {}),
          ...(coded.inertias ? { adjustedInertias: coded.inertias } : {}),
        }
      : {}),
  };
}

/** A model as plain data. */
export function modelJson(model: Model): object {
  const { rows: k, cols: d, data } = model.components;
  return {
    n: model.n,
    d,
    k,
    variances: Array.from(model.variances),
    varianceRatios: Array.from(model.varianceRatios),
    totalVariance: model.totalVariance,
    singularValues: Array.from(model.singularValues),
    spectrum: model.spectrum ? Array.from(model.spectrum) : null,
    mean: Array.from(model.mean),
    scale: Array.from(model.scale),
    components: Array.from({ length: k }, (_, r) => Array.from(data.subarray(r * d, (r + 1) * d))),
    ...(model.columnNames ? { columnNames: model.columnNames } : {}),
    scaling: model.scaling ?? null,
    coding: model.coding ?? null,
    centered: model.centered,
    whiten: model.whiten,
    ddof: model.ddof,
    solver: model.plan.solver,
    engine: model.plan.engine,
    reason: model.plan.reason,
    choice: model.choice ?? null,
    stability: model.stability ?? null,
    ...(model.robust ? { robust: robustJson(model.robust) } : {}),
    warnings: model.warnings,
    certificate: model.certificate,
    uniqueness: model.uniqueness,
  };
}

/** The mean of every group, in the units of the columns or of the encoded columns. */
export function betweenJson({ column, groups, means, share }: Between): object {
  return { column, share, groups: groups.map((group, g) => ({ ...group, mean: Array.from(means.row(g)) })) };
}

/** A robust fit as plain data, with rows counted from 1. */
function robustJson({ flagged, onPlane, scoreDistances: _, orthogonalDistances: __, ...robust }: RobustFit): object {
  return { ...robust, flagged: flagged.map((row) => row + 1), ...(onPlane === undefined ? {} : { onPlane }) };
}

/** The second look as plain data: rows are counted from 1, and angles are in radians. */
function secondLookJson({ flagged, apart, leftOut, influence, map: _, ...look }: SecondLook): object {
  return {
    ...look,
    flagged: flagged.map(({ number }) => number),
    apart: apart.map(({ number }) => number),
    leftOut: leftOut.map(({ number }) => number),
    influence: influence.map(({ number, name, component, angle, exact }) => ({
      row: number,
      name,
      component,
      angle,
      exact,
    })),
  };
}

function unusualJson({ model, found }: ComparedRows): object {
  const { limits, unusualLimits, counts, beyond, unusual } = found;
  const nameOf = (column: number): string => model.columnNames?.[column] ?? String(column);
  return {
    components: model.k,
    limits,
    unusualLimits,
    beyond,
    counts: { t2: counts.t2, q: counts.q, either: counts.either ?? null },
    rows: unusual.map(({ number, name, t2, error, columns }) => ({
      row: number,
      name,
      t2,
      q: error,
      columns: columns.map(({ column, share }) => ({ name: nameOf(column), share })),
    })),
  };
}

/** Loadings as one list per component, as `components` are. */
function rotationJson({ method, k, loadings, phi, sumsOfSquares, varianceRatios, warnings }: Rotation): object {
  return listsOf({
    method,
    k,
    loadings: loadings.toRows(),
    phi: phi.toRows(),
    sumsOfSquares,
    varianceRatios,
    warnings,
  });
}

function rowsJson<Found>(
  k: number,
  { found, numbers, names }: Listed<Found>,
  matrices: (found: Found) => Readonly<Record<string, { readonly data: Float64Array }>>,
): object[] {
  const named = Object.entries(matrices(found));
  return numbers.map((row, i) => ({
    row,
    name: names[i],
    ...Object.fromEntries(named.map(([name, { data }]) => [name, Array.from(data.subarray(i * k, (i + 1) * k))])),
  }));
}
