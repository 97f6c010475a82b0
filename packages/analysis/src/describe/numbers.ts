/** Formats numbers for people. */

/** A no-break space. */
const SPACE = '\u00a0';

/** Formats a number with up to `digits` significant digits, and with a power of ten if it would have many zeros. */
export function formatNumber(value: number, digits = 4): string {
  if (value === 0) return '0';
  if (!Number.isFinite(value)) return value > 0 ? '∞' : value < 0 ? '−∞' : 'not a number';
  const rounded = Number(value.toPrecision(digits));
  const size = Math.abs(rounded);
  if (size >= 1e9 || size < 1e-3) {
    const [mantissa, exponent] = value.toExponential(digits - 1).split('e');
    return `${minus(trimmed(mantissa))}${SPACE}×${SPACE}10${raised(Number(exponent))}`;
  }
  if (size >= 1e4) return minus(grouped(String(Math.round(rounded))));
  return minus(trimmed(value.toPrecision(digits).includes('e') ? String(rounded) : value.toPrecision(digits)));
}

/** A short number for an axis tick. */
export function tick(value: number): string {
  const size = Math.abs(value);
  if (value === 0 || (size >= 1e-3 && size < 1e5)) return minus(String(Number(value.toPrecision(6))));
  return minus(value.toExponential(2).replace(/\.?0*e\+?/, 'e'));
}

/** A count with thousands separators. */
export function count(value: number): string {
  return grouped(String(Math.round(value)));
}

/**
 * A share of 1 in per cent. A share that is below 1 by a millionth of a per cent or more is never shown as 100 %, and one above 0 never
 * as 0.
 */
export function percent(share: number): string {
  const value = 100 * share;
  if (Number.isNaN(value)) return 'an unknown share';
  if (value === 0 || value >= 100 - 1e-6) return `${value === 0 ? 0 : Math.round(value)}${SPACE}%`;
  if (value < 0.05) return `${formatNumber(value, 2)}${SPACE}%`;
  for (let decimals = 1; ; decimals++) {
    const text = value.toFixed(decimals);
    if (Number(text) < 100) return `${text}${SPACE}%`;
  }
}

/** An angle given in radians. */
export function degrees(radians: number): string {
  return `${formatNumber((radians * 180) / Math.PI, 2)}°`;
}

/** "3 rows", "1 row". */
export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** A sentence, or a title, with a capital letter. */
export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** "a", "a and b", "a, b and c". */
export function listed(items: readonly string[]): string {
  return items.length < 2 ? (items[0] ?? '') : `${items.slice(0, -1).join(', ')} and ${items[items.length - 1]}`;
}

/** "2 to 4 and 7": rising whole numbers, with runs of three and more joined. */
export function runs(numbers: readonly number[]): string {
  const parts: string[] = [];
  for (let first = 0; first < numbers.length; ) {
    let last = first;
    while (numbers[last + 1] === numbers[last] + 1) last++;
    if (last - first >= 2) parts.push(`${numbers[first]} to ${numbers[last]}`);
    else for (let i = first; i <= last; i++) parts.push(String(numbers[i]));
    first = last + 1;
  }
  return listed(parts);
}

/** A power of ten with its exponent raised, for logarithmic axes. */
export function powerOfTen(value: number): string {
  const exponent = Math.round(Math.log10(value));
  return exponent === 0 ? '1' : exponent === 1 ? '10' : `10${raised(exponent)}`;
}

function grouped(digits: string): string {
  return digits.replace(/\B(?=(\d{3})+$)/g, ',');
}

function raised(exponent: number): string {
  return String(exponent).replace(/./g, (sign) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(sign)] ?? '⁻');
}

function trimmed(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

function minus(text: string): string {
  return text.replace('-', '−');
}
