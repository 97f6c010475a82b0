/** A page that draws a biplot: points for rows, arrows for columns. A worker computes it. */
import type { Biplot } from '@scree/core';

type Answer = MessageEvent<{ text: string; biplot: Biplot }>;

const records = Array.from({ length: 80 }, (_, i) => {
  const [size, shape] = [Math.sin(i), Math.cos(3 * i)];
  return { length: size + 0.2 * shape, width: size - 0.3 * shape, height: shape, weight: size + 0.5 * Math.sin(7 * i) };
});

const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
worker.onmessage = ({ data: { text, biplot } }: Answer) => {
  const points = biplot.points.map(({ x, y }) => `<circle cx="${x}" cy="${-y}" r="0.05" fill="steelblue" />`);
  const arrows = biplot.arrows.map(
    ({ name, x, y }) =>
      `<line x2="${2 * x}" y2="${-2 * y}" stroke="firebrick" stroke-width="0.03" />` +
      `<text x="${2.1 * x}" y="${-2.1 * y}" font-size="0.25">${name}</text>`,
  );
  document.querySelector('svg')?.replaceChildren();
  document.querySelector('svg')?.insertAdjacentHTML('beforeend', [...points, ...arrows].join(''));
  document.querySelector('p')?.append(`${text} — ${biplot.x.label}, ${biplot.y.label}. ${biplot.scaling}`);
};
worker.postMessage(records);
