import { formatNumber, powerOfTen } from '@scree/analysis/describe';

/** An angle in degrees: 12.3°, 4.1 × 10⁻⁵°. */
export function angleText(radians: number): string {
  const degrees = (Math.abs(radians) * 180) / Math.PI;
  if (degrees >= 0.1) return `${degrees.toFixed(1)}°`;
  if (degrees < 1e-14) return '0°';
  return `${formatNumber(degrees, 2)}°`;
}

/** A number with a fixed number of decimals, so that its width does not change, and with a proper minus sign. */
export function withDecimals(value: number, digits = 2): string {
  const text = Math.abs(value).toFixed(digits);
  return value < 0 && Number(text) !== 0 ? `−${text}` : text;
}

/** A loss or an error of any size, as a text of about the same width. */
export function small(value: number): string {
  const size = Math.abs(value);
  if (size >= 0.001 && size < 1e4) return withDecimals(value, size >= 100 ? 1 : size >= 10 ? 2 : 4);
  return size === 0 ? '0' : formatNumber(Number(value.toPrecision(2)));
}

/** How numbers of one quantity are written: with enough decimals for their size, and a power of ten if they are far from 1. */
export interface Units {
  /** The exponent of the power of ten; 0 if there is none. */
  readonly power: number;
  /** The number in front of the power of ten. */
  mantissa(value: number): string;
  /** The number with its power of ten. */
  text(value: number): string;
}

/** Units for numbers up to a size, which may be tiny or huge. */
export function unitsFor(size: number, digits = 3): Units {
  const exponent = size > 0 && Number.isFinite(size) ? Math.floor(Math.log10(size)) : 0;
  const power = exponent < -1 || exponent > 3 ? exponent : 0;
  const decimals = Math.max(2, digits - 1 - (exponent - power));
  const mantissa = (value: number): string => withDecimals(value / 10 ** power, decimals);
  return {
    power,
    mantissa,
    text: (value) => (power === 0 ? mantissa(value) : `${mantissa(value)}\u00a0×\u00a0${powerOfTen(10 ** power)}`),
  };
}

/** Joins sentences; empty ones are left out. */
export function sentences(...all: readonly string[]): string {
  return all.filter((one) => one !== '').join(' ');
}

const SUBSCRIPTS = '₀₁₂₃₄₅₆₇₈₉';

/** w₁, λ₂: a name with an index counted from 1. */
export function indexed(name: string, index: number): string {
  return `${name}${SUBSCRIPTS[index]}`;
}
