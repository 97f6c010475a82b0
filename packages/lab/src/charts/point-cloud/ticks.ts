export interface Ticks {
  readonly values: readonly number[];
  readonly texts: readonly string[];
  /** What the texts are to be multiplied by: ten to this power. Belongs beside the axis' name, where there is room. */
  readonly exponent: number;
}

/**
 * Round numbers between two others, about as many as asked for, and how they are written. What they stand for may be ten to a
 * power times as large: round numbers stay round by that.
 */
export function ticks(low: number, high: number, about: number, power = 0): Ticks {
  const step = niceStep((high - low) / Math.max(1, about));
  const values: number[] = [];
  if (step > 0 && Number.isFinite(step)) {
    for (let i = Math.ceil(low / step); i <= high / step && values.length < 100; i++) values.push(i * step);
  }
  const size = Math.max(Math.abs(low), Math.abs(high));
  const exponent = size >= 1e5 || size < 1e-2 || power !== 0 ? Math.floor(Math.log10(size || 1)) : 0;
  const decimals = Math.max(0, exponent - Math.floor(Math.log10(step || 1) + 1e-9));
  const texts = values.map((value) => (value / 10 ** exponent).toFixed(Math.min(20, decimals)));
  return {
    values,
    texts: texts.map((text) => text.replace(/^-(0(\.0+)?)$/, '$1').replace('-', '−')),
    exponent: exponent + power,
  };
}

/** A power of ten, times 1, 2 or 5: the nearest on the scale of a slide rule. */
function niceStep(wanted: number): number {
  const power = 10 ** Math.floor(Math.log10(wanted));
  const share = wanted / power;
  return power * (share < Math.SQRT2 ? 1 : share < Math.sqrt(10) ? 2 : share < Math.sqrt(50) ? 5 : 10);
}

const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** " × 10⁵", or nothing for 0. */
export function timesPower(exponent: number): string {
  if (exponent === 0) return '';
  const digits = String(Math.abs(exponent)).replace(/\d/g, (digit) => SUPERSCRIPTS[Number(digit)]);
  return ` × 10${exponent < 0 ? '⁻' : ''}${digits}`;
}
