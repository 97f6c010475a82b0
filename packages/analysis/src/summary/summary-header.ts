import { damaged } from '@scree/core/data';
import { omit } from '../fields.js';

/** The word for such a file in errors. */
export const SUMMARY = 'summary';

/** Rows that were summed together, and their origin. */
export interface SummaryPart {
  /** The name of the file or table. */
  readonly name: string;
  /** 128 bits of the rows, their columns' names and weights, as 32 hexadecimal digits. */
  readonly fingerprint: string;
  /** Rows that were read. `rows` counts those with a weight above 0. */
  readonly read: number;
  readonly rows: number;
  /** Σw. */
  readonly weight: number;
  /** How the rows were read: options of the reader, for people and for comparison. */
  readonly reading?: Readonly<Record<string, unknown>>;
}

/** The facts about a summary that precede its numbers. */
export interface SummaryHeader {
  readonly kind: 'moments' | 'sketch';
  readonly cols: number;
  readonly columnNames?: readonly string[];
  readonly dtype: 'float32' | 'float64';
  readonly weighted: boolean;
  /** The number of rows with a weight above 0. */
  readonly rows: number;
  readonly weight: number;
  /** In the order of their fingerprints. */
  readonly parts: readonly SummaryPart[];
  readonly replicates: number;
  readonly seed: number;
}

/** A checksum detects damage, but not a forged header. */
export function checkHeader(stored: Readonly<Record<string, unknown>>): SummaryHeader {
  const { kind, cols, columnNames, dtype, weighted, rows, weight, parts, replicates, seed } = stored;
  const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
  const isAmount = (value: unknown): boolean => Number.isFinite(value) && (value as number) >= 0;
  const isText = (value: unknown): boolean => typeof value === 'string';
  const isPart = (part: unknown): boolean => {
    const { name, fingerprint, read, rows, weight } = (part ?? {}) as Record<string, unknown>;
    return (
      isText(name) && /^[0-9a-f]{32}$/.test(String(fingerprint)) && [read, rows].every(isCount) && isAmount(weight)
    );
  };
  const sound =
    (kind === 'moments' || kind === 'sketch') &&
    (dtype === 'float32' || dtype === 'float64') &&
    typeof weighted === 'boolean' &&
    isCount(cols) &&
    (cols as number) >= 1 &&
    [rows, replicates].every(isCount) &&
    isAmount(weight) &&
    Number.isSafeInteger(seed) &&
    Array.isArray(parts) &&
    parts.length > 0 &&
    parts.every(isPart) &&
    (columnNames === undefined ||
      (Array.isArray(columnNames) && columnNames.length === cols && columnNames.every(isText)));
  if (!sound) throw damaged(SUMMARY);
  return omit(stored, 'tally', 'warnings', 'sections') as unknown as SummaryHeader;
}

/** The order in which parts are listed and merged. */
export function sortedParts(parts: readonly SummaryPart[]): readonly SummaryPart[] {
  const key = ({ fingerprint, name }: SummaryPart): string => `${fingerprint} ${name}`;
  return [...parts].sort((a, b) => compare(key(a), key(b)));
}

export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The key by which summaries are sorted. */
export function sortKeyOf({ parts }: SummaryHeader): string {
  return parts.map(({ fingerprint, name }) => `${fingerprint} ${name}`).join('\n');
}
