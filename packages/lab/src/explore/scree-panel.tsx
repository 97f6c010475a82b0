import type { Model } from '@scree/core';
import { percent, several } from '@scree/core/describe';
import { useCallback, useRef } from 'preact/hooks';
import { Chart } from '../charts/chart.js';
import { NumbersTable } from '../charts/numbers-table.js';
import { ExportFigure } from '../export/export-figure.js';
import { component, k } from '../state/view.js';
import { useHorizontalDrag } from './horizontal-drag.js';
import type { PanelProps } from './panel.js';

/** Room around the bars of the plot: the handle is drawn over them. */
const MARGIN = { left: 44, right: 8, top: 26, bottom: 34 };

/** The share of the variance per component and cumulatively, with a handle that sets k. */
export function ScreePanel({ now }: PanelProps) {
  const container = useRef<HTMLDivElement>(null);
  const { model } = now;
  const draw = useCallback(
    async (width: number) => (await import('./scree-plot.js')).screePlot(model, width, MARGIN),
    [model],
  );
  const most = model.k;
  const kept = Math.min(k.value, most);
  const left = `calc(${MARGIN.left}px + (100% - ${MARGIN.left + MARGIN.right}px) * ${kept / most})`;
  const follow = (event: PointerEvent): void => {
    const box = container.current?.getBoundingClientRect();
    if (!box) return;
    const share = (event.clientX - box.left - MARGIN.left) / (box.width - MARGIN.left - MARGIN.right);
    k.value = Math.max(1, Math.min(most, Math.round(share * most)));
  };
  const drag = useHorizontalDrag(follow, () => {
    const before = k.peek();
    return () => (k.value = before);
  });
  return (
    <section class="panel" aria-labelledby="scree-title">
      <div class="title-row">
        <h2 id="scree-title">Variance explained</h2>
        <ExportFigure name="scree" svg={() => container.current?.querySelector('svg') ?? undefined} />
      </div>
      <p class="kept">
        <strong class="number">{`k = ${kept}`}</strong>
        {` keeps `}
        <strong class="number">{percent(sumOf(model, kept))}</strong>
        {` of the variance of ${several(model.d, 'column')}`}
      </p>
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
