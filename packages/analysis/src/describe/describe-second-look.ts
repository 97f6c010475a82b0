import type { RobustFit } from '@scree/core/pipeline';
import type { Analysis } from '../analysis.js';
import { count, listed, percent, plural } from './numbers.js';

/** Sentences about few rows that make an answer. */

/** A row in a finding. */
interface NamedRow {
  /** Counted from 1. */
  readonly row: number;
  readonly name: string | null;
}

/** Details of the finding FEW_ROWS_DRIVE. */
export interface FewRows {
  readonly component: number;
  readonly components: readonly number[];
  readonly count: number;
  readonly of: number;
  readonly sampledFrom?: number;
  readonly rows: readonly NamedRow[];
  readonly share: number;
  readonly turn: number;
  readonly kept: number;
  readonly kWithout: number | null;
}

/** Details of the finding UNUSUAL_ROWS if robust distances show more rows than T² and Q. */
export interface RowsApart {
  readonly classical: number;
  readonly count: number;
  readonly of: number;
  readonly sampledFrom?: number;
  readonly rows: readonly NamedRow[];
  readonly complete: boolean;
  /** `many` if more rows are flagged than by chance, `apart` for rows beyond limits that allow for the number of rows. */
  readonly robust: 'many' | 'apart' | 'fit';
  /** About as many good rows are flagged in a table of this size. */
  readonly byChance: number;
}

/** Details of the finding INFLUENTIAL_ROW. */
export interface Influence extends NamedRow {
  readonly component: number;
  readonly angle: number;
}

/** Most rows that are named, and most ranges that are listed. */
const [NAMED, RANGES] = [4, 6];
/** Influential rows that are named. */
const INFLUENTIAL = 3;

/** "14 of 75 rows (1–14) make 81 % of PC1. Without them no component stands out." */
export function describeFewRows(found: FewRows): string {
  const { component, count: rows, share, kept, kWithout, turn } = found;
  const which = rowsInBrackets(found.rows, rows);
  const them = rows === 1 ? 'it' : 'them';
  const make = `${someOf(found)}${which} ${rows === 1 ? 'makes' : 'make'} ${wholePercent(share)} of PC${component}`;
  return `${make}. Without ${them} ${without(component, turn, kept, kWithout)}.`;
}

function without(component: number, turn: number, kept: number, kWithout: number | null): string {
  const turns = `PC${component} turns by ${wholeDegrees(turn)}`;
  if (kWithout === null || kWithout >= kept || kWithout >= component) return turns;
  if (kWithout === 0) return 'no component stands out';
  return `${turns}, and ${kWithout === 1 ? 'one component stands' : `${kWithout} components stand`} out instead of ${kept}`;
}

/**
 * "13 of 38 rows (7–11 and 31–38) are beyond the robust limits, and about 2 good rows would be. T² and Q, whose limits are computed from all rows, name none."; "Row 44
 * lies apart from the others by robust distances."
 */
export function describeRowsApart(found: RowsApart): string {
  const { count: rows, classical, robust, byChance } = found;
  const hidden = `T² and Q, whose limits are computed from all rows, name ${classical === 0 ? 'none' : count(classical)}.`;
  if (robust === 'fit') return beyondLimits(found.rows, rows, found.of);
  if (robust === 'many') {
    return `${someOf(found)}${rowsInBrackets(found.rows, rows)} are beyond the robust limits, and about ${plural(byChance, 'good row')} would be. ${hidden}`;
  }
  if (rows === 1 && found.rows.length === 1)
    return `Row ${standing(found.rows[0])} lies apart from the others by robust distances. It is within the limits of T² and Q, which are computed with it.`;
  return `${someOf(found)}${rowsInBrackets(found.rows, rows)} lie apart from the others by robust distances. ${hidden}`;
}

/** "14 of 75 rows (1–14) are beyond the robust 97.5 % limits." */
export function describeRobust({ flagged, flaggedCount }: RobustFit, of: number): string {
  return beyondLimits(
    flagged.map((row) => ({ row: row + 1, name: null })),
    flaggedCount,
    of,
  );
}

