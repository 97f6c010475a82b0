import { formatNumber } from './numbers.js';

/** A coefficient this close to 1 is not written. */
const NEARLY_ONE = 1e-6;

/** "ts = sws + ps", "total = 2 a − 0.5 b + 3". */
export function relationText(
  left: string,
  terms: readonly { readonly name: string; readonly coefficient: number }[],
  constant: number,
): string {
  const parts = terms.map(({ name, coefficient }) => ({
    sign: coefficient < 0 ? '−' : '+',
    size: Math.abs(coefficient),
    name,
  }));
  const written = parts.map(({ sign, size, name }, i) => {
    const factor = Math.abs(size - 1) < NEARLY_ONE ? '' : `${formatNumber(size)} `;
    const before = i === 0 ? (sign === '−' ? '−' : '') : ` ${sign} `;
    return `${before}${factor}${name}`;
  });
  const tail = constant === 0 ? '' : ` ${constant < 0 ? '−' : '+'} ${formatNumber(Math.abs(constant))}`;
  return `${left} = ${written.join('')}${tail}`;
}
