import { show } from '@scree/core/words';

/** An angle in degrees: 12.3°, 4.1 × 10⁻⁵ °. */
export function angleText(radians: number): string {
  const degrees = (Math.abs(radians) * 180) / Math.PI;
  if (degrees >= 0.1) return `${degrees.toFixed(1)}°`;
  if (degrees < 1e-14) return '0°';
  const text = show(degrees, 2);
  return text.includes('×') ? `${text}\u00a0°` : `${text}°`;
}

/** So many decimals, with a real minus: numbers that move must not change their width. */
export function fixed(value: number, digits = 2): string {
  const text = Math.abs(value).toFixed(digits);
  return value < 0 && Number(text) !== 0 ? `−${text}` : text;
}

/** A loss or an error of any size, always about as wide. */
export function small(value: number): string {
  const size = Math.abs(value);
  if (size >= 0.001 && size < 1e4) return fixed(value, size >= 100 ? 1 : size >= 10 ? 2 : 4);
  return size === 0 ? '0' : show(Number(value.toPrecision(2)));
}

const SUBSCRIPTS = '₀₁₂₃₄₅₆₇₈₉';

/** w₁, λ₂: a name with an index counted from 1. */
export function indexed(name: string, index: number): string {
  return `${name}${SUBSCRIPTS[index]}`;
}
