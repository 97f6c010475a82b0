import { readFileSync } from 'node:fs';
import * as Plot from '@observablehq/plot';
import type { TriedVectors } from '@scree/analysis/vectors';
import type { Draw } from './figure.js';
import { BLUE, GREEN, HEADLINE, legend, ORANGE, plot, sheet, WIDTH } from './svg.js';

interface Measured {
  readonly rows: number;
  readonly d: number;
  readonly at: number;
  readonly tried: readonly Pick<TriedVectors, 'reduction' | 'store' | 'bytes' | 'recall' | 'reranked'>[];
}

const STORES = { float16: BLUE, int8: ORANGE, bit: GREEN } as const;

/** Bytes per vector against recall, of the measurements in docs/guide/wordnet-recall.json: the embeddings themselves take 31 MB. */
export const drawEmbeddingRecall: Draw = async () => {
  const file = new URL('../../docs/guide/wordnet-recall.json', import.meta.url);
  const { rows, d, at, tried } = JSON.parse(readFileSync(file, 'utf8')) as Measured;
  const stores = Object.entries(STORES);
  const lines = stores.flatMap(([store, colour]) => {
    const of = (reduction: string) => tried.filter((each) => each.store === store && each.reduction === reduction);
    const line = { x: 'bytes', y: 'recall', stroke: colour, strokeWidth: 2 } as const;
    return [
      Plot.line(of('pca'), line),
      Plot.dot(of('pca'), { x: 'bytes', y: 'recall', fill: colour, r: 3 }),
      Plot.line(of('first'), { ...line, strokeDasharray: '5 4' }),
    ];
  });
  const chart = plot({
    width: WIDTH,
    height: 380,
    marginLeft: 56,
    marginBottom: 44,
    x: { type: 'log', label: 'bytes per vector', ticks: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512], tickFormat: String },
    y: { label: `recall at ${at}`, domain: [0, 1], grid: true },
    marks: [Plot.ruleY([0.95], { strokeDasharray: '2 3' }), ...lines],
  });
  const entries = stores.map(([store, colour]) => [store === 'bit' ? 'bits' : store, colour] as const);
  const best = tried.filter(({ recall }) => recall >= 0.95).reduce((a, b) => (b.bytes < a.bytes ? b : a));
  return {
    svg: sheet({
      title: `${rows.toLocaleString('en')} × ${d}: components (solid) and the first numbers (dashed)`,
      description: `Recall at ${at} against bytes per vector, for float16, int8 and bits. The fewest bytes with a recall of .95 are ${best.bytes}, by ${best.store}.`,
      height: HEADLINE + 24 + 380,
      parts: [legend(60, HEADLINE + 14, entries), { x: 0, y: HEADLINE + 24, svg: chart }],
    }),
    measurements: [`The fewest bytes with a recall of .95: ${best.bytes}, ${best.store}`],
    folder: 'guide/figures',
  };
};