function beyondLimits(rows: readonly NamedRow[], total: number, of: number): string {
  const some = `${total === 0 ? 'None' : count(total)} of ${plural(of, 'row')}`;
  return `${some}${rowsInBrackets(rows, total)} ${total <= 1 ? 'is' : 'are'} beyond the robust 97.5\u00a0% limits.`;
}

/** The sentences of the second look for the section about rows. */
export function describeSecondLook({ findings, secondLook }: Pick<Analysis, 'findings' | 'secondLook'>): string[] {
  if (!secondLook) return [];
  const { flaggedCount, rows, influence, components, angle } = secondLook;
  const said = findings.flatMap(({ code, details }) => {
    if (code === 'FEW_ROWS_DRIVE') return [describeFewRows(details as unknown as FewRows)];
    return code === 'UNUSUAL_ROWS' && details.robust !== undefined
      ? [describeRowsApart(details as unknown as RowsApart)]
      : [];
  });
  // Smaller angles would be shown as 0°.
  const felt = influence.filter((each) => each.angle >= Math.PI / 180);
  const strongest = felt.slice(0, INFLUENTIAL).map(({ number, name, component, angle }) => {
    const title = standing({ row: number, name });
    return `row ${title} turns PC${component} by ${wholeDegrees(angle)}`;
  });
  return [
    ...said,
    `A robust subspace of ${plural(components, 'component')} (ROBPCA) flags ${flaggedCount === 0 ? 'none' : count(flaggedCount)} of ${plural(rows, 'row')} at 97.5\u00a0%, and the kept components are ${wholeDegrees(angle)} from it.`,
    ...(strongest.length === 0 ? [] : [`Left out alone, ${listed(strongest)}.`]),
  ];
}

/** "Row 5 (Karpov) alone turns PC2 by 31°." */
export function describeInfluence({ row, name, component, angle }: Influence): string {
  return `Row ${standing({ row, name })} alone turns PC${component} by ${wholeDegrees(angle)}.`;
}

/** "14 of 75 rows", or "In a sample of 5,000 of 1,000,000 rows, 14 rows". */
function someOf(found: { readonly count: number; readonly of: number; readonly sampledFrom?: number }): string {
  const { count: rows, of, sampledFrom } = found;
  return sampledFrom === undefined
    ? `${count(rows)} of ${plural(of, 'row')}`
    : `In a sample of ${count(of)} of ${plural(sampledFrom, 'row')}, ${plural(rows, 'row')}`;
}

/** " (1–14)", " (3, 7 and 31–38)", or names: " (3 Karpov, 17 Macey)". Nothing if there are too many. */
function rowsInBrackets(rows: readonly NamedRow[], total: number): string {
  if (rows.length < total || rows.length === 0) return '';
  if (rows.length <= NAMED && rows.some(({ name }) => name !== null)) return ` (${listed(rows.map(titleOf))})`;
  const ranges = rowRanges(rows.map(({ row }) => row));
  const shown = ranges.slice(0, RANGES);
  const more = ranges.length - shown.length;
  return ` (${more > 0 ? `${shown.join(', ')}, …` : listed(shown)})`;
}

/** "5 (Karpov)". */
function standing({ row, name }: NamedRow): string {
  return name === null ? String(row) : `${row} (${name})`;
}

function titleOf({ row, name }: NamedRow): string {
  return name === null ? String(row) : `${row} ${name}`;
}

/** Rising numbers, with runs of three and more as ranges: 1–14, 16, 18. */
function rowRanges(numbers: readonly number[]): string[] {
  const sorted = [...numbers].sort((a, b) => a - b);
  const parts: string[] = [];
  for (let first = 0; first < sorted.length; ) {
    let last = first;
    while (sorted[last + 1] === sorted[last] + 1) last++;
    if (last - first >= 2) parts.push(`${sorted[first]}–${sorted[last]}`);
    else for (let i = first; i <= last; i++) parts.push(String(sorted[i]));
    first = last + 1;
  }
  return parts;
}

function wholePercent(share: number): string {
  const whole = Math.round(100 * share);
  return whole >= 1 && whole < 100 ? `${whole}\u00a0%` : percent(share);
}

function wholeDegrees(radians: number): string {
  return `${Math.round((radians * 180) / Math.PI)}°`;
}
