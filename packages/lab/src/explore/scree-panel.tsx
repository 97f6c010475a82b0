import * as Plot from '@observablehq/plot';
import { useSignal } from '@preact/signals';
import type { Model } from '@scree/core';
import { percent } from '@scree/core/words';
import { useCallback, useRef } from 'preact/hooks';
import { Chart } from '../charts/chart.js';
import { NumbersTable } from '../charts/numbers-table.js';
import { fitted } from '../state/fit.js';
import { component, k } from '../state/view.js';
import { TakeFigure } from '../take/take-figure.js';

/** Room around the bars, which the handle over them has to know. */
const MARGIN = { left: 44, right: 8, top: 26, bottom: 34 };

/** Share of the variance of each component and of all up to it, with a handle that says how many are kept. */
export function ScreePanel() {
  const home = useRef<HTMLDivElement>(null);
  const dragging = useSignal(false);
  const { model } = fitted.value!;
  const draw = useCallback((width: number) => screePlot(model, width), [model]);
  const most = model.k;
  const kept = Math.min(k.value, most);
  const place = `calc(${MARGIN.left}px + (100% - ${MARGIN.left + MARGIN.right}px) * ${kept / most})`;
  const follow = (event: PointerEvent): void => {
    const box = home.current!.getBoundingClientRect();
    const share = (event.clientX - box.left - MARGIN.left) / (box.width - MARGIN.left - MARGIN.right);
    k.value = Math.max(1, Math.min(most, Math.round(share * most)));
  };
  return (
    <section class="panel" aria-labelledby="scree-title">
      <div class="title-row">
        <h2 id="scree-title">Variance explained</h2>
        <TakeFigure name="scree" svg={() => home.current?.querySelector('svg') ?? undefined} />
      </div>
      <p class="kept">
        <strong class="number">{`k = ${kept}`}</strong>
        {` keeps `}
        <strong class="number">{percent(sumOf(model, kept))}</strong>
        {` of the variance of ${model.d.toLocaleString('en')} columns`}
      </p>
      <div
        class="scree-chart"
        ref={home}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          dragging.value = true;
          follow(event);
        }}
        onPointerMove={(event) => dragging.value && follow(event)}
        onPointerUp={() => (dragging.value = false)}
        onPointerCancel={() => (dragging.value = false)}
      >
        <Chart draw={draw} />
        <div
          class="beyond"
          style={{ left: place, right: `${MARGIN.right}px`, top: `${MARGIN.top}px`, bottom: `${MARGIN.bottom}px` }}
        />
        <div class="handle" style={{ left: place, top: `${MARGIN.top - 6}px`, bottom: `${MARGIN.bottom}px` }} />
      </div>
      <div
        class="k-slider"
        style={{ paddingLeft: `calc(${MARGIN.left - 8}px + (100% - ${MARGIN.left + MARGIN.right}px) / ${most})` }}
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
          aria-valuetext={`${kept} of ${most} components, ${percent(sumOf(model, kept))} of the variance`}
          onInput={({ currentTarget }) => {
            k.value = Number(currentTarget.value);
            component.value = Math.min(component.peek(), k.value - 1);
          }}
        />
      </div>
      <NumbersTable
        caption="Variance explained"
        head={['component', 'share', 'all up to it']}
        rows={Array.from(model.varianceRatios, (ratio, c) => [
          String(c + 1),
          percent(ratio),
          percent(sumOf(model, c + 1)),
        ])}
      />
      <p class="hint">Bars: each component. Line: all up to it. Drag to choose how many are kept.</p>
    </section>
  );
}

function sumOf({ varianceRatios }: Model, count: number): number {
  return Math.min(
    1,
    varianceRatios.subarray(0, count).reduce((sum, ratio) => sum + ratio, 0),
  );
}

function screePlot({ varianceRatios }: Model, width: number): Element {
  let sum = 0;
  const bars = Array.from(varianceRatios, (ratio, i) => {
    sum += ratio;
    return { component: i + 1, ratio, sum: Math.min(1, sum) };
  });
  const count = bars.length;
  const every = Math.ceil(count / Math.max(1, Math.floor(width / 40)));
  const told = bars.slice(0, 5).map(({ component, ratio }) => `component ${component} ${percent(ratio)}`);
  return Plot.plot({
    width,
    height: 220,
    marginLeft: MARGIN.left,
    marginRight: MARGIN.right,
    marginTop: MARGIN.top,
    marginBottom: MARGIN.bottom,
    ariaLabel: `Share of the variance: ${told.join(', ')}. ${count} together ${percent(sum)}.`,
    x: {
      // A bar ends where its number says: at k all components up to k are to the left of the handle.
      domain: [0, count],
      label: null,
      ticks: bars.map(({ component }) => component - 0.5).filter((_, i) => i % every === 0),
      tickFormat: (at: number) => String(at + 0.5),
      tickSize: 0,
    },
    y: { label: 'share of variance', domain: [0, 1], tickFormat: '.0%', grid: true, ticks: 5 },
    marks: [
      Plot.rectY(bars, {
        x1: ({ component }) => component - 0.88,
        x2: ({ component }) => component - 0.12,
        y: 'ratio',
        fill: 'var(--accent)',
      }),
      Plot.line(bars, { x: ({ component }) => component - 0.5, y: 'sum', stroke: 'var(--warm)', strokeWidth: 2 }),
      Plot.dot(bars, {
        x: ({ component }) => component - 0.5,
        y: 'sum',
        fill: 'var(--warm)',
        r: count > 30 ? 0 : 3.5,
      }),
      Plot.ruleY([0]),
    ],
  });
}
