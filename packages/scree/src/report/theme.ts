/**
 * Colours by name. Figures use CSS variables such as `var(--ink)`. The page defines them for light and dark, and in a figure that is a
 * file of its own they are replaced by the light colours.
 */

/** Colours of groups, easy to tell apart on white and on the dark background. */
const GROUPS: readonly (readonly [light: string, dark: string])[] = [
  ['#3d66c4', '#7ba0f5'],
  ['#d9730d', '#f5a14a'],
  ['#3f8f3a', '#78c96d'],
  ['#cf3f43', '#f57f7c'],
  ['#8a55c4', '#bd93f0'],
  ['#1f9a8e', '#4fc9bb'],
  ['#a98600', '#d9bb3c'],
  ['#d4569a', '#f28fc4'],
  ['#8a5a3c', '#c79873'],
  ['#3f9bd6', '#7cc6f2'],
];

/** Steps of the colour scale: enough to look continuous, and few enough to draw all points of one colour together. */
const STEPS = 24;
/** Steps on each side of zero. Zero has the colour of the background. */
const HALF = 6;

const BASE = {
  paper: ['#ffffff', '#16181d'],
  raised: ['#f5f6f8', '#1f2229'],
  line: ['#d9dce2', '#383d48'],
  ink: ['#1d2127', '#e6e8ec'],
  faint: ['#5d6470', '#a3aab8'],
  other: ['#8b919c', '#8b919c'],
  accent: ['#3d66c4', '#7ba0f5'],
  second: ['#cf5a0d', '#f5a14a'],
  alarm: ['#b3261e', '#ff9a90'],
  fine: ['#2c7a2c', '#7fcf75'],
} as const satisfies Record<string, readonly [light: string, dark: string]>;

/** From low to high: blue to orange, safe for colour-blind readers, and of medium lightness for both backgrounds. */
const RAMP = [
  ['#2b4fb8', '#b0418f', '#dd8410'],
  ['#6f93f7', '#e070b8', '#ffc45a'],
] as const;
const NEGATIVE = ['#5c97e6', '#2f63b0'] as const;
const POSITIVE = ['#ee8467', '#ab4531'] as const;

export const CATEGORIES = GROUPS.map((_, i) => `var(--c${i})`);
/** The colour of a share from 0 to 1. */
export const RAMP_STEPS = STEPS;
export const rampColour = (share: number): string =>
  Number.isNaN(share) ? 'var(--other)' : `var(--r${Math.min(STEPS - 1, Math.max(0, Math.floor(share * STEPS)))})`;
/** The colour of a number from −1 to 1. */
export const DIVERGING_STEPS = 2 * HALF + 1;
export const divergingColour = (value: number): string =>
  `var(--d${Math.min(2 * HALF, Math.max(0, Math.round((value + 1) * HALF)))})`;

function colours(dark: 0 | 1): ReadonlyMap<string, string> {
  const named = new Map<string, string>();
  for (const [name, pair] of Object.entries(BASE)) named.set(name, pair[dark]);
  GROUPS.forEach((pair, i) => {
    named.set(`c${i}`, pair[dark]);
  });
  const [low, middle, high] = RAMP[dark];
  for (let i = 0; i < STEPS; i++) {
    const share = (2 * i) / (STEPS - 1);
    named.set(`r${i}`, share < 1 ? mix(low, middle, share) : mix(middle, high, share - 1));
  }
  for (let i = -HALF; i <= HALF; i++) {
    named.set(`d${i + HALF}`, mix(BASE.paper[dark], i < 0 ? NEGATIVE[dark] : POSITIVE[dark], Math.abs(i) / HALF));
  }
  return named;
}

export const LIGHT = colours(0);
export const DARK = colours(1);

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
