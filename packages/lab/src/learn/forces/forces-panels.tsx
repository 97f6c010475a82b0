import { percent } from '@scree/analysis/describe';
import type { NeighbourForces, PointForces } from '@scree/core/learn';
import { small, type Units } from '../shared/format.js';
import { Formula, frac, Live, num, op, Piece, row, square, sub, sum, upright } from '../shared/formula.js';
import { LineChart } from '../shared/line-chart.js';
import type { Playback } from '../shared/playback.js';
import type { Moved } from './moving-points.js';

interface FormulaProps {
  readonly loss: number | undefined;
  readonly forces: PointForces | undefined;
  readonly chosen: number;
  readonly momentum: boolean;
  readonly units: Units;
}

/** The loss, the force on a point and its step, with their current values. */
export function ForcesFormula({ loss, forces, chosen, momentum, units }: FormulaProps) {
  const { attraction, repulsion } = forces ?? { attraction: [0, 0], repulsion: [0, 0] };
  const sizes = [
    ['pull', Math.hypot(...attraction), 'pull'],
    ['push', Math.hypot(...repulsion), 'push'],
    ['together', Math.hypot(attraction[0] + repulsion[0], attraction[1] + repulsion[1]), 'net'],
  ] as const;
  return (
    <div class="panel">
      <h2>Loss and forces</h2>
      <Formula>
        <Piece>
          {row(frac('f', sigma(4)), op('='), frac(num(1), sigma(4)), sum(row('i', op(','), 'j')))}
          {square(row(op('('), D('X'), op('−'), D('Y'), op(')')))}
          {op('=')}
          <Live value={loss === undefined ? '–' : small(loss)} of="net" />
        </Piece>
        <Piece>
          {row(sub('F', 'i'), op('='), frac(num(1), sigma(2)), sum('j'))}
          {row(op('('), D('X'), op('−'), D('Y'), op(')'))}
          {row(op('('), sub('y', 'i'), op('−'), sub('y', 'j'), op(')'))}
        </Piece>
        <Piece>
          {row(upright('Δ'), sub('y', 'i'), op('='), frac('η', num(2)), sub('F', 'i'))}
          {momentum && <mtext>&nbsp;+ momentum</mtext>}
        </Piece>
        {sizes.map(([name, size, of]) => (
          <Piece key={name}>
            <mtext class={of}>{name}</mtext>
            <mspace width="0.3em" />
            <Live value={units.text(size)} of={of} />
          </Piece>
        ))}
      </Formula>
      <p class="hint">
        Pull is the sum of F over the pairs that attract point {chosen + 1}, and push over the pairs that repel it. σ₁²
        is the largest eigenvalue of XᵀX. Steps and losses are divided by it, so that they do not depend on the units of
        the data.
      </p>
    </div>
  );
}

const sigma = (power: number) => (
  <msubsup>
    <mi>σ</mi>
    <mn>1</mn>
    <mn>{power}</mn>
  </msubsup>
);

const D = (of: string) => (
  <msubsup>
    <mi>D</mi>
    <mrow>
      <mi>i</mi>
      <mi>j</mi>
    </mrow>
    <mi>{of}</mi>
  </msubsup>
);

/** How often nearest neighbours pull and farthest neighbours push. */
export function NeighbourTable({ doubleCentred, meansOnly }: NeighbourForces) {
  return (
    <div class="panel">
      <h2>Do neighbours attract?</h2>
      <table class="figures">
        <thead>
          <tr>
            <th scope="col">share of the points whose</th>
            <th scope="col">nearest pulls</th>
            <th scope="col">farthest pushes</th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">double centring, as here</th>
            <td>{percent(doubleCentred.nearestAttract)}</td>
            <td>{percent(doubleCentred.farthestRepel)}</td>
          </tr>
          <tr>
            <th scope="row">row and column means only</th>
            <td>{percent(meansOnly.nearestAttract)}</td>
            <td>{percent(meansOnly.farthestRepel)}</td>
          </tr>
        </tbody>
      </table>
      <p class="hint">
        With double centring, a pair pulls if both points are on the same side of the mean, ⟨xᵢ, xⱼ⟩ &gt; 0, and pushes
        otherwise. Nearest neighbours tend to pull and farthest ones to push, but not all do.
      </p>
    </div>
  );
}

/** The loss against epochs, and the lowest possible loss. */
export function LossChart({ playback, floor }: { playback: Playback<Moved>; floor: number }) {
  const shown = playback.shown.value;
  const [first] = playback.history.all;
  const end = Math.max(30, playback.reached.value);
  const least = first ? [[0, floor] as const, [end, floor] as const] : [];
  return (
    <LineChart
      series={[
        {
          name: 'loss',
          class: 'net',
          points: playback.history.until(shown?.epoch ?? 0).map((m) => [m.epoch, m.loss] as const),
        },
        { name: 'least', class: 'fine', points: least },
      ]}
      x={[0, end]}
      y={[Math.max(1e-8, floor / 2), 10]}
      logY
      xLabel="epoch"
      yLabel="loss f/σ₁⁴"
      room={52}
      height={170}
      label={`The loss has gone from ${small(first?.loss ?? 0)} to ${small(shown?.loss ?? 0)}; the least possible is ${small(floor)}.`}
    />
  );
}
