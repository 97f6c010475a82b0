import * as Plot from '@observablehq/plot';
import { percent, plural } from '@scree/analysis/describe';
import { shortenMiddle } from '../shorten.js';

/** Average width of a wide letter in the 12 pixel font of the charts. */
const LETTER_WIDTH = 7.5;

/** The numbers of a heat map: one row per column of the table, one cell per component. */
export interface HeatMap {
  /** "Weights", "Contributions (%)". */
  readonly title: string;
  /** Indexes of the columns that are drawn. */
  readonly drawn: readonly number[];
  readonly names: readonly string[];
  /** One line of numbers per component, as long as `names`. */
  readonly values: Float64Array;
  /** Share of the variance per component. */
  readonly ratios: Float64Array;
  /** Decimals of the numbers in the cells. */
  readonly decimals: number;
  /** True for a file: names are not shortened, components show their share of the variance, and the figure may be wider. */
  readonly whole?: boolean;
}

/** Numbers of columns and components as a heat map: blue is positive, orange negative. */
export function heatMap(map: HeatMap, width: number): Element {
  const { title, drawn, names, values, ratios, decimals, whole = false } = map;
  const d = names.length;
  const shown = values.length / d;
  const fields = drawn.flatMap((column) =>
    Array.from({ length: shown }, (_, c) => ({ column, component: c + 1, value: values[c * d + column] })),
  );
  const largest = fields.reduce((most, { value }) => Math.max(most, Math.abs(value) || 0), 0) || 1;
  const longest = drawn.reduce((most, j) => Math.max(most, names[j].length), 0);
  const fitting = Math.min(longest, Math.floor((0.36 * width) / LETTER_WIDTH));
  const letters = whole ? longest : fitting;
  const marginLeft = 16 + LETTER_WIDTH * letters;
  const fieldWidth = (width - 16 - LETTER_WIDTH * fitting) / shown;
  return Plot.plot({
    width: marginLeft + fieldWidth * shown,
    height: 40 + (drawn.length > 12 ? 19 : 26) * drawn.length + (whole ? 14 : 0),
    marginLeft,
    marginTop: whole ? 46 : 32,
    marginBottom: 8,
    marginRight: 0,
    ariaLabel: `${title} of ${plural(drawn.length, 'column')} in ${plural(shown, 'component')}, as a heat map.`,
    x: {
      type: 'band',
      axis: 'top',
      label: null,
      padding: 0.04,
      tickFormat: (c: number) =>
        whole
          ? `${fieldWidth < 34 ? c : `PC${c}`}\n${fieldWidth < 48 ? '' : percent(ratios[c - 1])}`
          : fieldWidth < 34
            ? String(c)
            : `PC${c}`,
      tickSize: 0,
    },
    y: {
      type: 'band',
      label: null,
      padding: 0.06,
      tickFormat: (j: number) => shortenMiddle(names[j], letters),
      tickSize: 0,
    },
    color: { type: 'linear', domain: [-largest, largest], range: [0, 1], interpolate: () => tint },
    marks: [
      Plot.cell(fields, {
        x: 'component',
        y: 'column',
        fill: ({ value }) => (Number.isNaN(value) ? 0 : value),
        title: ({ column, component, value }) => `PC${component}, ${names[column]}: ${signed(value, decimals + 1)}`,
      }),
      fieldWidth >= 36
        ? Plot.text(fields, {
            x: 'component',
            y: 'column',
            text: ({ value }) => signed(value, decimals),
            fill: 'currentColor',
          })
        : null,
    ],
  });
}

/** Mixed by the browser from colours of the style sheet, so that it follows the theme without a redraw. */
function tint(position: number): string {
  const weight = 2 * position - 1;
  return `color-mix(in oklab, var(${weight < 0 ? '--field-negative' : '--field-positive'}) ${Math.round(100 * Math.abs(weight))}%, var(--field))`;
}

/** A number with a real minus sign; – if it is missing. */
export function signed(value: number, decimals: number): string {
  if (Number.isNaN(value)) return '–';
  const text = Math.abs(value).toFixed(decimals);
  return value < 0 && Number(text) !== 0 ? `−${text}` : text;
}
