import {
  CATEGORY_COLOURS,
  type Colour,
  NEGATIVE_COLOUR,
  NEGATIVE_FILL,
  OTHER_COLOUR,
  POSITIVE_COLOUR,
  POSITIVE_FILL,
  RAMP_COLOURS,
} from '@scree/analysis/describe';

/**
 * Colours by name. Figures use CSS variables such as `var(--ink)`. The page defines them for light and dark, and in a figure that is a
 * file of its own they are replaced by the light colours.
 */

/** Steps of the colour scale: enough to look continuous, and few enough to draw all points of one colour together. */
const STEPS = 24;
/** Steps on each side of zero. Zero has the colour of the background. */
const HALF = 6;

const BASE = {
  paper: { light: '#ffffff', dark: '#16181d' },
  raised: { light: '#f5f6f8', dark: '#1f2229' },
  line: { light: '#d9dce2', dark: '#383d48' },
  ink: { light: '#1d2127', dark: '#e6e8ec' },
  faint: { light: '#5d6470', dark: '#a3aab8' },
  other: OTHER_COLOUR,
  accent: POSITIVE_COLOUR,
  second: NEGATIVE_COLOUR,
  alarm: { light: '#b3261e', dark: '#ff9a90' },
  fine: { light: '#2c7a2c', dark: '#7fcf75' },
} as const satisfies Record<string, Colour>;

export const CATEGORIES = CATEGORY_COLOURS.map((_, i) => `var(--c${i})`);
/** The colour of a bar or an arrow, by the sign of its number. */
export const signColour = (value: number): string => (value < 0 ? 'var(--second)' : 'var(--accent)');
/** The colour of a share from 0 to 1. */
export const RAMP_STEPS = STEPS;
export const rampColour = (share: number): string =>
  Number.isNaN(share) ? 'var(--other)' : `var(--r${Math.min(STEPS - 1, Math.max(0, Math.floor(share * STEPS)))})`;
/** The colour of a number from −1 to 1. */
export const DIVERGING_STEPS = 2 * HALF + 1;
export const divergingColour = (value: number): string =>
  `var(--d${Math.min(2 * HALF, Math.max(0, Math.round((value + 1) * HALF)))})`;

function colours(theme: keyof Colour): ReadonlyMap<string, string> {
  const named = new Map<string, string>();
  for (const [name, colour] of Object.entries(BASE)) named.set(name, colour[theme]);
  CATEGORY_COLOURS.forEach((colour, i) => {
    named.set(`c${i}`, colour[theme]);
  });
  const [low, middle, high] = RAMP_COLOURS.map((colour) => colour[theme]);
  for (let i = 0; i < STEPS; i++) {
    const share = (2 * i) / (STEPS - 1);
    named.set(`r${i}`, share < 1 ? mix(low, middle, share) : mix(middle, high, share - 1));
  }
  for (let i = -HALF; i <= HALF; i++) {
    const fill = i < 0 ? NEGATIVE_FILL : POSITIVE_FILL;
    named.set(`d${i + HALF}`, mix(BASE.paper[theme], fill[theme], Math.abs(i) / HALF));
  }
  return named;
}

export const LIGHT = colours('light');
export const DARK = colours('dark');

/** CSS declarations of all colours. */
export function declarations(named: ReadonlyMap<string, string>): string {
  return [...named].map(([name, colour]) => `--${name}:${colour}`).join(';');
}

/** Mixes two colours, each #rrggbb. */
export function mix(from: string, to: string, share: number): string {
  const channel = (at: number): string => {
    const [a, b] = [Number.parseInt(from.slice(at, at + 2), 16), Number.parseInt(to.slice(at, at + 2), 16)];
    return Math.round(a + (b - a) * share)
      .toString(16)
      .padStart(2, '0');
  };
  return `#${channel(1)}${channel(3)}${channel(5)}`;
}
