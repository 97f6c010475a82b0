/**
 * The colours of figures in reports and the lab. Colour-blind readers can distinguish categories: any two of the first eight differ by
 * ΔE (CIEDE2000) ≥ 15 under normal vision, protanopia, deuteranopia and tritanopia, and all ten by ≥ 11. Each has a contrast of at
 * least 3:1 to its background.
 */

/** One colour, #rrggbb, for a light and for a dark background. */
export interface Colour {
  readonly light: string;
  readonly dark: string;
}

/** Colours of groups, in order of use. */
export const CATEGORY_COLOURS: readonly Colour[] = [
  { light: '#0e4dd2', dark: '#6e9afe' },
  { light: '#d77303', dark: '#e19a42' },
  { light: '#0a9e9a', dark: '#6affda' },
  { light: '#6e0229', dark: '#c63845' },
  { light: '#9d77ef', dark: '#d2c9f4' },
  { light: '#645a00', dark: '#ffee2d' },
  { light: '#402466', dark: '#5e5ed7' },
  { light: '#a5426a', dark: '#9a6886' },
  { light: '#987a5b', dark: '#c3ffab' },
  { light: '#0b4c42', dark: '#ef5b73' },
];

/** The colour of remaining groups and missing values. Its contrast is below 3:1, because it is a background. */
export const OTHER_COLOUR: Colour = { light: '#bbbec4', dark: '#55585e' };

/** The colour of positive numbers, or of the first of two series. */
export const POSITIVE_COLOUR: Colour = { light: '#2f62c4', dark: '#82abf7' };
/** The colour of negative numbers, or of the second of two series. */
export const NEGATIVE_COLOUR: Colour = { light: '#b85400', dark: '#f2a158' };

/** The same for areas with text on them. */
export const POSITIVE_FILL: Colour = { light: '#7fa9e0', dark: '#34609c' };
/** The same for areas with text on them. */
export const NEGATIVE_FILL: Colour = { light: '#e3a06b', dark: '#8f5520' };

/** Colours from low to high, for quantities without a sign. Lightness rises with the quantity, so the ramp is readable without hue. */
export const RAMP_COLOURS: readonly Colour[] = [
  { light: '#2443a6', dark: '#5a7fe8' },
  { light: '#b0418f', dark: '#e070b8' },
  { light: '#d17900', dark: '#ffc45a' },
];
