import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';
import type { Matrix, Model } from 'scree';

/** The digits on their first two components, and the scree plot beside them, as one SVG. */
export async function drawDigits(model: Model, scores: Matrix, labels: ArrayLike<number>): Promise<string> {
  const { document } = parseHTML('<html><body></body></html>');
  const percent = (i: number): string => `PC${i + 1} (${(100 * (model.varianceRatios[i] ?? 0)).toFixed(1)} %)`;
  // Every fourth digit: enough to see the shape, few enough for a file that a page loads at once.
  const points = Array.from({ length: Math.floor(scores.rows / 4) }, (_, i) => ({
    x: scores.data[4 * i * scores.cols],
    y: scores.data[4 * i * scores.cols + 1],
    digit: String(labels[4 * i]),
  }));
  const style = { fontFamily: 'system-ui, sans-serif', background: 'white', color: '#222' };
  const scatter = Plot.plot({
    document,
    style,
    width: 560,
    height: 460,
    marginLeft: 50,
    color: { scheme: 'tableau10', domain: '0123456789'.split('') },
    x: { label: percent(0) },
    y: { label: percent(1) },
    marks: [Plot.text(points, { x: 'x', y: 'y', text: 'digit', fill: 'digit', fontSize: 8, fontWeight: 600 })],
  });
  let total = 0;
  const bars = Array.from(model.varianceRatios.slice(0, 20), (ratio, i) => {
    total += ratio;
    return { component: i + 1, ratio: 100 * ratio, total: 100 * total };
  });
  const scree = Plot.plot({
    document,
    style,
    width: 380,
    height: 460,
    marginLeft: 45,
    x: { label: 'component', type: 'band', ticks: [1, 5, 10, 15, 20] },
    y: { label: '% of the variance', grid: true, domain: [0, 70] },
    marks: [
      Plot.barY(bars, { x: 'component', y: 'ratio', fill: '#4e79a7' }),
      Plot.lineY(bars, { x: 'component', y: 'total', stroke: '#e15759', strokeWidth: 2 }),
      Plot.dot(bars, { x: 'component', y: 'total', fill: '#e15759', r: 2.5 }),
      Plot.text([bars[19]], {
        x: 'component',
        y: 'total',
        text: () => 'cumulative',
        dy: -12,
        textAnchor: 'end',
        fill: '#e15759',
      }),
      Plot.ruleY([0]),
    ],
  });
  return beside([scatter, scree], [560, 380], 460);
}

/** Several SVG figures side by side in one. */
function beside(figures: (SVGSVGElement | HTMLElement)[], widths: number[], height: number): string {
  let x = 0;
  const placed = figures.map((figure, i) => {
    figure.setAttribute('x', String(x));
    x += widths[i] ?? 0;
    return figure.outerHTML;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${x}" height="${height}" viewBox="0 0 ${x} ${height}"><rect width="100%" height="100%" fill="white"/>${placed.join('')}</svg>\n`;
}
