import { computed } from '@preact/signals';
import { count, percent, plural } from '@scree/analysis/describe';
import type { CloudArrow, CloudOutline } from '../charts/point-cloud/point-cloud.js';
import { isNarrow } from '../charts/use-width.js';
import { oneLine } from '../shorten.js';
import { colouring, namesOfComponents, shades } from '../state/colouring.js';
import { reportProblem } from '../state/data.js';
import { queryFit } from '../state/fit.js';
import { resource } from '../state/resource.js';
import {
  arrowLimit,
  colourBy,
  colourCodes,
  drawnComponents,
  is3d,
  outlines,
  points,
  showArrows,
} from '../state/view.js';
import { MIN_ELLIPSE_ROWS, SHADES } from '../worker/messages.js';
import { biplotArrows } from './biplot-arrows.js';

/** Arrows and outlines over the points, and the captions that explain them. */

/** The number of arrows whose names can usually be read. */
const READABLE = { wide: 10, narrow: 6 };
/** More arrows than this cover everything else. */
export const MAX_ARROWS = 60;

/** The largest number of arrows that are drawn. */
export const mostArrows = computed(() =>
  Math.min(MAX_ARROWS, arrowLimit.value ?? READABLE[isNarrow.value ? 'narrow' : 'wide']),
);

/** cos² of the columns on the drawn components, if points and arrows are coloured by it. */
const columnQuality = resource(
  () => {
    const now = points.value?.now;
    return now && colourBy.value === 'cos2' ? { now, components: drawnComponents.value } : undefined;
  },
  async ({ now, components }) => {
    const { cos2 } = await queryFit(now, 'columnShares', components);
    const { d } = now.model;
    const sum = (j: number): number => components.reduce((total, _, at) => total + cos2[at * d + j], 0);
    return { now, cos2: Float64Array.from({ length: d }, (_, j) => Math.min(1, sum(j))) };
  },
  reportProblem,
);

/** The columns as arrows, for the components that are drawn. */
export const cloudArrows = computed((): readonly CloudArrow[] => {
  const drawn = points.value;
  if (!drawn || !showArrows.value) return [];
  const { now, components, cloud } = drawn;
  const quality = columnQuality.value?.now === now ? columnQuality.value.cos2 : undefined;
  const palette = quality && shades();
  const nameOf = (j: number): string => oneLine(now.data.info.columns[now.columns[j]].name);
  const colourOf = (j: number): string | undefined => palette?.[Math.round((SHADES - 1) * (quality?.[j] ?? 0))];
  return biplotArrows(now.model, components, cloud.points, nameOf, mostArrows.value, colourOf);
});

/** Ellipses or hulls of the groups, in the units of the drawn points. */
export const cloudOutlines = computed((): readonly CloudOutline[] => {
  const [found, drawn, colours] = [outlines.value, points.value, colouring.value];
  if (!found || !drawn || found.now !== drawn.now || colours?.legend?.kind !== 'groups' || is3d.value) return [];
  // After a change of the axes or of the column, nothing is drawn until the new outlines arrive.
  if (String(found.components) !== String(drawn.components) || found.column !== colourBy.value) return [];
  const unit = 10 ** drawn.cloud.exponent10;
  return found.found.map(({ group, points: line }) => ({
    points: line.map((value) => value / unit),
    colour: colours.palette[group],
    // As in the report: solid lines are about means, dashed ones about rows.
    dashed: found.kind === 'concentration',
  }));
});

/** Sentences that explain the arrows, the outlines and the colours. */
export const captions = computed((): readonly string[] => [...colourCaption(), ...arrowCaption(), ...outlineCaption()]);

function colourCaption(): string[] {
  const components = namesOfComponents(drawnComponents.value);
  if (colourBy.value === 'cos2') {
    return [
      `cos²: the share of a row’s squared distance from the mean that ${components} ${drawnComponents.value.length > 1 ? 'show' : 'shows'}${showArrows.value ? '; of a column’s variance, for arrows' : ''}.`,
    ];
  }
  if (colourBy.value !== 'contribution') return [];
  const rows = points.value?.now.model.n ?? 1;
  return [
    `Contribution: the share of the variance of ${components} that a row makes up; on average ${percent(1 / rows)}.`,
  ];
}

function arrowCaption(): string[] {
  const drawn = points.value;
  const shown = cloudArrows.value.length;
  if (!drawn || shown === 0) return [];
  const { d } = drawn.now.model;
  const components = namesOfComponents(drawnComponents.value);
  const which =
    shown < d
      ? `Arrows: the ${shown === 1 ? 'one' : count(shown)} of ${plural(d, 'column')} that ${shown === 1 ? 'contributes' : 'contribute'} most to ${components}.`
      : `Arrows: ${d === 1 ? 'the column' : d === 2 ? 'both columns' : `all ${plural(d, 'column')}`}.`;
  return [`${which} ${ARROW_SCALE}`];
}

/** Explains the arrows and the scale of the biplot. */
const ARROW_SCALE =
  'Arrows show covariances with the standardised scores, scaled by one factor to the extent of the points.';

function outlineCaption(): string[] {
  const drawn = outlines.value;
  if (!drawn) return [];
  const tooFew =
    drawn.kind !== 'hull' && hasTinyGroups() ? `Groups of fewer than ${MIN_ELLIPSE_ROWS} rows have no ellipse.` : '';
  if (cloudOutlines.value.length === 0) return tooFew === '' ? [] : [tooFew];
  const level = `${Math.round(100 * drawn.level)}\u00a0%`;
  return [
    `${
      {
        confidence: `Ellipses: each contains the true mean of its group with ${level} confidence, if the rows are normally distributed.`,
        concentration: `Dashed ellipses: each contains the next row of its group with a probability of ${level}, if the rows are normally distributed.`,
        hull: 'Outlines: the convex hulls of the groups.',
      }[drawn.kind]
    } ${tooFew}`.trim(),
  ];
}

function hasTinyGroups(): boolean {
  const codes = colourCodes.value?.codes;
  if (codes?.kind !== 'groups') return false;
  const { counts, others, missing } = codes;
  return counts.some((rows, at) => rows < MIN_ELLIPSE_ROWS && at !== missing && !(others && at === counts.length - 1));
}
