import { count, percent } from '@scree/analysis/describe';
import { useCallback, useMemo, useRef } from 'preact/hooks';
import { Chart } from '../charts/chart.js';
import { NumbersTable } from '../charts/numbers-table.js';
import { ExportFigure } from '../export/export-figure.js';
import { wholeChart } from '../export/whole-chart.js';
import { oneLine } from '../shorten.js';
import { reportProblem } from '../state/data.js';
import { type Fitted, fitted, queryFit } from '../state/fit.js';
import { picture } from '../state/picture.js';
import { resource } from '../state/resource.js';
import { COLUMN_VALUES, columnValue, component, k } from '../state/view.js';
import { columnsWithLargestWeights, MAX_BARS, MAX_COLUMNS, MAX_COMPONENTS } from './largest-weights.js';
import { Panel, type PanelProps } from './panel.js';

/** Names of the columns that were fitted. */
function useNames({ columns, data }: Fitted): readonly string[] {
  return useMemo(() => columns.map((column) => oneLine(data.info.columns[column].name)), [columns, data]);
}

const VALUES: Record<
  (typeof COLUMN_VALUES)[number],
  { readonly title: string; readonly choice: string; readonly about: string; readonly decimals: number }
> = {
  weight: {
    title: 'Weights of the columns',
    choice: 'weights',
    about: 'Blue is positive, orange negative, stronger is larger.',
    decimals: 2,
  },
  correlation: {
    title: 'Correlations of the columns with the scores',
    choice: 'correlations',
    about: 'Blue is positive, orange negative, stronger is larger.',
    decimals: 2,
  },
  contribution: {
    title: 'Contributions of the columns, in %',
    choice: 'contributions (%)',
    about: 'How much of a component’s variance each column makes up: 100 % per component, over all columns.',
    decimals: 1,
  },
  cos2: {
    title: 'cos² of the columns',
    choice: 'cos² (quality)',
    about: 'How much of a column’s variance each component shows: 1 per column, over all components.',
    decimals: 2,
  },
};

/** Correlations, contributions or cos² of the columns, if they are shown instead of the weights. */
const shares = resource(
  () => {
    const now = fitted.value;
    if (!now || columnValue.value === 'weight' || picture.value) return undefined;
    return { now, shown: Math.min(k.value, now.model.k, MAX_COMPONENTS) };
  },
  async ({ now, shown }) => ({
    now,
    shown,
    found: await queryFit(
      now,
      'columnShares',
      Array.from({ length: shown }, (_, c) => c),
    ),
  }),
  reportProblem,
);

/** The weights of the columns in all kept components, or their correlations, contributions or cos². */
export function WeightsPanel({ now }: PanelProps) {
  const container = useRef<HTMLDivElement>(null);
  const { model } = now;
  const names = useNames(now);
  const wanted = columnValue.value;
  const current = shares.value?.now === now ? shares.value : undefined;
  // Until the other numbers arrive, the panel shows weights, and calls them weights.
  const value = wanted === 'weight' || !current ? 'weight' : wanted;
  const shown = value === 'weight' ? Math.min(k.value, model.k, MAX_COMPONENTS) : (current?.shown ?? 1);
  const { title, about, decimals } = VALUES[value];
  const d = names.length;
  const values = useMemo(
    () => (value === 'weight' || !current ? model.components.data.slice(0, shown * d) : current.found[value]),
    [model, value, current, shown, d],
  );
  const draw = useCallback(
    async (width: number, whole = false) => {
      const drawn = columnsWithLargestWeights(model, shown);
      const map = { title, drawn, names, values, ratios: model.varianceRatios, decimals, whole };
      return (await import('./loadings-heat-map.js')).heatMap(map, width);
    },
    [model, shown, names, values, title, decimals],
  );
  // If rows are pictures, components are shown as pictures instead.
  if (picture.value) return null;
  const limits = [
    ...(d > MAX_COLUMNS ? [`Of ${count(d)} columns, the ${MAX_COLUMNS} that contribute most.`] : []),
    ...(k.value > MAX_COMPONENTS ? [`The first ${MAX_COMPONENTS} of ${k.value} components.`] : []),
  ];
  return (
    <Panel
      id="weights"
      title={title}
      class="weights"
      tools={
        <ExportFigure
          name="weights"
          svg={() =>
            container.current
              ? wholeChart(container.current, (width) => draw(width, true), {
                  captions: [`${title}. ${about}`, ...limits],
                })
              : undefined
          }
        />
      }
    >
      <label class="inline">
        <span>show</span>
        <select
          value={wanted}
          onChange={({ currentTarget }) => {
            columnValue.value = COLUMN_VALUES.find((name) => name === currentTarget.value) ?? 'weight';
          }}
        >
          {COLUMN_VALUES.map((name) => (
            <option key={name} value={name}>
              {VALUES[name].choice}
            </option>
          ))}
        </select>
      </label>
      <div ref={container}>
        <Chart draw={draw} />
      </div>
      <NumbersTable
        caption={title}
        head={['column', ...Array.from({ length: shown }, (_, c) => `PC${c + 1}`)]}
        rows={columnsWithLargestWeights(model, shown).map((j) => [
          names[j],
          ...Array.from({ length: shown }, (_, c) => values[c * d + j].toFixed(decimals + 1)),
        ])}
      />
      <p class="hint">{[about, ...limits].join(' ')}</p>
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
    async (width: number, whole = false) =>
      (await import('./loadings-bars.js')).weightBars(model, chosen, names, width, whole),
    [model, chosen, names],
  );
  if (picture.value) return null;
  const d = names.length;
  const limit = d > MAX_BARS ? `The ${MAX_BARS} largest of ${count(d)} weights.` : '';
  const captions = [
    `Weights of the columns in PC${chosen + 1}, which has ${percent(model.varianceRatios[chosen])} of the variance.`,
    ...(limit === '' ? [] : [limit]),
  ];
  return (
    <Panel
      id="component"
      title="One component"
      class="weights"
      tools={
        <ExportFigure
          name={`component-${chosen + 1}`}
          svg={() =>
            container.current ? wholeChart(container.current, (width) => draw(width, true), { captions }) : undefined
          }
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
      {limit !== '' && <p class="hint">{limit}</p>}
    </Panel>
  );
}
