import { signal } from '@preact/signals';
import { count, formatNumber, percent, plural } from '@scree/analysis/describe';
import type { Model } from '@scree/core';
import { useRef } from 'preact/hooks';
import { ExportPictures } from '../export/export-figure.js';
import { reportProblem } from '../state/data.js';
import { fitted, queryFit, rowNumber } from '../state/fit.js';
import { picture } from '../state/picture.js';
import { resource } from '../state/resource.js';
import { hovered, k, selected } from '../state/view.js';
import { isDark } from '../theme.js';
import { paintDiverging, paintGrey } from './paint.js';
import { Panel, type PanelProps } from './panel.js';
import { PixelPicture } from './picture.js';
import { reconstructRow, scoresOfRow } from './reconstruct-row.js';

const lastRow = signal(0);

/** The row under the pointer, or the first selected row, or the row that was shown last. */
const shownRow = resource(
  () => {
    const now = fitted.value;
    if (!now || !picture.value) return undefined;
    const wanted = hovered.value ?? selected.value?.[0] ?? lastRow.peek();
    const row = wanted < now.model.n ? wanted : 0;
    lastRow.value = row;
    return { now, row };
  },
  async ({ now, row }) => {
    const values = await queryFit(now, 'row', row);
    return { now, row, values, scores: scoresOfRow(now.model, values) };
  },
  reportProblem,
);

/** A row as a picture, next to its reconstruction from k components. */
export function ReconstructionPanel({ now }: PanelProps) {
  const container = useRef<HTMLDivElement>(null);
  const size = picture.value;
  if (!size) return null;
  const { model } = now;
  const row = shownRow.value?.now === now ? shownRow.value : undefined;
  const kept = Math.min(k.value, model.k);
  return (
    <Panel
      id="rebuilt"
      title="Reconstruction"
      tools={row && <ExportPictures name={`row-${rowNumber(now, row.row)}-rebuilt`} container={container} />}
    >
      {row && (
        <>
          <div class="pictures large" ref={container}>
            <figure>
              <PixelPicture
                size={size}
                label={`Row ${rowNumber(now, row.row)} as in the data`}
                paint={(context) => paintGrey(context, row.values, size, row.values)}
                deps={[row]}
              />
              <figcaption>{`row ${count(rowNumber(now, row.row))}`}</figcaption>
            </figure>
            <figure>
              <PixelPicture
                size={size}
                label={`Row ${rowNumber(now, row.row)} reconstructed from ${plural(kept, 'component')}`}
                paint={(context) => paintGrey(context, reconstructRow(model, row.scores, kept), size, row.values)}
                deps={[row, kept]}
              />
              <figcaption>{`from ${kept} ${kept === 1 ? 'number' : 'numbers'}`}</figcaption>
            </figure>
            <figure>
              <PixelPicture
                size={size}
                label={`Difference from ${plural(kept, 'component')}`}
                paint={(context) => paintDiverging(context, residual(model, row, kept), size, isDark())}
                deps={[row, kept]}
              />
              <figcaption>difference</figcaption>
            </figure>
          </div>
          <p class="hint">{describeReconstruction(model, row, kept)}</p>
          <p class="hint">Point at or select another row to see it here.</p>
        </>
      )}
    </Panel>
  );
}

interface Shown {
  readonly values: Float64Array;
  readonly scores: Float64Array;
}

function residual(model: Model, { values, scores }: Shown, kept: number): Float64Array {
  const built = reconstructRow(model, scores, kept);
  return values.map((value, j) => value - built[j]);
}

function describeReconstruction(model: Model, { values, scores }: Shown, kept: number): string {
  const all = lengthOf(values.map((value, j) => (value - model.mean[j]) / model.scale[j]));
  const share = all === 0 ? 1 : Math.min(1, (lengthOf(scores.subarray(0, kept)) / all) ** 2);
  const rest = all * Math.sqrt(1 - share);
  return `The reconstruction keeps ${percent(share)} of the row’s squared distance from the mean. Its distance from the row is ${formatNumber(rest)}.`;
}

/** The Euclidean norm. Numbers are divided by the largest one first, because squares of very small numbers would be 0. */
function lengthOf(row: Float64Array): number {
  const unit = row.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1;
  return unit * Math.sqrt(row.reduce((sum, value) => sum + (value / unit) ** 2, 0));
}
