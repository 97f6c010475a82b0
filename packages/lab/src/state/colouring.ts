import { computed } from '@preact/signals';
import { colourOf, isDark } from '../theme.js';
import { rangeOf } from '../worker/values.js';
import { fitted } from './fit.js';
import { colour, errors, values } from './view.js';

/** Colours of the points, and what they mean. */
export interface Colouring {
  /** Place in the palette of each row. */
  readonly codes: Uint8Array;
  readonly palette: readonly string[];
  readonly legend: Legend | undefined;
}

export type Legend =
  | {
      readonly kind: 'groups';
      readonly title: string;
      readonly entries: readonly { readonly name: string; readonly colour: string; readonly count: number }[];
    }
  | {
      readonly kind: 'scale';
      readonly title: string;
      readonly low: number;
      readonly high: number;
      readonly palette: readonly string[];
    };

/** Steps of a scale: as good as continuous to the eye. */
const STEPS = 32;
/** From low to high: blue over violet to orange, which all eyes tell apart, of middling lightness on either ground. */
const RAMP = {
  light: [
    [43, 79, 184],
    [176, 65, 143],
    [221, 132, 16],
  ],
  dark: [
    [111, 147, 247],
    [224, 112, 184],
    [255, 196, 90],
  ],
} as const;

/** Until the colours of a new fit are there the points have none. */
export const colouring = computed((): Colouring | undefined => {
  const now = fitted.value;
  if (!now) return undefined;
  const dark = isDark();
  const by = colour.value;
  if (by === 'error') {
    const found = errors.value;
    if (found?.now !== now) return plain(now.model.n);
    const distances = found.squares.map(Math.sqrt);
    return scale(distances, rangeOf(distances), `distance from the reconstruction (k = ${found.k})`, dark);
  }
  const found = values.value;
  if (by === 'none' || found?.now !== now || found.by !== by) return plain(now.model.n);
  const title = now.data.facts.columns[by].name;
  if (found.values.kind === 'numbers') return scale(found.values.numbers, found.values, title, dark);
  const { codes, names, counts, others } = found.values;
  const palette = names.map((_, at) =>
    colourOf(others && at === names.length - 1 ? '--group-other' : `--group-${at % 10}`),
  );
  const entries = names.map((name, at) => ({ name, colour: palette[at], count: counts[at] }));
  return { codes, palette, legend: { kind: 'groups', title, entries } };
});

function plain(n: number): Colouring {
  return { codes: new Uint8Array(n), palette: [colourOf('--accent')], legend: undefined };
}

function scale(
  numbers: ArrayLike<number>,
  { low, high }: { low: number; high: number },
  title: string,
  dark: boolean,
): Colouring {
  const ramp = RAMP[dark ? 'dark' : 'light'];
  const palette = Array.from({ length: STEPS }, (_, step) => {
    const at = (2 * step) / (STEPS - 1);
    const [from, to, share] = at < 1 ? [ramp[0], ramp[1], at] : [ramp[1], ramp[2], at - 1];
    return `rgb(${from.map((value, c) => Math.round(value + (to[c] - value) * share)).join(', ')})`;
  });
  // Missing values have the colour of what has no name.
  palette.push(colourOf('--group-other'));
  const spread = high > low ? (STEPS - 1) / (high - low) : 0;
  const codes = Uint8Array.from({ length: numbers.length }, (_, i) =>
    Number.isNaN(numbers[i]) ? STEPS : Math.max(0, Math.min(STEPS - 1, Math.round((numbers[i] - low) * spread))),
  );
  return { codes, palette, legend: { kind: 'scale', title, low, high, palette: palette.slice(0, STEPS) } };
}
