import type { Uniqueness } from '@scree/core';
import { Choose } from '../shared/controls.js';
import { angleText, indexed, withDecimals } from '../shared/format.js';
import { Formula, frac, Live, num, op, Piece, row, square, sub, sum, word } from '../shared/formula.js';
import { expectedTurn } from './fan.js';

interface VariancesProps {
  /** λ₁, λ₂, λ₃. */
  readonly values: readonly number[];
  readonly k: number;
  readonly noise: number;
  /** The angle by which noise turned the subspace, in radians. */
  readonly measured: number;
}

/** The variances, and the angle by which noise turns the subspace, in theory and as measured. */
export function Variances({ values, k, noise, measured }: VariancesProps) {
  const expected = expectedTurn(values, k, noise);
  return (
    <div class="panel">
      <h2>Variances, and turns by noise</h2>
      <Bars values={values} k={k} />
      <Formula>
        <Piece>
          {row(square(<mtext>turn</mtext>), op('≈'), frac(square('ε'), row('n', op('−'), num(1))))}
          <mspace width="0.3em" />
          {sum(row('i', op('≤'), num(k), op('<'), 'j'))}
          {frac(
            row(lambda('i'), op('+'), lambda('j')),
            square(row(op('('), lambda('i'), op('−'), lambda('j'), op(')'))),
          )}
        </Piece>
        <Piece>
          {row(lambda(k), op('−'), lambda(k + 1), op('='))}
          <Live value={values[k - 1] - values[k]} of="net" />
        </Piece>
        <Piece>
          {word(`turn of the ${k === 1 ? 'axis' : 'plane'} ≈`)}
          <Live value={expected > 0.7 ? 'anything' : angleText(expected)} of="net" />
          {word(', measured')}
          <Live value={angleText(measured)} of="kept" />
        </Piece>
      </Formula>
    </div>
  );
}

const lambda = (index: number | string) => sub('λ', typeof index === 'number' ? num(index) : index);

/** The three variances as bars, with a dashed line after those of the subspace. */
function Bars({ values, k }: { values: readonly number[]; k: number }) {
  return (
    <ul class="bars">
      {values.map((value, j) => (
        <li key={indexed('λ', j + 1)} class={`axis-${j} ${j === k ? 'outside' : ''}`}>
          <span class="bar-name">{indexed('λ', j + 1)}</span>
          <span class="bar">
            <span style={{ width: `${(100 * value) / values[0]}%` }} />
          </span>
          <span class="number">{withDecimals(value)}</span>
        </li>
      ))}
    </ul>
  );
}

function Verdict({ verdict, k }: { verdict: Uniqueness; k: number }) {
  const { subspace, axes } = verdict;
  const sure = (determined: boolean): string => (determined ? 'determined' : 'not determined');
  return (
    <>
      <p>
        <strong class={subspace.determined ? 'fine' : 'lost'}>
          The {k === 1 ? 'axis' : 'plane'} is {sure(subspace.determined)}.
        </strong>{' '}
        A change in the last digit of the numbers could turn it by {angleText(subspace.noiseAngle)}.
      </p>
      {k === 2 && (
        <p>
          {axes.map(({ determined, noiseAngle }, j) => (
            <span key={indexed('v', j + 1)}>
              {indexed('v', j + 1)} is {sure(determined)} ({angleText(noiseAngle)}){j + 1 < axes.length ? '; ' : '.'}
            </span>
          ))}
        </p>
      )}
    </>
  );
}

interface VerdictProps {
  readonly verdict: Uniqueness | undefined;
  readonly k: number;
  readonly stored: string;
  readonly onStored: (id: string) => void;
}

/** The library's verdict on the data without noise, in sentences. */
export function VerdictPanel({ verdict, k, stored, onStored }: VerdictProps) {
  return (
    <div class="panel" data-verdict={verdict?.subspace.determined ?? ''} data-axis={verdict?.axes[0]?.determined ?? ''}>
      <h2>The library’s verdict on these data</h2>
      {verdict ? <Verdict verdict={verdict} k={k} /> : <p class="hint">Fitting…</p>}
      <Choose
        label="Numbers stored as"
        value={stored}
        among={[
          { id: 'float64', name: 'float64, 16 digits' },
          { id: 'float32', name: 'float32, 7 digits' },
        ]}
        onChoose={onStored}
      />
    </div>
  );
}
