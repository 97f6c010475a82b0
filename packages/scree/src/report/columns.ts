import type { Model } from '@scree/core';
import { plainText } from './plain-text.js';

/** The name of a column as shown: a pixel by its position, others by name. */
export type NameOf = (column: number) => string;

export function shownColumnNames(model: Model, image?: { readonly width: number }): NameOf {
  const { columnNames: names } = model;
  if (image) return (column) => `pixel ${column % image.width}, ${Math.floor(column / image.width)}`;
  return (column) => (names ? plainText(names[column]) : withoutName(column));
}

/** A column without a name is called as flags call it: the first is "0". */
export function withoutName(column: number): string {
  return `column "${column}"`;
}

/** Indexes of the entries with the largest absolute values, largest first. */
export function largest(values: Float64Array, most: number): number[] {
  const order = Array.from(values.keys());
  if (most < values.length) {
    const sizes = values.map(Math.abs).sort();
    const least = sizes[sizes.length - most];
    return order
      .filter((column) => Math.abs(values[column]) >= least)
      .sort((a, b) => Math.abs(values[b]) - Math.abs(values[a]) || a - b)
      .slice(0, most);
  }
  return order.sort((a, b) => Math.abs(values[b]) - Math.abs(values[a]) || a - b);
}

/** Component c as a vector. */
export function componentOf({ components: { cols, data } }: Model, c: number): Float64Array {
  return data.subarray(c * cols, (c + 1) * cols);
}

/** A number with fixed decimals, but never −0.00. */
export function fixedDecimals(value: number, decimals: number): string {
  const text = value.toFixed(decimals);
  return Number(text) === 0 ? '0' : text.replace('-', '−');
}
