import { cellNumber } from './cells.js';

/** The mark before a number's fraction. The other of the two may separate its thousands. */
export type DecimalMark = '.' | ',';

/**
 * The evidence of a cell about decimal marks: its decimal mark ("1.5"); a single mark that may also separate thousands ("1,234");
 * a number without marks ("12"), which says nothing; or not a number.
 */
export type CellKind = { readonly mark: DecimalMark } | { readonly ambiguous: DecimalMark } | 'unmarked' | 'text';

/** A decimal mark, and thousands that the other separates: 1,234,567.8 or 1.234.567,8. */
const WITH_THOUSANDS = {
  '.': /^[+-]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d*)?$/,
  ',': /^[+-]?[1-9]\d{0,2}(?:\.\d{3})+(?:,\d*)?$/,
} as const;
const AMBIGUOUS = /^[+-]?[1-9]\d{0,2}[.,]\d{3}$/;
/** An address of a machine: 192.168.100.101. */
const IP_ADDRESS = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/;

export function classifyCell(cell: string): CellKind {
  const [point, comma] = [cell.includes('.'), cell.includes(',')];
  if (!point && !comma) return cellNumber(cell) === undefined ? 'text' : 'unmarked';
  if (AMBIGUOUS.test(cell)) return { ambiguous: point ? '.' : ',' };
  if (point && IP_ADDRESS.test(cell)) return 'text';
  if (parseNumber(cell, '.') !== undefined) return { mark: '.' };
  return parseNumber(cell, ',') === undefined ? 'text' : { mark: ',' };
}

/** Parses a cell with a known decimal mark; undefined if it is not a number. */
export function parseNumber(cell: string, mark: DecimalMark): number | undefined {
  if (!cell.includes(mark === '.' ? ',' : '.')) return cellNumber(mark === '.' ? cell : cell.replace(',', '.'));
  if (!WITH_THOUSANDS[mark].test(cell)) return undefined;
  return Number(mark === '.' ? cell.replaceAll(',', '') : cell.replaceAll('.', '').replace(',', '.'));
}

/** The number of cells of each kind in a column. */
export interface CellCounts {
  texts: number;
  /** Numbers without marks. */
  unmarked: number;
  /** Numbers without marks and with more than three digits: a writer that separates thousands would have separated them. */
  longUnmarked: number;
  /** Numbers that can have only this decimal mark. */
  readonly decided: Record<DecimalMark, number>;
  /** Numbers whose single mark is this one, and may be a decimal mark or separate thousands. */
  readonly ambiguous: Record<DecimalMark, number>;
  /** Numbers with a decimal comma that show only points between thousands. Codes may look the same. */
  onlyThousands: number;
}

export function noCells(): CellCounts {
  return {
    texts: 0,
    unmarked: 0,
    longUnmarked: 0,
    decided: { '.': 0, ',': 0 },
    ambiguous: { '.': 0, ',': 0 },
    onlyThousands: 0,
  };
}

export function countCell(counts: CellCounts, cell: string): void {
  const kind = classifyCell(cell);
  if (kind === 'text') counts.texts++;
  else if (kind === 'unmarked') {
    counts.unmarked++;
    if (/\d{4}/.test(cell)) counts.longUnmarked++;
  } else if ('mark' in kind) {
    counts.decided[kind.mark]++;
    if (kind.mark === ',' && !cell.includes(',')) counts.onlyThousands++;
  } else counts.ambiguous[kind.ambiguous]++;
}

/** How the numbers of a column are written. */
export interface NumberFormat {
  /** The decimal mark; undefined if it is unknown, which matters only if a number has one. */
  readonly mark: DecimalMark | undefined;
  /** True if a point is then a decimal point, whatever follows it. */
  readonly pointIsDecimal: boolean;
}

/**
 * The decimal mark of every column. Cells of the column decide, except those like "1,234". If all cells are like that, the other columns
 * decide, if they agree. Otherwise the delimiter may decide: between commas a comma separates thousands, and between semicolons it is the
 * decimal mark. Otherwise a comma stays open, and a point is a decimal point unless it looks like a separator of thousands: beside it are
 * whole numbers of up to three digits, and commas do not separate columns.
 */
export function decideMarks(columns: readonly CellCounts[], delimiter: string): NumberFormat[] {
  const decided = columns.map(ownMark);
  // Between commas, a column of "1,3" beside one of "1.5" holds lists.
  const points = delimiter === ',' && columns.some(({ decided, ambiguous }) => decided['.'] + ambiguous['.'] > 0);
  const own = decided.map((mark) => (points && mark === ',' ? '.' : mark));
  const all = new Set(own.filter((mark, j) => mark !== undefined && isEvidence(columns[j], mark, delimiter)));
  const common = all.size === 1 ? [...all][0] : undefined;
  return columns.map((counts, j) => {
    const pointIsDecimal = delimiter === ',' || counts.longUnmarked > 0;
    return { mark: own[j] ?? common ?? markByDelimiter(delimiter, counts, own, pointIsDecimal), pointIsDecimal };
  });
}

/** True if the mark of a column is evidence for the others. */
function isEvidence(counts: CellCounts, mark: DecimalMark, delimiter: string): boolean {
  if (countNumbers(counts, mark) <= counts.texts) return false;
  return mark === '.' || (delimiter !== ',' && counts.decided[','] > counts.onlyThousands);
}

/** The mark of a column in which no number decides. */
function markByDelimiter(
  delimiter: string,
  { unmarked, ambiguous }: CellCounts,
  own: readonly (DecimalMark | undefined)[],
  pointIsDecimal: boolean,
): DecimalMark | undefined {
  if (delimiter === ',' && ambiguous[','] > 0 && !own.includes(',')) return '.';
  if (ambiguous['.'] > 0 && ambiguous[','] === 0 && (pointIsDecimal || unmarked === 0)) return '.';
  if (delimiter === ';' && ambiguous[','] > 0 && ambiguous['.'] === 0 && unmarked === 0 && !own.includes('.'))
    return ',';
  return undefined;
}

function ownMark({ decided }: CellCounts): DecimalMark | undefined {
  if (decided['.'] + decided[','] === 0) return undefined;
  return decided['.'] >= decided[','] ? '.' : ',';
}

/** The number of cells that are numbers if this is the decimal mark. */
export function countNumbers({ unmarked, decided, ambiguous }: CellCounts, decimal: DecimalMark): number {
  return unmarked + decided[decimal] + ambiguous['.'] + ambiguous[','];
}
