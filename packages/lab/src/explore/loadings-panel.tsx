import { useCallback, useMemo, useRef } from 'preact/hooks';
import { Chart } from '../charts/chart.js';
import { fitted } from '../state/fit.js';
import { picture } from '../state/picture.js';
import { component, k } from '../state/view.js';
import { TakeFigure } from '../take/take-figure.js';
import { MOST_BARS, weightBars } from './loadings-bars.js';
import { heatMap, MOST_COLUMNS, MOST_COMPONENTS } from './loadings-heat-map.js';
import { Panel } from './panel.js';

/** How the components are made of the columns: all at a glance, and one of them in order of weight. */
export function LoadingsPanel() {
  const map = useRef<HTMLDivElement>(null);
  const bars = useRef<HTMLDivElement>(null);
  const { model, columns, data } = fitted.value!;
  const names = useMemo(() => columns.map((place) => data.facts.columns[place].name), [columns, data]);
  const shown = Math.min(k.value, model.k, MOST_COMPONENTS);
  const chosen = Math.min(component.value, model.k - 1);
  const drawMap = useCallback((width: number) => heatMap(model, shown, names, width), [model, shown, names]);
  const drawBars = useCallback((width: number) => weightBars(model, chosen, names, width), [model, chosen, names]);
  const d = columns.length;
  return (
    <div class="row halves">
      {!picture.value && (
        <Panel
          id="loadings"
          title="Weights of the columns"
          tools={<TakeFigure name="weights" svg={() => map.current?.querySelector('svg') ?? undefined} />}
        >
          <div ref={map}>
            <Chart draw={drawMap} />
          </div>
          <p class="hint">
            Blue is positive, orange negative, stronger is larger.
            {d > MOST_COLUMNS
              ? ` Of ${d.toLocaleString('en')} columns, the ${MOST_COLUMNS} with the largest weights.`
              : ''}
            {k.value > MOST_COMPONENTS ? ` The first ${MOST_COMPONENTS} of ${k.value} components.` : ''}
          </p>
        </Panel>
      )}
      <Panel
        id="bars"
        title="One component"
        tools={
          <TakeFigure name={`component-${chosen + 1}`} svg={() => bars.current?.querySelector('svg') ?? undefined} />
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
        <div ref={bars}>
          <Chart draw={drawBars} />
        </div>
        {d > MOST_BARS && <p class="hint">{`The ${MOST_BARS} largest of ${d.toLocaleString('en')} weights.`}</p>}
      </Panel>
    </div>
  );
}
