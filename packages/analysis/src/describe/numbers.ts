/** Numbers as people read them. */

/** A no-break space. */
const SPACE = '\u00a0';

/** Up to `digits` significant digits; powers of ten where there would be many zeros. */
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

/** A number at an axis tick: short, whatever its size. */
export function tick(value: number): string {
  const size = Math.abs(value);
  if (value === 0 || (size >= 1e-3 && size < 1e5)) return minus(String(Number(value.toPrecision(6))));
  return minus(value.toExponential(2).replace(/\.?0*e\+?/, 'e'));
}

/** A count with thousands separators. */
export function count(value: number): string {
  return grouped(String(Math.round(value)));
}

/** A share of 1 in per cent. What is less than everything by a millionth or more is never shown as 100 %, nor what is more than nothing as 0. */
export function percent(share: number): string {
  const value = 100 * share;
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

/** "a", "a and b", "a, b and c". */
export function listed(items: readonly string[]): string {
  return items.length < 2 ? (items[0] ?? '') : `${items.slice(0, -1).join(', ')} and ${items[items.length - 1]}`;
}

/** "2 to 4, 7": whole numbers in rising order, runs of three and more taken together. */
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
