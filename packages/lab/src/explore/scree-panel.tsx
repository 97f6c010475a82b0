import { knownRatios, percent, plural } from '@scree/analysis/describe';
import { useCallback, useMemo, useRef } from 'preact/hooks';
import { Chart } from '../charts/chart.js';
import { NumbersTable } from '../charts/numbers-table.js';
import { ExportFigure } from '../export/export-figure.js';
import { wholeChart } from '../export/whole-chart.js';
import { advised, chosen, followAdvice } from '../state/findings.js';
import { isKByHand, k, setK } from '../state/view.js';
import { useHorizontalDrag } from './horizontal-drag.js';
import type { PanelProps } from './panel.js';

/** The largest number of bars: more bars would be thinner than a pixel. */
const MAX_BARS = 400;

/** Room around the bars. The handle is drawn over the bars, so it uses the same numbers. */
const MARGIN = { left: 44, right: 8, top: 56, bottom: 34 };

/** The share of the variance per component and cumulatively, with a handle that sets k. */
export function ScreePanel({ now }: PanelProps) {
  const container = useRef<HTMLDivElement>(null);
  const { model } = now;
  const ratios = useMemo(() => knownRatios(model).subarray(0, MAX_BARS), [model]);
  const marks = chosen.value?.now === now ? advised.value : undefined;
  const draw = useCallback(
    async (width: number) => (await import('./scree-chart.js')).screeChart({ model, ratios, marks }, width, MARGIN),
    [model, ratios, marks],
  );
  const most = model.k;
  const kept = Math.min(k.value, most);
  const bars = ratios.length;
  /** Components that can have variance. */
  const all = Math.min(model.d, model.n - 1);
  const legend = [
    'Bars: each component. Line: all components up to it.',
    ...(marks?.thresholds
      ? ['Dashes: 95 of 100 simulated tables of unrelated columns stay below (parallel analysis).']
      : []),
    ...(bars < all ? [`The first ${bars} of ${plural(all, 'component')}.`] : []),
  ].join(' ');
  const keptCaption = `k = ${kept} keeps ${percent(sumOf(ratios, kept))} of the variance of ${plural(model.d, 'column')}.`;
  const left = `calc(${MARGIN.left}px + (100% - ${MARGIN.left + MARGIN.right}px) * ${kept / bars})`;
  const follow = (event: PointerEvent): void => {
    const box = container.current?.getBoundingClientRect();
    if (!box) return;
    const share = (event.clientX - box.left - MARGIN.left) / (box.width - MARGIN.left - MARGIN.right);
    setK(Math.max(1, Math.min(most, Math.round(share * bars))));
  };
  const drag = useHorizontalDrag(follow, () => {
    const [before, byHand] = [k.peek(), isKByHand.peek()];
    return () => {
      k.value = before;
      isKByHand.value = byHand;
    };
  });
  return (
    <section class="panel" aria-labelledby="scree-title">
      <div class="title-row">
        <h2 id="scree-title">Variance explained</h2>
        <ExportFigure
          name="scree"
          svg={() =>
            container.current ? wholeChart(container.current, draw, { captions: [keptCaption, legend] }) : undefined
          }
        />
      </div>
      <p class="kept">
        <strong class="number">{`k = ${kept}`}</strong>
        {` keeps `}
        <strong class="number">{percent(sumOf(ratios, kept))}</strong>
        {` of the variance of ${plural(model.d, 'column')}`}
      </p>
      <KReason now={now} kept={kept} />
      <div class="scree-chart" ref={container} {...drag}>
        <Chart draw={draw} />
        <div
          class="beyond"
          style={{ left, right: `${MARGIN.right}px`, top: `${MARGIN.top}px`, bottom: `${MARGIN.bottom}px` }}
        />
        <div class="handle" style={{ left, top: `${MARGIN.top - 6}px`, bottom: `${MARGIN.bottom}px` }} />
      </div>
      <div
        class="k-slider"
        style={{
          paddingLeft: `calc(${MARGIN.left - 8}px + (100% - ${MARGIN.left + MARGIN.right}px) / ${bars})`,
          paddingRight: `calc((100% - ${MARGIN.left + MARGIN.right}px) * ${(bars - most) / bars})`,
        }}
      >
        <label for="k" class="visually-hidden">
          Components kept (k)
        </label>
        <input
          id="k"
          type="range"
          min={1}
          max={most}
          value={kept}
          aria-valuetext={`${kept} of ${most} components, ${percent(sumOf(ratios, kept))} of the variance`}
          onInput={({ currentTarget }) => setK(Number(currentTarget.value))}
        />
      </div>
      <NumbersTable
        caption="Variance explained"
        head={['component', 'share', 'all up to it']}
        rows={Array.from(ratios, (ratio, c) => [String(c + 1), percent(ratio), percent(sumOf(ratios, c + 1))])}
      />
      <p class="hint">{`${legend} Drag to choose how many are kept.`}</p>
    </section>
  );
}

/** The reason for k, and the numbers that the criteria advise. */
function KReason({ now, kept }: PanelProps & { readonly kept: number }) {
  const found = chosen.value?.now === now ? advised.value : undefined;
  const byHand = isKByHand.value;
  const { elbow = null } = found ?? {};
  const others = [
    ...(found && byHand ? [{ name: found.title, value: found.k, use: followAdvice }] : []),
    ...(elbow !== null && (byHand || elbow !== found?.k)
      ? [{ name: 'elbow', value: elbow, use: () => setK(Math.max(1, elbow)) }]
      : []),
  ];
  return (
    <p class="k-reason" role="status">
      {`k = ${kept}: ${reasonOf()}`}
      {others.map(({ name, value, use }) => (
        <span key={name}>
          {' · '}
          {value === 0 || value === kept || value > now.model.k ? (
            `${name}: ${value}`
          ) : (
            <button type="button" class="link" onClick={use}>{`${name}: ${value}`}</button>
          )}
        </span>
      ))}
    </p>
  );

  function reasonOf(): string {
    if (byHand) return 'chosen by hand';
    if (!found) {
      return chosen.value?.now === now && chosen.value.isDone
        ? 'a default, because no number is recommended'
        : 'for now; the criteria are being computed…';
    }
    if (found.k === 0) return `${found.inSentence} finds none above noise`;
    return found.k === elbow ? `${found.inSentence} and the elbow agree` : found.inSentence;
  }
}

function sumOf(ratios: Float64Array, count: number): number {
  return Math.min(
    1,
    ratios.subarray(0, count).reduce((sum, ratio) => sum + ratio, 0),
  );
}
