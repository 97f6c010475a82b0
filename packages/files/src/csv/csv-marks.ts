import { cellNumber } from './csv-cells.js';

/** What stands before a number's fraction. The other of the two may part its thousands. */
export type Mark = '.' | ',';

/** What a cell tells: its decimal mark; that the one mark in it may be either ("1,234"); or nothing, without marks. */
export type Told = { readonly mark: Mark } | { readonly either: Mark } | 'whole' | 'text';

/** A decimal mark, and thousands that the other parts: 1,234,567.8 or 1.234.567,8. */
const PARTED = {
  '.': /^[+-]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d*)?$/,
  ',': /^[+-]?[1-9]\d{0,2}(?:\.\d{3})+(?:,\d*)?$/,
} as const;
const EITHER = /^[+-]?[1-9]\d{0,2}([.,])\d{3}$/;
/** An address of a machine: 192.168.100.101. */
const ADDRESS = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/;

/** What a cell tells about the marks of its column. */
export function whatTells(cell: string): Told {
  const [point, comma] = [cell.includes('.'), cell.includes(',')];
  if (!point && !comma) return cellNumber(cell) === undefined ? 'text' : 'whole';
  const either = EITHER.exec(cell)?.[1] as Mark | undefined;
  if (either) return { either };
  if (point && ADDRESS.test(cell)) return 'text';
  if (numberIn(cell, '.') !== undefined) return { mark: '.' };
  return numberIn(cell, ',') === undefined ? 'text' : { mark: ',' };
}

/** A cell's number where the decimal mark is known; undefined when it is none. */
export function numberIn(cell: string, mark: Mark): number | undefined {
  if (!cell.includes(mark === '.' ? ',' : '.')) return cellNumber(mark === '.' ? cell : cell.replace(',', '.'));
  if (!PARTED[mark].test(cell)) return undefined;
  return Number(mark === '.' ? cell.replaceAll(',', '') : cell.replaceAll('.', '').replace(',', '.'));
}

/** How many cells of a column tell what. */
export interface Signs {
  texts: number;
  whole: number;
  /** Whole numbers of more than three digits: a writer that separates thousands would have separated these. */
  long: number;
  readonly mark: Record<Mark, number>;
  readonly either: Record<Mark, number>;
  /** Of those that tell a comma: how many have none, but points between thousands, as codes may have them too. */
  parted: number;
}

export function noSigns(): Signs {
  return { texts: 0, whole: 0, long: 0, mark: { '.': 0, ',': 0 }, either: { '.': 0, ',': 0 }, parted: 0 };
}

export function countSign(signs: Signs, cell: string): void {
  const told = whatTells(cell);
  if (told === 'text') signs.texts++;
  else if (told === 'whole') {
    signs.whole++;
    if (/\d{4}/.test(cell)) signs.long++;
  } else if ('mark' in told) {
    signs.mark[told.mark]++;
    if (told.mark === ',' && !cell.includes(',')) signs.parted++;
  } else signs.either[told.either]++;
}

/** How the numbers of a column are written. */
export interface Writing {
  /** The decimal mark; undefined when nothing tells, which matters only when one is met. */
  readonly mark: Mark | undefined;
  /** Whether a point is then a decimal point, whatever stands behind it. */
  readonly plain: boolean;
}

/**
 * The decimal mark of every column. Its own cells tell, all but those like "1,234"; where there is no other, the other
 * columns tell, if they agree. Where these do not tell either, the delimiter may: between commas a comma parts thousands,
 * semicolons stand where a comma is the decimal mark. Else a comma stays open, and a point is a decimal point unless it
 * looks like one between thousands: whole numbers of up to three digits beside it, and commas not used for columns.
 */
export function decideMarks(columns: readonly Signs[], delimiter: string): Writing[] {
  const told = columns.map(ownMark);
  // Between commas, a column of "1,3" beside one of "1.5" holds lists.
  const points = delimiter === ',' && columns.some(({ mark, either }) => mark['.'] + either['.'] > 0);
  const own = told.map((mark) => (points && mark === ',' ? '.' : mark));
  const all = new Set(own.filter((mark, j) => mark !== undefined && speaks(columns[j], mark, delimiter)));
  const common = all.size === 1 ? [...all][0] : undefined;
  return columns.map((signs, j) => {
    const plain = delimiter === ',' || signs.long > 0;
    return { mark: own[j] ?? common ?? markBy(delimiter, signs, own, plain), plain };
  });
}

/** Whether a column tells something about the others. */
function speaks(signs: Signs, mark: Mark, delimiter: string): boolean {
  if (numbersOf(signs, mark) <= signs.texts) return false;
  return mark === '.' || (delimiter !== ',' && signs.mark[','] > signs.parted);
}

/** The mark of a column that no number tells. */
function markBy(
  delimiter: string,
  { whole, either }: Signs,
  own: readonly (Mark | undefined)[],
  plain: boolean,
): Mark | undefined {
  if (delimiter === ',' && either[','] > 0 && !own.includes(',')) return '.';
  if (either['.'] > 0 && either[','] === 0 && (plain || whole === 0)) return '.';
  if (delimiter === ';' && either[','] > 0 && either['.'] === 0 && whole === 0 && !own.includes('.')) return ',';
  return undefined;
}

function ownMark({ mark }: Signs): Mark | undefined {
  if (mark['.'] + mark[','] === 0) return undefined;
  return mark['.'] >= mark[','] ? '.' : ',';
}

/** How many cells are numbers where that is the decimal mark. */
export function numbersOf({ whole, mark, either }: Signs, decimal: Mark): number {
  return whole + mark[decimal] + either['.'] + either[','];
}
