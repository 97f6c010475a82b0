import type { ComponentChildren, VNode } from 'preact';
import { withDecimals } from './format.js';

/** Formulas as MathML, which all current browsers draw. They consist of short pieces, because MathML does not break lines. */

type Part = VNode | string;

/** Pieces of a formula, one below the other on a narrow page. */
export function Formula({ children }: { children: ComponentChildren }) {
  return <div class="formula">{children}</div>;
}

/** One piece. */
export function Piece({ children }: { children: ComponentChildren }) {
  return (
    <math display="block">
      <mrow>{children}</mrow>
    </math>
  );
}

const part = (value: Part): VNode => (typeof value === 'string' ? <mi>{value}</mi> : value);

const space = <mspace width="0.3em" />;
/** An upright letter. */
export const upright = (letter: string): VNode => <mi mathvariant="normal">{letter}</mi>;

export const op = (sign: string): VNode => <mo>{sign}</mo>;
export const num = (value: string | number): VNode => <mn>{value}</mn>;
export const row = (...parts: Part[]): VNode => <mrow>{parts.map(part)}</mrow>;
export const sub = (base: Part, index: Part): VNode => (
  <msub>
    {part(base)}
    {part(index)}
  </msub>
);
export const sup = (base: Part, power: Part): VNode => (
  <msup>
    {part(base)}
    {part(power)}
  </msup>
);
export const square = (base: Part): VNode => sup(base, num(2));
/** 10 to a power, with a proper minus sign. */
export const tenTo = (power: number): VNode => sup(num(10), power < 0 ? row(op('−'), num(-power)) : num(power));
export const transposed = (base: Part): VNode => sup(base, upright('T'));
export const frac = (top: Part, bottom: Part): VNode => (
  <mfrac>
    {part(top)}
    {part(bottom)}
  </mfrac>
);
/** Σ with its index below it. */
export const sum = (over: Part): VNode => (
  <munder>
    <mo>∑</mo>
    {part(over)}
  </munder>
);
export const normBars = (...parts: Part[]): VNode => row(op('‖'), ...parts, op('‖'));
/** A word with a space after it, which MathML does not add. The text is one string, because Firefox drops a space between two. */
export const word = (text: string): VNode => (
  <>
    <mtext>{text}</mtext>
    {space}
  </>
);
/** A bold letter: a matrix. */
export const matrix = (letter: string): VNode => <mi class="matrix">{letter}</mi>;

/** A number that changes, in the colour of the quantity. */
export function Live({ value, digits = 2, of = '' }: { value: number | string; digits?: number; of?: string }) {
  return <mn class={`live ${of}`}>{typeof value === 'string' ? value : withDecimals(value, digits)}</mn>;
}
