import { computed, effect, signal } from '@preact/signals';
import { cloudScores } from './cloud-points.js';
import { reportProblem } from './data.js';
import { type Fitted, fitted, queryFit } from './fit.js';
import { resource } from './resource.js';
import { settings } from './settings.js';

/** The state of the view, shared by all panels. */

/** Number of components kept, from 1 to the number fitted. */
export const k = signal(2);
/** Whether the user chose k, by hand or by a link. Otherwise it follows from the data, and is chosen again for every fit. */
export const isKByHand = signal(false);
export function setK(value: number): void {
  k.value = value;
  isKByHand.value = true;
  component.value = Math.min(component.peek(), value - 1);
}
/** Components on the axes, from 0. */
export const axes = signal<readonly [x: number, y: number, z: number]>([0, 1, 2]);
export const is3d = signal(false);
/** How points are coloured: not at all, by reconstruction error, or by a column. */
export const colourBy = signal<'none' | 'error' | number>('none');
export const showArrows = signal(true);
export const tool = signal<'move' | 'lasso'>('move');
/** Selected rows of the fit. */
export const selected = signal<Uint32Array | undefined>(undefined);
export const hovered = signal<number | undefined>(undefined);
/** The component whose weights are drawn as bars. */
export const component = signal(0);

/** A new fit keeps what is still valid. The selection is cleared when the rows have changed. */
let previousFit: Fitted | undefined;
effect(() => {
  const now = fitted.value;
  if (!now) return;
  const most = now.model.k;
  k.value = Math.min(Math.max(1, k.peek()), most);
  const [x, y, z] = axes.peek();
  // Without a second component, the other axis is empty; it returns to the second when there is one.
  const within = (c: number, otherwise: number): number => (c < most ? c : otherwise);
  axes.value = [within(x, 0), within(y, 1), within(z, 2)];
  component.value = within(component.peek(), 0);
  if (most < 3) is3d.value = false;
  if (!previousFit || !sameRows(previousFit, now)) {
    selected.value = undefined;
    hovered.value = undefined;
  }
  previousFit = now;
});

/** Whether two fits have the same rows of the same data. Equal counts are not enough: other rows may have been dropped. */
function sameRows(a: Fitted, b: Fitted): boolean {
  if (a.data !== b.data || a.model.n !== b.model.n) return false;
  return a.keptRows === b.keptRows || (a.keptRows?.every((row, i) => row === b.keptRows?.[i]) ?? false);
}

/** Scores of the components on the axes: `at` for text and tables, `cloud` as they are drawn. */
export const points = resource(
  () => {
    const now = fitted.value;
    if (!now) return undefined;
    const [x, y, z] = axes.value;
    return { now, components: is3d.value && now.model.k > 2 ? [x, y, z] : [x, y] };
  },
  async ({ now, components }) => {
    const scores = await Promise.all(
      components.map((c) => (c < now.model.k ? queryFit(now, 'scores', c) : new Float64Array(now.model.n))),
    );
    return { now, components, at: { x: scores[0], y: scores[1] }, cloud: cloudScores(scores) };
  },
  reportProblem,
);

/** The colours of the points: from a column, or from the reconstruction errors with k components. */
export const colourCodes = resource(
  () => {
    const now = fitted.value;
    const by = colourBy.value;
    if (!now || by === 'none') return undefined;
    if (by === 'error') return { now, by, k: Math.min(k.value, now.model.k) };
    return by < now.data.info.columns.length ? { now, by, k: 0 } : undefined;
  },
  async (question) => ({
    ...question,
    codes: await (question.by === 'error'
      ? queryFit(question.now, 'distanceColours', question.k)
      : queryFit(question.now, 'colourCodes', question.by)),
  }),
  reportProblem,
);

/** Index of the column that names rows; undefined while other data are still shown. */
export const labelColumn = computed(() =>
  settings.value?.data === fitted.value?.data ? settings.value?.chosen.label : undefined,
);
