import { computed, signal } from '@preact/signals';
import type { Model } from '@scree/core';
import { percent, several } from '@scree/core/describe';
import { useRef } from 'preact/hooks';
import { type CloudArrow, type CloudHandle, PointCloud } from '../charts/point-cloud/point-cloud.js';
import { ExportFigure } from '../export/export-figure.js';
import { shorten } from '../shorten.js';
import { colouring } from '../state/colouring.js';
import type { Fitted } from '../state/fit.js';
import { axes, colourBy, hovered, is3d, points, selected, showArrows, tool } from '../state/view.js';
import type { ColumnInfo } from '../worker/messages.js';
import { biplotArrows } from './biplot-arrows.js';
import { LegendView } from './legend.js';
import { Panel, type PanelProps } from './panel.js';
import { RowCard } from './row-card.js';
import { labelColumns } from './settings-panel.js';

/** Both axes have the same units, so on a narrow page a tall figure would be mostly empty. */
const narrowScreen = matchMedia('(max-width: 40rem)');
const height = signal(heightFor(narrowScreen.matches));
narrowScreen.addEventListener('change', () => (height.value = heightFor(narrowScreen.matches)));

function heightFor(isNarrow: boolean): number {
  return isNarrow ? 340 : 520;
}

/** Most points that can be shown in 3-D. */
const MAX_3D_POINTS = 100_000;

/** The rows as points at their scores. */
export function ScoresPanel({ now }: PanelProps) {
  const handle = useRef<CloudHandle | undefined>(undefined);
  const { model } = now;
  const drawn = points.value;
  const colours = colouring.value;
  return (
    <Panel
      id="scores"
      title="Scores"
      class="scores"
      tools={<ExportFigure name="scores" svg={() => handle.current?.toSvg()} png={() => handle.current?.toPng()} />}
    >
      <div class="controls">
        <AxisChoice model={model} at={0} title="x" />
        <AxisChoice model={model} at={1} title="y" />
        {is3d.value && <AxisChoice model={model} at={2} title="z" />}
        <ColourChoice columns={now.data.info.columns} />
        <div class="toggles">
          {model.k > 2 && model.n <= MAX_3D_POINTS && (
            <button type="button" aria-pressed={is3d.value} onClick={() => (is3d.value = !is3d.value)}>
              3-D
            </button>
          )}
          <button type="button" aria-pressed={showArrows.value} onClick={() => (showArrows.value = !showArrows.value)}>
            Arrows
          </button>
          <button
            type="button"
            aria-pressed={tool.value === 'lasso'}
            onClick={() => (tool.value = tool.value === 'lasso' ? 'move' : 'lasso')}
          >
            Lasso
          </button>
          <button type="button" onClick={() => handle.current?.resetView()}>
            Reset view
          </button>
        </div>
      </div>
      <div class="cloud-column">
        {drawn?.now === now && colours && colours.codes.length === model.n ? (
          <PointCloud
            points={drawn.cloud.points}
            exponent10={drawn.cloud.exponent10}
            colours={colours.codes}
            palette={colours.palette}
            axes={drawn.components.map((c) => ({ label: axisLabel(now, c) }))}
            {...(showArrows.value ? { arrows: cloudArrows.value } : {})}
            selected={selected}
            hovered={hovered}
            tool={tool.value}
            height={height.value}
            label={`Scores of ${several(model.n, 'row')} on ${drawn.components.flatMap((c) => (c < model.k ? [`component ${c + 1}`] : [])).join(' and ')}.`}
            handle={(given) => {
              handle.current = given;
            }}
          />
        ) : (
          <div class="cloud-waiting" style={{ height: `${height.value}px` }} />
        )}
        <RowCard />
      </div>
      <LegendView />
      <p class="selection" role="status">
        {selected.value ? (
          <>
            {`${several(selected.value.length, 'row')} selected. `}
            <button type="button" class="link" onClick={() => (selected.value = undefined)}>
              Clear
            </button>
          </>
        ) : (
          <span class="hint">Click a point, draw a lasso or search the table to select rows in all views.</span>
        )}
      </p>
    </Panel>
  );
}

/** The columns as arrows, for the components that are drawn. */
const cloudArrows = computed((): readonly CloudArrow[] => {
  const drawn = points.value;
  return drawn ? biplotArrows(drawn.now.model, drawn.components, drawn.cloud.points, columnNames(drawn.now)) : [];
});

function columnNames({ data, columns }: Fitted): readonly string[] {
  return columns.map((column) => shorten(data.info.columns[column].name, 24));
}

function axisLabel({ model }: Fitted, c: number): string {
  return c < model.k ? `PC${c + 1} (${percent(model.varianceRatios[c])})` : '';
}

interface AxisChoiceProps {
  readonly model: Model;
  readonly at: 0 | 1 | 2;
  readonly title: string;
}

function AxisChoice({ model, at, title }: AxisChoiceProps) {
  return (
    <label class="inline">
      <span>{title}</span>
      <select
        value={String(axes.value[at])}
        onChange={({ currentTarget }) => {
          const next: [number, number, number] = [...axes.value];
          next[at] = Number(currentTarget.value);
          axes.value = next;
        }}
      >
        {Array.from({ length: Math.max(model.k, at + 1) }, (_, c) => (
          <option key={c} value={String(c)}>
            {c < model.k ? `PC${c + 1}` : 'nothing'}
          </option>
        ))}
      </select>
    </label>
  );
}

function ColourChoice({ columns }: { readonly columns: readonly ColumnInfo[] }) {
  return (
    <label class="inline wide">
      <span>colour</span>
      <select
        value={String(colourBy.value)}
        onChange={({ currentTarget: { value } }) => {
          colourBy.value = value === 'none' || value === 'error' ? value : Number(value);
        }}
      >
        <option value="none">one for all</option>
        <option value="error">reconstruction error</option>
        {labelColumns(columns).map((j) => (
          <option key={j} value={String(j)}>
            {shorten(columns[j].name, 30)}
          </option>
        ))}
      </select>
    </label>
  );
}
