import { count } from '@scree/core/describe';
import { useCallback, useMemo, useRef } from 'preact/hooks';
import { Chart } from '../charts/chart.js';
import { NumbersTable } from '../charts/numbers-table.js';
import { ExportFigure } from '../export/export-figure.js';
import { shorten } from '../shorten.js';
import type { Fitted } from '../state/fit.js';
import { picture } from '../state/picture.js';
import { component, k } from '../state/view.js';
import { columnsWithLargestWeights, MAX_BARS, MAX_COLUMNS, MAX_COMPONENTS } from './largest-weights.js';
import { Panel, type PanelProps } from './panel.js';

/** Names of the columns that were fitted. */
function useNames({ columns, data }: Fitted): readonly string[] {
  return useMemo(() => columns.map((column) => shorten(data.info.columns[column].name, 120)), [columns, data]);
}

/** The weights of the columns in all kept components. */
export function WeightsPanel({ now }: PanelProps) {
  const container = useRef<HTMLDivElement>(null);
  const { model } = now;
  const names = useNames(now);
  const shown = Math.min(k.value, model.k, MAX_COMPONENTS);
  const draw = useCallback(
    async (width: number) => (await import('./loadings-heat-map.js')).heatMap(model, shown, names, width),
    [model, shown, names],
  );
  // If rows are pictures, components are shown as pictures instead.
  if (picture.value) return null;
  const d = names.length;
  return (
    <Panel
      id="weights"
      title="Weights of the columns"
      class="weights"
      tools={<ExportFigure name="weights" svg={() => container.current?.querySelector('svg') ?? undefined} />}
    >
      <div ref={container}>
        <Chart draw={draw} />
      </div>
      <NumbersTable
        caption="Weights of the columns"
        head={['column', ...Array.from({ length: shown }, (_, c) => `PC${c + 1}`)]}
        rows={columnsWithLargestWeights(model, shown).map((j) => [
          names[j],
          ...Array.from({ length: shown }, (_, c) => model.components.data[c * d + j].toFixed(3)),
        ])}
      />
      <p class="hint">
        Blue is positive, orange negative, stronger is larger.
        {d > MAX_COLUMNS ? ` Of ${count(d)} columns, the ${MAX_COLUMNS} with the largest weights.` : ''}
        {k.value > MAX_COMPONENTS ? ` The first ${MAX_COMPONENTS} of ${k.value} components.` : ''}
      </p>
    </Panel>
  );
}

/** The weights of one component, largest first. */
export function ComponentPanel({ now }: PanelProps) {
  const container = useRef<HTMLDivElement>(null);
  const { model } = now;
  const names = useNames(now);
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
        <ExportFigure
          name={`component-${chosen + 1}`}
          svg={() => container.current?.querySelector('svg') ?? undefined}
        />
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
      <div ref={container}>
        <Chart draw={draw} />
      </div>
      {d > MAX_BARS && <p class="hint">{`The ${MAX_BARS} largest of ${count(d)} weights.`}</p>}
    </Panel>
  );
}
