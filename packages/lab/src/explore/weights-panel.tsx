import { count } from '@scree/core/words';
import { useCallback, useMemo, useRef } from 'preact/hooks';
import { Chart } from '../charts/chart.js';
import { NumbersTable } from '../charts/numbers-table.js';
import { shorten } from '../shorten.js';
import { fitted } from '../state/fit.js';
import { picture } from '../state/picture.js';
import { component, k } from '../state/view.js';
import { TakeFigure } from '../export/export-figure.js';
import { heaviest, MOST_BARS, MOST_COLUMNS, MOST_COMPONENTS } from './largest-weights.js';
import { Panel } from './panel.js';

/** Names of the columns that were fitted. */
function useNames(): readonly string[] {
  const { columns, data } = fitted.value!;
  return useMemo(() => columns.map((place) => shorten(data.facts.columns[place].name, 120)), [columns, data]);
}

/** How the components are made of the columns, all at a glance. */
export function WeightsPanel() {
  const home = useRef<HTMLDivElement>(null);
  const { model } = fitted.value!;
  const names = useNames();
  const shown = Math.min(k.value, model.k, MOST_COMPONENTS);
  const draw = useCallback(
    async (width: number) => (await import('./loadings-heat-map.js')).heatMap(model, shown, names, width),
    [model, shown, names],
  );
  // Where rows are pictures, the components are too, and are drawn as such.
  if (picture.value) return null;
  const d = names.length;
  return (
    <Panel
      id="weights"
      title="Weights of the columns"
      class="weights"
      tools={<TakeFigure name="weights" svg={() => home.current?.querySelector('svg') ?? undefined} />}
    >
      <div ref={home}>
        <Chart draw={draw} />
      </div>
      <NumbersTable
        caption="Weights of the columns"
        head={['column', ...Array.from({ length: shown }, (_, c) => `PC${c + 1}`)]}
        rows={heaviest(model, shown).map((j) => [
          names[j],
          ...Array.from({ length: shown }, (_, c) => model.components.data[c * d + j].toFixed(3)),
        ])}
      />
      <p class="hint">
        Blue is positive, orange negative, stronger is larger.
        {d > MOST_COLUMNS ? ` Of ${count(d)} columns, the ${MOST_COLUMNS} with the largest weights.` : ''}
        {k.value > MOST_COMPONENTS ? ` The first ${MOST_COMPONENTS} of ${k.value} components.` : ''}
      </p>
    </Panel>
  );
}

/** The weights of one component in order of size. */
export function ComponentPanel() {
  const home = useRef<HTMLDivElement>(null);
  const { model } = fitted.value!;
  const names = useNames();
  const chosen = Math.min(component.value, model.k - 1);
  const draw = useCallback(
    async (width: number) => (await import('./loadings-bars.js')).weightBars(model, chosen, names, width),
    [model, chosen, names],
  );
  if (picture.value) return null;
  const d = names.length;
  return (
    <Panel
      id="component"
      title="One component"
      class="weights"
      tools={
        <TakeFigure name={`component-${chosen + 1}`} svg={() => home.current?.querySelector('svg') ?? undefined} />
      }
    >
      <label class="inline">
        <span>component</span>
        <select
          value={String(chosen)}
          onChange={({ currentTarget }) => (component.value = Number(currentTarget.value))}
        >
          {Array.from({ length: model.k }, (_, c) => (
            <option key={c} value={String(c)}>{`PC${c + 1}`}</option>
          ))}
        </select>
      </label>
      <div ref={home}>
        <Chart draw={draw} />
      </div>
      {d > MOST_BARS && <p class="hint">{`The ${MOST_BARS} largest of ${count(d)} weights.`}</p>}
    </Panel>
  );
}
