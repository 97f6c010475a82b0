import { computed, effect, signal } from '@preact/signals';
import { cloudScores } from './cloud-points.js';
import { reportProblem } from './data.js';
import { type Fitted, fitted, queryFit } from './fit.js';
import { resource } from './resource.js';
import { settings } from './settings.js';

/** How the fit is looked at: one state, which all views share. */

/** Components that are kept; 1 to as many as were fitted. */
export const k = signal(2);
/** Components that are drawn against each other, counted from 0. */
export const axes = signal<readonly [x: number, y: number, z: number]>([0, 1, 2]);
export const is3d = signal(false);
/** What points are coloured by: nothing, the error of their reconstruction, or a column. */
export const colourBy = signal<'none' | 'error' | number>('none');
export const showArrows = signal(true);
export const tool = signal<'move' | 'lasso'>('move');
/** Rows of the fit. */
export const selected = signal<Uint32Array | undefined>(undefined);
export const hovered = signal<number | undefined>(undefined);
/** The component whose weights are drawn as bars. */
export const component = signal(0);

/** A new fit keeps what still makes sense; rows are others after other data or other missing values. */
let previousFit: Fitted | undefined;
effect(() => {
  const now = fitted.value;
  if (!now) return;
  const most = now.model.k;
  k.value = Math.min(Math.max(1, k.peek()), most);
  const [x, y, z] = axes.peek();
  // Where there is no second component the other axis is nothing, and the second again once there is one.
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

/** Whether the rows of two fits are the same rows of the same data: as many say nothing, others may have been left out. */
function sameRows(a: Fitted, b: Fitted): boolean {
  if (a.data !== b.data || a.model.n !== b.model.n) return false;
  return a.keptRows === b.keptRows || (a.keptRows?.every((row, i) => row === b.keptRows?.[i]) ?? false);
}

/** Scores of the components drawn: as they are, for words and tables, and as they are drawn. */
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

/** What colours the points: values of a column, or distances from the reconstructions by k components. */
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

/** The place of the column that names rows; of none while what is shown are still other data. */
export const labelColumn = computed(() =>
  settings.value?.data === fitted.value?.data ? settings.value?.chosen.label : undefined,
);
