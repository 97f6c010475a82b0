/**
 * Decimal numbers from bytes, correctly rounded. Up to 15 digits and 22 decimals one division of exact numbers is
 * enough (Clinger 1990). Up to 19 digits the division is done in twice the precision. The result is NaN if the number is
 * longer, or if even this precision does not decide how to round: the caller then takes the slower path.
 */

const TENS = Array.from({ length: 23 }, (_, i) => 10 ** i);
/** 2^27 + 1 cuts a float64 into two halves whose products are exact (Dekker 1971). */
const SPLIT = 134217729;

/** (head·10^more + tail)·10^−decimals: head has up to 15 digits, and tail has `more` ≤ 4. */
export function decimalNumber(head: number, tail: number, more: number, decimals: number): number {
  if (decimals < 0 || decimals > 22) {
    if (head === 0) return 0;
    return more === 0 && decimals < 0 && decimals >= -22 ? head * TENS[-decimals] : Number.NaN;
  }
  const power = TENS[decimals];
  if (more === 0) return head / power;
  // The digits as the sum of two float64, without any rounding. `times` is small enough to need no halves.
  const times = TENS[more];
  const product = head * times;
  const headHigh = upper(head);
  const rest = headHigh * times - product + (head - headHigh) * times + tail;
  const high = product + rest;
  const low = rest - (high - product);
  // Divided by the power: a first quotient, its exact remainder, and a correction.
  const quotient = high / power;
  const back = quotient * power;
  const quotientHigh = upper(quotient);
  const quotientLow = quotient - quotientHigh;
  const powerHigh = upper(power);
  const powerLow = power - powerHigh;
  const error =
    quotientHigh * powerHigh - back + quotientHigh * powerLow + quotientLow * powerHigh + quotientLow * powerLow;
  const correction = (high - back - error + low) / power;
  const value = quotient + correction;
  // The correction is right to 15 digits. If this decides how the sum is rounded, it is the result.
  const sure = quotient + correction * 1.0000000001 === value && quotient + correction * 0.9999999999 === value;
  return sure ? value : Number.NaN;
}

function upper(value: number): number {
  const large = SPLIT * value;
  return large - (large - value);
}
