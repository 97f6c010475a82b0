import type { RowFacts } from '@scree/analysis';
import { formatNumber, NEGATIVE_COLOUR, POSITIVE_COLOUR, percent, plural } from '@scree/analysis/describe';
import type { Model } from '@scree/core';
import { pngAddress } from '../../png.js';
import { componentOf } from '../columns.js';
import { squeezed } from '../plain-text.js';
import { mix } from '../theme.js';
import type { RowColours } from './colouring.js';
import { type Figure, figureText, moved, WIDTH } from './figure.js';

/** Figures for rows that are pictures: the components, and reconstructions of some rows. */

export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

const MOST_COMPONENTS = 23;
const WORST = 3;
/** Larger pictures are reduced to this size, because there are many of them. */
const LARGEST = 64;
const ACROSS = 6;
/** Levels on either side of zero. */
const LEVELS = 31;
/** Orange below zero, white, blue above. */
const PALETTE = Array.from({ length: 2 * LEVELS + 1 }, (_, i) =>
  mix('#ffffff', (i < LEVELS ? NEGATIVE_COLOUR : POSITIVE_COLOUR).light, Math.abs(i - LEVELS) / LEVELS),
);

/** The mean and the first components. */
export function componentPictures(model: Model, image: ImageSize): Figure {
  const shown = Math.min(model.k, MOST_COMPONENTS);
  const picture = (c: number): string => signed(componentOf(model, c), image, largestOf(componentOf(model, c)));
  const [least, most] = [minimum(model.mean), maximum(model.mean)];
  const tiles = [
    ...(model.centered ? [{ address: grey(model.mean, image, least, most), words: 'mean' }] : []),
    ...Array.from({ length: shown }, (_, c) => ({
      address: picture(c),
      words: `${c + 1}: ${percent(model.varianceRatios[c])}`,
    })),
  ];
  const size = WIDTH / ACROSS - 8;
  const box = boxOf(image, size);
  const line = box.height + 26;
  const body = tiles.map(({ address, words }, i) => {
    const [x, y] = [(i % ACROSS) * (WIDTH / ACROSS) + 4, Math.floor(i / ACROSS) * line];
    return moved(
      x,
      y,
      `${shownAt(address, box, size)}${figureText(size / 2, box.height + 16, words, { size: 12, anchor: 'middle' })}`,
    );
  });
  return {
    name: 'component-pictures',
    title: 'Components as pictures',
    description: `${plural(shown, 'component')} as pictures of ${image.width} × ${image.height} pixels, each with its share of the variance.`,
    caption: `Blue pixels count up, orange ones down, white ones do not count. Each has its own scale.${shown < model.k ? ` The first ${shown} of ${model.k}.` : ''}`,
    height: Math.ceil(tiles.length / ACROSS) * line,
    body: body.join(''),
    table: {
      columns: ['component', 'share of the variance', 'largest weight'],
      rows: Array.from({ length: shown }, (_, c) => [
        String(c + 1),
        percent(model.varianceRatios[c]),
        formatNumber(largestOf(componentOf(model, c))),
      ]),
    },
  };
}

/** Some rows, their reconstructions from more and more components, and the errors. */
export function reconstructionPictures(model: Model, facts: RowFacts, colouring: RowColours, image: ImageSize): Figure {
  const worst = facts.worst.slice(0, WORST).flatMap(({ whole }) => (whole ? [whole] : []));
  const rows = [...facts.examples, ...worst.filter(({ row }) => facts.examples.every((other) => other.row !== row))];
  const steps = stepsOf(model.k);
  const heads = ['original', ...steps.map((k) => `k = ${k}`), 'error'];
  const left = 96;
  const cell = Math.min(64, (WIDTH - left) / heads.length);
  const size = cell - 6;
  const box = boxOf(image, size);
  const line = box.height + 8;
  const lost = rows.map((row) => difference(row.values, reconstruct(model, row, model.k)));
  // The same scale for the errors of all rows, so that they can be compared.
  const scale = Math.max(...lost.map(largestOf), Number.MIN_VALUE);
  const parts = rows.map((row, i) => {
    const [least, most] = [minimum(row.values), maximum(row.values)];
    const label = colouring.labelOf(row.row);
    const pictures = [
      grey(row.values, image, least, most),
      ...steps.map((k) => grey(reconstruct(model, row, k), image, least, most)),
      signed(lost[i], image, scale),
    ];
    return moved(
      0,
      22 + i * line,
      [
        figureText(left - 10, box.height / 2 - (label === undefined ? -4 : 4), `row ${facts.numberOf(row.row)}`, {
          size: 12,
          anchor: 'end',
        }),
        ...(label === undefined
          ? []
          : [
              figureText(left - 10, box.height / 2 + 12, squeezed(label, 13), {
                size: 12,
                anchor: 'end',
                colour: 'var(--faint)',
              }),
            ]),
        ...pictures.map((address, c) => moved(left + c * cell, 0, shownAt(address, box, size))),
      ].join(''),
    );
  });
  const names = heads.map((head, c) =>
    figureText(left + c * cell + size / 2, 14, head, { size: 12, anchor: 'middle' }),
  );
  return {
    name: 'reconstruction-pictures',
    title: 'What the components keep of a picture',
    description: `${plural(rows.length, 'row')} as pictures: the original, reconstructions from ${steps.join(', ')} ${steps.length === 1 && steps[0] === 1 ? 'component' : 'components'}, and what is lost with ${model.k}.`,
    caption: `${worst.length > 0 ? 'The last ones are those farthest from their reconstruction. ' : ''}Errors: blue where the original is brighter, orange where it is darker, all on one scale.`,
    height: 22 + rows.length * line,
    body: names.join('') + parts.join(''),
    table: {
      columns: ['row', colouring.name, 'squared error'],
      rows: rows.map(({ row, error }) => [
        String(facts.numberOf(row)),
        colouring.labelOf(row) ?? '',
        formatNumber(error, 6),
      ]),
    },
  };
}

