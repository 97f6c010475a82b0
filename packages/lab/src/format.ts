const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** Four digits, and powers of ten as people write them: 4.573, 2.1 × 10⁻¹⁶. */
export function number(value: number): string {
  const size = Math.abs(value);
  if (size === 0 || (size >= 1e-3 && size < 1e6)) return String(Number(value.toPrecision(4)));
  const [digits, exponent] = value.toExponential(1).split('e');
  const raised = exponent
    .replace('+', '')
    .replace('-', '⁻')
    .replace(/\d/g, (digit) => SUPERSCRIPTS[Number(digit)]);
  return `${digits}\u00a0×\u00a010${raised}`;
}

/** One decimal, but never a 0 or a 100 that is not one; a sum of all shares may miss 1 by rounding. */
export function percent(ratio: number): string {
  if (ratio >= 0.9995 && ratio < 1 - 1e-9) return '>99.9%';
  return ratio > 0 && ratio < 0.0005 ? '<0.1%' : `${(100 * ratio).toFixed(1)}%`;
}

/** Radians as degrees. */
export function degrees(angle: number): string {
  return `${number((angle * 180) / Math.PI)} degrees`;
}

export function shorten(text: string, length: number): string {
  const letters = Array.from(text);
  return letters.length > length ? `${letters.slice(0, length - 1).join('')}…` : text;
}

/** Keeps both ends: names of columns often differ in their last letters only. */
export function shortenMiddle(text: string, length: number): string {
  const letters = Array.from(text);
  if (letters.length <= length) return text;
  const end = Math.floor((length - 1) / 2);
  return `${letters.slice(0, length - 1 - end).join('')}…${letters.slice(letters.length - end).join('')}`;
}

export function plural(count: number, what: string): string {
  return `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`;
}
