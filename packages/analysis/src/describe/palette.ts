/**
 * The colours of figures, so that reports and the lab show the same thing in the same colour. Categories can be told apart by colour-blind readers:
 * any two of the first eight differ by ΔE (CIEDE2000) ≥ 15 under normal vision, protanopia, deuteranopia and tritanopia, and all
 * ten by ≥ 11. Each has a contrast of at least 3:1 to its background.
 */

/** One colour, #rrggbb, for a light and for a dark background. */
export interface Colour {
  readonly light: string;
  readonly dark: string;
}

/** Colours of groups, in the order in which they are used. */
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

/** Remaining groups and missing values. Paler than 3:1, because they are the background of what has a colour. */
export const OTHER_COLOUR: Colour = { light: '#bbbec4', dark: '#55585e' };

/** Positive numbers are blue and negative ones orange. Of two series without a sign the first is blue, the second orange. */
export const POSITIVE_COLOUR: Colour = { light: '#2f62c4', dark: '#82abf7' };
/** The colour of negative numbers, or of the second series. */
export const NEGATIVE_COLOUR: Colour = { light: '#b85400', dark: '#f2a158' };

/** The same for areas with text on them. */
export const POSITIVE_FILL: Colour = { light: '#7fa9e0', dark: '#34609c' };
/** The same for areas with text on them. */
export const NEGATIVE_FILL: Colour = { light: '#e3a06b', dark: '#8f5520' };

/** From low to high, for quantities without a sign. Lightness rises with the quantity, so that it is readable without hue. */
export const RAMP_COLOURS: readonly Colour[] = [
  { light: '#2443a6', dark: '#5a7fe8' },
  { light: '#b0418f', dark: '#e070b8' },
  { light: '#d17900', dark: '#ffc45a' },
];
