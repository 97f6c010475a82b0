export interface Ticks {
  readonly values: readonly number[];
  readonly texts: readonly string[];
  /** The texts must be multiplied by ten to this power. The name of the axis shows the power. */
  readonly exponent: number;
}

/**
 * Round numbers between `low` and `high`, about `about` of them, with their texts. With `power`, the values stand for numbers
 * that are larger by this power of ten.
 */
export function axisTicks(low: number, high: number, about: number, power = 0): Ticks {
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

/** The nearest power of ten times 1, 2 or 5, on a logarithmic scale. */
function niceStep(wanted: number): number {
  const power = 10 ** Math.floor(Math.log10(wanted));
  const share = wanted / power;
  return power * (share < Math.SQRT2 ? 1 : share < Math.sqrt(10) ? 2 : share < Math.sqrt(50) ? 5 : 10);
}

const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** " × 10⁵", or empty for 0. */
export function timesPower(exponent: number): string {
  if (exponent === 0) return '';
  const digits = String(Math.abs(exponent)).replace(/\d/g, (digit) => SUPERSCRIPTS[Number(digit)]);
  return ` × 10${exponent < 0 ? '⁻' : ''}${digits}`;
}
