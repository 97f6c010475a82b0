import { percent } from '@scree/analysis/describe';
import type { Model } from '@scree/core';
import { useRef } from 'preact/hooks';
import { ExportPictures } from '../export/export-figure.js';
import { picture } from '../state/picture.js';
import { axes, component, k } from '../state/view.js';
import { isDark } from '../theme.js';
import { paintDiverging } from './paint.js';
import { Panel, type PanelProps } from './panel.js';
import { PixelPicture } from './picture.js';

/** Number of components drawn. */
const MAX_PICTURES = 28;

/** Components as pictures, if rows are pictures. */
export function ComponentPictures({ now }: PanelProps) {
  const container = useRef<HTMLDivElement>(null);
  const { model } = now;
  const size = picture.value;
  if (!size) return null;
  const drawn = Math.min(model.k, MAX_PICTURES);
  return (
    <Panel
      id="pictures"
      title="Components as pictures"
      tools={<ExportPictures name="components" container={container} />}
    >
      <LargePicture model={model} c={Math.min(component.value, model.k - 1)} size={size} />
      <div class="pictures" ref={container}>
        {Array.from({ length: drawn }, (_, c) => (
          <button
            key={c}
            type="button"
            class={`picture ${c < k.value ? '' : 'left-out'}`}
            aria-pressed={component.value === c}
            onClick={() => (component.value = c)}
          >
            <ComponentPicture model={model} c={c} size={size} />
            <span>{`PC${c + 1} ${percent(model.varianceRatios[c])}`}</span>
          </button>
        ))}
      </div>
      <p class="hint">
        {drawn < model.k ? `The first ${drawn} of ${model.k} components. ` : ''}
        If a row has a positive score, blue pixels add brightness and orange pixels reduce it. Pale pictures are
        components that are not kept.
      </p>
    </Panel>
  );
}

interface Props {
  readonly model: Model;
  readonly c: number;
  readonly size: readonly [height: number, width: number];
}

function ComponentPicture({ model, c, size }: Props) {
  return (
    <PixelPicture
      size={size}
      label={`Component ${c + 1} as a picture`}
      paint={(context) => paintDiverging(context, componentOf(model, c), size, isDark())}
      deps={[model, c]}
    />
  );
}

/** The chosen component, enlarged. */
function LargePicture({ model, c, size }: Props) {
  const [x, y, z] = axes.value;
  return (
    <figure class="large-picture">
      <ComponentPicture model={model} c={c} size={size} />
      <figcaption>
        <strong>{`PC${c + 1}`}</strong>
        {` has ${percent(model.varianceRatios[c])} of the variance. `}
        {x === c ? (
          'The scores above are drawn along it, from left to right.'
        ) : (
          <button type="button" class="link" onClick={() => (axes.value = [c, y === c ? x : y, z === c ? x : z])}>
            Draw the scores along it
          </button>
        )}
      </figcaption>
    </figure>
  );
}

function componentOf({ components: { data, cols } }: Model, c: number): Float64Array {
  return data.subarray(c * cols, (c + 1) * cols);
}
