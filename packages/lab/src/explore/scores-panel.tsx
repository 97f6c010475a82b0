import { count, percent, plural } from '@scree/analysis/describe';
import type { Model } from '@scree/core';
import { useRef } from 'preact/hooks';
import { type CloudHandle, PointCloud } from '../charts/point-cloud/point-cloud.js';
import { isNarrow } from '../charts/use-width.js';
import { ExportFigure } from '../export/export-figure.js';
import { shorten } from '../shorten.js';
import { colouring } from '../state/colouring.js';
import type { Fitted } from '../state/fit.js';
import {
  arrowLimit,
  axes,
  COLOURINGS,
  colourBy,
  hovered,
  is3d,
  LEVELS,
  OUTLINES,
  outlineKind,
  outlineLevel,
  points,
  selected,
  showArrows,
  tool,
} from '../state/view.js';
import type { ColumnInfo } from '../worker/messages.js';
import { captions, cloudArrows, cloudOutlines, MAX_ARROWS, mostArrows } from './biplot.js';
import { LegendView } from './legend.js';
import { Panel, type PanelProps } from './panel.js';
import { RowCard } from './row-card.js';
import { namingColumns } from './settings-panel.js';

/** The height of the figure. Both axes have the same units, so on a narrow page a tall figure would be mostly empty. */
const HEIGHT = { wide: 520, narrow: 340 };

/** Most points that can be shown in 3-D. */
const MAX_3D_POINTS = 100_000;

/** The rows as points at their scores. */
export function ScoresPanel({ now }: PanelProps) {
  const handle = useRef<CloudHandle | undefined>(undefined);
  const { model } = now;
  const drawn = points.value;
  const colours = colouring.value;
  const height = HEIGHT[isNarrow.value ? 'narrow' : 'wide'];
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
        <OutlineChoice hasGroups={colours?.legend?.kind === 'groups'} />
        <div class="toggles">
          {model.k > 2 && model.n <= MAX_3D_POINTS && (
            <button type="button" aria-pressed={is3d.value} onClick={() => (is3d.value = !is3d.value)}>
              3-D
            </button>
          )}
          <button type="button" aria-pressed={showArrows.value} onClick={() => (showArrows.value = !showArrows.value)}>
            Arrows
          </button>
          {showArrows.value && <ArrowCount columns={model.d} />}
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
      {drawn?.now === now && colours && colours.codes.length === model.n ? (
        <PointCloud
          points={drawn.cloud.points}
          exponent10={drawn.cloud.exponent10}
          colours={colours.codes}
          palette={colours.palette}
          axes={drawn.components.map((c) => ({ label: axisLabel(now, c) }))}
          arrows={cloudArrows.value}
          outlines={cloudOutlines.value}
          legend={colours.legend}
          captions={captions.value}
          selected={selected}
          hovered={hovered}
          tool={tool.value}
          height={height}
          label={scoresLabel(now, drawn.components)}
          handle={(given) => {
            handle.current = given;
          }}
        />
      ) : (
        <div class="cloud-waiting" style={{ height: `${height}px` }} />
      )}
      <RowCard />
      <LegendView />
      {captions.value.map((caption) => (
        <p key={caption} class="hint caption">
          {caption}
        </p>
      ))}
      <p class="selection" role="status">
        {selected.value ? (
          <>
            {`${plural(selected.value.length, 'row')} selected. `}
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

function scoresLabel({ model }: Fitted, components: readonly number[]): string {
  const names = components.flatMap((c) => (c < model.k ? [`component ${c + 1}`] : []));
  return `Scores of ${plural(model.n, 'row')} on ${names.join(' and ')}.`;
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

const COLOUR_NAMES: Record<(typeof COLOURINGS)[number], string> = {
  none: 'one for all',
  error: 'reconstruction error',
  cos2: 'cos² (quality)',
  contribution: 'contribution',
};

function ColourChoice({ columns }: { readonly columns: readonly ColumnInfo[] }) {
  return (
    <label class="inline wide">
      <span>colour</span>
      <select
        value={String(colourBy.value)}
        onChange={({ currentTarget: { value } }) => {
          colourBy.value = COLOURINGS.find((name) => name === value) ?? Number(value);
        }}
      >
        {COLOURINGS.map((name) => (
          <option key={name} value={name}>
            {COLOUR_NAMES[name]}
          </option>
        ))}
        {namingColumns(columns).map((j) => (
          <option key={j} value={String(j)}>
            {shorten(columns[j].name, 30)}
          </option>
        ))}
      </select>
    </label>
  );
}

const OUTLINE_NAMES: Record<(typeof OUTLINES)[number], string> = {
  none: 'none',
  confidence: 'ellipse of the mean',
  concentration: 'ellipse of the rows',
  hull: 'hull',
};

/** The choice of ellipses or hulls around groups, if groups colour the points. */
function OutlineChoice({ hasGroups }: { readonly hasGroups: boolean }) {
  if (!hasGroups || is3d.value) return null;
  const kind = outlineKind.value;
  return (
    <>
      <label class="inline">
        <span>around groups</span>
        <select
          value={kind}
          onChange={({ currentTarget: { value } }) => {
            outlineKind.value = OUTLINES.find((name) => name === value) ?? 'none';
          }}
        >
          {OUTLINES.map((name) => (
            <option key={name} value={name}>
              {OUTLINE_NAMES[name]}
            </option>
          ))}
        </select>
      </label>
      {(kind === 'confidence' || kind === 'concentration') && (
        <label class="inline">
          <span>{kind === 'confidence' ? 'confidence' : 'probability'}</span>
          <select
            value={String(outlineLevel.value)}
            onChange={({ currentTarget: { value } }) => (outlineLevel.value = Number(value))}
          >
            {LEVELS.map((level) => (
              <option key={level} value={String(level)}>{`${Math.round(100 * level)}\u00a0%`}</option>
            ))}
          </select>
        </label>
      )}
    </>
  );
}

/** The choice of the number of arrows. */
function ArrowCount({ columns }: { readonly columns: number }) {
  const most = Math.min(columns, MAX_ARROWS);
  return (
    <label class="inline arrow-count">
      <span class="visually-hidden">Number of arrows</span>
      <input
        type="number"
        min={1}
        max={most}
        value={Math.min(most, mostArrows.value)}
        onInput={({ currentTarget: { valueAsNumber } }) => {
          if (valueAsNumber >= 1) arrowLimit.value = Math.min(most, Math.round(valueAsNumber));
        }}
      />
      <span>{`of ${count(columns)}`}</span>
    </label>
  );
}
