import { computed } from '@preact/signals';
import { CATEGORY_COLOURS, listed, OTHER_COLOUR, RAMP_COLOURS } from '@scree/analysis/describe';
import type { CloudLegend } from '../charts/point-cloud/types.js';
import { isDark, themeColour } from '../theme.js';
import { SHADES } from '../worker/messages.js';
import { fitted } from './fit.js';
import { colourBy, colourCodes } from './view.js';

/** The colours of the points and their legend. */
export interface PointColours {
  /** Index into the palette per row. */
  readonly codes: Uint8Array;
  readonly palette: readonly string[];
  readonly legend: CloudLegend | undefined;
}

/** Until the colours of a new fit arrive, all points have one colour. */
export const colouring = computed((): PointColours | undefined => {
  const now = fitted.value;
  if (!now) return undefined;
  const theme = isDark() ? 'dark' : 'light';
  const by = colourBy.value;
  const found = colourCodes.value;
  if (by === 'none' || found?.now !== now || found.by !== by) {
    return { codes: new Uint8Array(now.model.n), palette: [themeColour('--accent')], legend: undefined };
  }
  const title = titleOf();
  if (found.codes.kind === 'shades') {
    const { codes, low, high } = found.codes;
    const palette = shades();
    // Missing values have the colour of the remaining groups.
    return {
      codes,
      palette: [...palette, OTHER_COLOUR[theme]],
      legend: { kind: 'scale', title, low, high, palette },
    };
  }
  const { codes, names, counts, others, missing } = found.codes;
  // Rows without a value and the remaining groups do not get the colour of a category.
  const palette = names.map((_, at) =>
    at === missing || (others && at === names.length - 1) ? OTHER_COLOUR[theme] : CATEGORY_COLOURS[at][theme],
  );
  const entries = names.map((name, at) => ({ name, colour: palette[at], count: counts[at] }));
  return { codes, palette, legend: { kind: 'groups', title, entries } };

  function titleOf(): string {
    if (typeof found?.by === 'number') return now?.data.info.columns[found.by].name ?? '';
    if (found?.by === 'error') return `distance from the reconstruction (k = ${found.k})`;
    const components = namesOfComponents(found?.components ?? []);
    return found?.by === 'cos2' ? `cos² on ${components}` : `contribution to ${components}, in %`;
  }
});

/** The names of components, as in "PC1 and PC2". */
export function namesOfComponents(components: readonly number[]): string {
  return listed(components.map((c) => `PC${c + 1}`));
}

/** The colours of a scale, from low to high. */
export function shades(): string[] {
  const theme = isDark() ? 'dark' : 'light';
  const ramp = RAMP_COLOURS.map(({ [theme]: hex }) =>
    [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)),
  );
  return Array.from({ length: SHADES }, (_, step) => {
    const at = (2 * step) / (SHADES - 1);
    const [from, to, share] = at < 1 ? [ramp[0], ramp[1], at] : [ramp[1], ramp[2], at - 1];
    return `rgb(${from.map((value, c) => Math.round(value + (to[c] - value) * share)).join(', ')})`;
  });
}
