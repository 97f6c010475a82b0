import { small } from '../shared/format.js';
import {
  Formula,
  frac,
  Live,
  normBars,
  num,
  op,
  Piece,
  row,
  square,
  sub,
  sum,
  sup,
  transposed,
  upright,
  word,
} from '../shared/formula.js';
import type { Learned, WeightRule } from './weights.js';

const W = <mi>W</mi>;
const lossAE = sub('L', <mtext>AE</mtext>);
const lossI = sub('L', 'I');
/** (1/n)Σ over the points. */
const mean = row(frac(num(1), 'n'), sum('x'));
const xRec = sub('x', <mtext>rec</mtext>);
const yRec = sub('y', <mtext>rec</mtext>);

/** The two errors that learning corrects. */
function BothErrors({ first, second }: { first: number; second: number }) {
  return (
    <>
      <Piece>
        {word('mean')}
        {normBars(xRec, op('−'), 'x')}
        {op('=')}
        <Live value={first} digits={3} of="lost" />
      </Piece>
      <Piece>
        {word('mean')}
        {normBars(yRec, op('−'), 'y')}
        {op('=')}
        <Live value={second} digits={3} of="second" />
      </Piece>
    </>
  );
}

/** The loss, its gradient, and the numbers in both. */
export function Gradient({ shown, first, second }: { shown: Learned | undefined; first: number; second: number }) {
  return (
    <Formula>
      <Piece>{row('L', op('='), op('('), num(1), op('−'), 'α', op(')'), lossAE, op('+'), 'α', lossI)}</Piece>
      <Piece>
        {op('=')}
        <Live value={1 - (shown?.alpha ?? 0)} />
        {row(op('·'), lossAE)}
        {op('+')}
        <Live value={shown?.alpha ?? 0} />
        {row(op('·'), lossI)}
        {op('=')}
        <Live value={small(shown?.loss ?? 0)} />
      </Piece>
      <Piece>
        {row(lossAE, op('='), mean, square(normBars('x', op('−'), transposed(W), W, 'x')), op('='))}
        <Live value={small(shown?.reconstruction ?? 0)} of="lost" />
      </Piece>
      <Piece>
        {row(lossI, op('='), square(normBars('I', op('−'), W, transposed(W))), op('='))}
        <Live value={small(shown?.orthogonality ?? 0)} of="orthogonality" />
      </Piece>
      <Piece>
        {row(
          <mfrac>
            <mrow>
              <mo>∂</mo>
              {lossAE}
            </mrow>
            <mrow>
              <mo>∂</mo>
              {W}
            </mrow>
          </mfrac>,
          op('='),
          frac(num(2), 'n'),
          sum('x'),
          op('['),
          'y',
        )}
        {sup(
          <mrow class="lost">{[op('('), xRec, op('−'), <mi>x</mi>, op(')')]}</mrow>,
          <mi mathvariant="normal">T</mi>,
        )}
        {op('+')}
        <mrow class="second">{[op('('), yRec, op('−'), <mi>y</mi>, op(')')]}</mrow>
        {transposed('x')}
        {op(']')}
      </Piece>
      <BothErrors first={first} second={second} />
    </Formula>
  );
}

/** The step of a Hebbian rule, which has no loss. */
export function Hebb({ rule, first, second }: { rule: WeightRule; first: number; second: number }) {
  return (
    <Formula>
      <Piece>
        {rule === 'oja'
          ? row(
              upright('Δ'),
              'w',
              op('='),
              frac('η', 'n'),
              sum('x'),
              op('('),
              'y',
              'x',
              op('−'),
              square('y'),
              'w',
              op(')'),
            )
          : row(
              upright('Δ'),
              W,
              op('='),
              frac('η', 'n'),
              sum('x'),
              op('('),
              'y',
              transposed('x'),
              op('−'),
              ...(rule === 'sanger' ? [<mtext>tril</mtext>, op('(')] : []),
              'y',
              transposed('y'),
              ...(rule === 'sanger' ? [op(')')] : []),
              W,
              op(')'),
            )}
      </Piece>
      <BothErrors first={first} second={second} />
    </Formula>
  );
}
