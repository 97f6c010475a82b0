import type { Model } from '@scree/core';
import { fitted } from '../state/fit.js';
import { picture } from '../state/picture.js';
import { component, k } from '../state/view.js';
import { isDark } from '../theme.js';
import { paintDiverging } from './paint.js';
import { Panel } from './panel.js';
import { Picture } from './picture.js';

/** Components drawn as pictures. */
const MOST = 28;

/** Components of pictures are pictures too. */
export function ComponentPictures() {
  const { model } = fitted.value!;
  const size = picture.value;
  if (!size) return null;
  return (
    <Panel id="pictures" title="Components as pictures">
      <div class="pictures">
        {Array.from({ length: Math.min(model.k, MOST) }, (_, c) => (
          <button
            key={c}
            type="button"
            class={`picture ${c < k.value ? '' : 'left-out'}`}
            aria-pressed={component.value === c}
            onClick={() => (component.value = c)}
          >
            <Picture
              size={size}
              label={`Component ${c + 1} as a picture`}
              paint={(context) => paintDiverging(context, componentOf(model, c), size, isDark())}
              deps={[model, c]}
            />
            <span>{`PC${c + 1}`}</span>
          </button>
        ))}
      </div>
      <p class="hint">
        Where the score of a row is positive, blue pixels add brightness and orange ones take it away. Pale ones are not
        kept.
      </p>
    </Panel>
  );
}

function componentOf({ components: { data, cols } }: Model, c: number): Float64Array {
  return data.subarray(c * cols, (c + 1) * cols);
}
