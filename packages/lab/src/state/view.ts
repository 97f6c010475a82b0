import { computed, effect, signal } from '@preact/signals';
import type { OutlineKind } from '@scree/analysis';
import { cloudScores } from './cloud-points.js';
import { reportProblem } from './data.js';
import { type Fitted, fitted, queryFit } from './fit.js';
import { resource } from './resource.js';
import { settings } from './settings.js';

/** The state of the view, shared by all panels. */

/** Number of components kept, from 1 to the number fitted. */
export const k = signal(2);
/** True if the user chose k, by hand or by a link. Otherwise k follows from the data, and is chosen again for every fit. */
export const isKByHand = signal(false);
export function setK(value: number): void {
  k.value = value;
  isKByHand.value = true;
  component.value = Math.min(component.peek(), value - 1);
}
/** Components on the axes, from 0. */
export const axes = signal<readonly [x: number, y: number, z: number]>([0, 1, 2]);
export const is3d = signal(false);
/** How points are coloured: all alike, by a number that the model gives each row, or by a column. */
export type ColourBy = (typeof COLOURINGS)[number] | number;
export const COLOURINGS = ['none', 'error', 'cos2', 'contribution'] as const;
export const colourBy = signal<ColourBy>('none');
export const showArrows = signal(true);
/** The largest number of arrows; undefined for the number that can be read. */
export const arrowLimit = signal<number | undefined>(undefined);
/** The lines around the groups that colour the points, and the probability of an ellipse. */
export const OUTLINES = ['none', 'confidence', 'concentration', 'hull'] as const satisfies readonly (
  | OutlineKind
  | 'none'
)[];
export const outlineKind = signal<(typeof OUTLINES)[number]>('none');
export const LEVELS = [0.5, 0.68, 0.9, 0.95, 0.99] as const;
export const outlineLevel = signal<number>(0.95);
/** The numbers that the weights panel can show about the columns. */
export const COLUMN_VALUES = ['weight', 'correlation', 'contribution', 'cos2'] as const;
export const columnValue = signal<(typeof COLUMN_VALUES)[number]>('weight');
export const tool = signal<'move' | 'lasso'>('move');
/** Selected rows of the fit. */
export const selected = signal<Uint32Array | undefined>(undefined);
export const hovered = signal<number | undefined>(undefined);
/** The component whose weights are drawn as bars. */
export const component = signal(0);

const previousFit = signal<Fitted | undefined>(undefined);

/** Adapts the view to a new fit. Everything that is still valid stays; the selection is cleared if the rows have changed. */
effect(() => {
  const now = fitted.value;
  if (!now) return;
  const most = now.model.k;
  k.value = Math.min(Math.max(1, k.peek()), most);
  const [x, y, z] = axes.peek();
  // Without a second component the other axis is empty. It returns to the second component when a fit has one.
  const within = (c: number, otherwise: number): number => (c < most ? c : otherwise);
  axes.value = [within(x, 0), within(y, 1), within(z, 2)];
  component.value = within(component.peek(), 0);
  if (most < 3) is3d.value = false;
  const before = previousFit.peek();
  if (!before || !sameRows(before, now)) {
    selected.value = undefined;
    hovered.value = undefined;
  }
  previousFit.value = now;
});

/** True if two fits have the same rows of the same data. Equal counts are not enough, because other rows may have been dropped. */
function sameRows(a: Fitted, b: Fitted): boolean {
  if (a.data !== b.data || a.model.n !== b.model.n) return false;
  return a.keptRows === b.keptRows || (a.keptRows?.every((row, i) => row === b.keptRows?.[i]) ?? false);
}

/** Scores of the components on the axes: `at` for text and tables, `cloud` for the figure. */
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

/** The components on the axes, without those that the model does not have. */
export const drawnComponents = computed((): readonly number[] => {
  const most = fitted.value?.model.k ?? 0;
  return [...new Set(axes.value.slice(0, is3d.value && most > 2 ? 3 : 2))].filter((c) => c < most);
});

/** The colours of the points: from a column, from the reconstruction errors with k components, or from the components on the axes. */
export const colourCodes = resource(
  () => {
    const now = fitted.value;
    const by = colourBy.value;
    if (!now || by === 'none') return undefined;
    if (by === 'error') return { now, by, k: Math.min(k.value, now.model.k), components: [] };
    if (typeof by === 'string') return { now, by, k: 0, components: drawnComponents.value };
    return by < now.data.info.columns.length ? { now, by, k: 0, components: [] } : undefined;
  },
  async (question) => {
    const { now, by, components } = question;
    const codes = await (by === 'error'
      ? queryFit(now, 'distanceColours', question.k)
      : by === 'cos2' || by === 'contribution'
        ? queryFit(now, 'shareColours', { of: by, components })
        : queryFit(now, 'colourCodes', by));
    return { ...question, codes };
  },
  reportProblem,
);

/** Ellipses or hulls of the groups that colour the points. There are none in 3-D, because they would have no area. */
export const outlines = resource(
  () => {
    const colours = colourCodes.value;
    const kind = outlineKind.value;
    const [x, y, z] = drawnComponents.value;
    if (kind === 'none' || colours?.codes.kind !== 'groups' || colours.now !== fitted.value) return undefined;
    if (typeof colours.by !== 'number' || y === undefined || z !== undefined) return undefined;
    return { now: colours.now, column: colours.by, components: [x, y] as const, kind, level: outlineLevel.value };
  },
  async ({ now, ...what }) => ({ now, ...what, found: await queryFit(now, 'outlines', what) }),
  reportProblem,
);

/** Index of the column that names rows; undefined while other data are still shown. */
export const labelColumn = computed(() =>
  settings.value?.data === fitted.value?.data ? settings.value?.chosen.label : undefined,
);
