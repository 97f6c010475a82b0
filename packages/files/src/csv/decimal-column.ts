import { DataError } from '@scree/core';

const NUMBER = /^[+-]?\d+(?:,\d+)?$/;
/** Fewest rows: three ascend by chance with a probability of one sixth. */
const FEW = 3;

/**
 * Decides if a text without other delimiters is one column of numbers with decimal commas: a name, and below it 24,71 and the like.
 * With commas as delimiters it would have two columns, the first of them row names, as R writes them. This is assumed only if
 * the first numbers count the rows. If they only ascend, both are possible, and it is an error.
 */
export function isDecimalColumn(text: string, whole: boolean, missing: ReadonlySet<string>, path: string): boolean {
  const [name, ...below] = text.split(/\r\n|\n|\r/);
  // The last line may be cut.
  const lines = (whole ? below : below.slice(0, -1)).map((line) => line.trim());
  if (name.includes(',') || missing.has(name.trim()) || NUMBER.test(name.trim())) return false;
  const numbers = lines.filter((line) => !missing.has(line));
  if (!numbers.some((line) => line.includes(',')) || !numbers.every((line) => NUMBER.test(line))) return false;
  // A row without a comma would lack its second cell. Row names have no sign, and whole numbers no leading zero.
  if (numbers.length < lines.filter((line) => line !== '').length) return true;
  if (numbers.some((line) => !line.includes(',') || /^[+-]|^0\d|,0\d/.test(line))) return true;
  const firsts = numbers.map((line) => Number.parseInt(line, 10));
  if (firsts[0] <= 1 && firsts.every((first, i) => first === firsts[0] + i)) return false;
  const ascend = firsts.every((first, i) => i === 0 || first > firsts[i - 1]);
  if (ascend && numbers.length >= FEW) throw ambiguousColumn(path, name.trim(), numbers[0]);
  return true;
}

function ambiguousColumn(path: string, name: string, number: string): DataError {
  const [row, value] = number.split(',');
  return new DataError(
    'BAD_DATA',
    `Nothing tells whether ${number} in ${path} is a number with a decimal comma, or a row ${row} and its value ${value}. Write ${row}.${value}, and all numbers like that; or name both columns in the first line: row,${name}.`,
    { row: 0, column: 0, columnName: name, value: number },
  );
}