/** The numbers of components that are shown. */
function stepsOf(k: number): number[] {
  return [...new Set([Math.max(1, Math.round(k / 10)), Math.max(1, Math.round(k / 3)), k])];
}

/** x = mean + scale·(Vᵀz), from the first k scores. */
function reconstruct(model: Model, { scores }: RowFacts['examples'][number], k: number): Float64Array {
  const out = new Float64Array(model.d);
  for (let c = 0; c < k; c++) {
    const vector = componentOf(model, c);
    for (let j = 0; j < out.length; j++) out[j] += scores[c] * vector[j];
  }
  return out.map((value, j) => value * model.scale[j] + model.mean[j]);
}

function difference(a: Float64Array, b: Float64Array): Float64Array {
  return a.map((value, j) => value - b[j]);
}

function grey(values: Float64Array, image: ImageSize, least: number, most: number): string {
  const small = reduced(values, image);
  const span = most - least || 1;
  const pixels = Uint8Array.from(small.values, (value) =>
    Math.min(255, Math.max(0, Math.round((255 * (value - least)) / span))),
  );
  return pngAddress({ width: small.width, height: small.height, pixels });
}

function signed(values: Float64Array, image: ImageSize, scale: number): string {
  const small = reduced(values, image);
  const pixels = Uint8Array.from(
    small.values,
    (value) => LEVELS + Math.round(LEVELS * Math.max(-1, Math.min(1, value / (scale || 1)))),
  );
  return pngAddress({ width: small.width, height: small.height, pixels, palette: PALETTE });
}

/** Reduces a picture that is too large: the mean of each square of pixels becomes a pixel. */
function reduced(values: Float64Array, { width, height }: ImageSize): ImageSize & { readonly values: Float64Array } {
  const by = Math.ceil(Math.max(width, height) / LARGEST);
  if (by === 1) return { width, height, values };
  const [w, h] = [Math.ceil(width / by), Math.ceil(height / by)];
  const [sums, counts] = [new Float64Array(w * h), new Float64Array(w * h)];
  for (let j = 0; j < values.length; j++) {
    const at = Math.floor(Math.floor(j / width) / by) * w + Math.floor((j % width) / by);
    sums[at] += values[j];
    counts[at]++;
  }
  return { width: w, height: h, values: sums.map((sum, at) => sum / counts[at]) };
}

interface Box {
  readonly width: number;
  readonly height: number;
}

/** The largest box with the aspect ratio of the picture: at most `size` wide, and at most 1.5 times as high. */
function boxOf({ width, height }: ImageSize, size: number): Box {
  const grow = Math.min(size / width, (1.5 * size) / height);
  return { width: grow * width, height: Math.max(12, grow * height) };
}

function shownAt(address: string, { width, height }: Box, size: number): string {
  const place = `x="${((size - width) / 2).toFixed(1)}" width="${width.toFixed(1)}" height="${height.toFixed(1)}"`;
  return `<image ${place} href="${address}" preserveAspectRatio="none" style="image-rendering:pixelated"/><rect ${place} fill="none" stroke="var(--line)"/>`;
}

function largestOf(values: Float64Array): number {
  return values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
}

function minimum(values: Float64Array): number {
  return values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY);
}

function maximum(values: Float64Array): number {
  return values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
}
