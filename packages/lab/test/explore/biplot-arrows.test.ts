import { columnContributions } from '@scree/analysis';
import { pca } from '@scree/core';
import { describe, expect, it } from 'vitest';
import { random } from '../../../core/src/linalg/random.js';
import { biplotArrows } from '../../src/explore/biplot-arrows.js';

const names = Array.from('abcdefghi');
const { normal } = random(3);
const rows = Array.from({ length: 40 }, () => {
  const common = normal();
  return names.map((_, j) => (j % 3) * common + (1 + j / 4) * normal());
});

describe('arrows of a biplot', () => {
  it('stay within the extent of the scores along both axes, and one reaches nine tenths of it', async () => {
    // One far row on the first component, and much variance on the second: arrows as long as the farthest row were a multiple of the others.
    const flat = Array.from({ length: 100 }, (_, i) => {
      const common = 0.7 * normal();
      return [1, 2, 3, 4, 5].map((j) => 0.6 * j * common + 0.3 * normal()).concat(i === 7 ? 40 : 0.1 * normal());
    });
    for (const [data, k] of [
      [rows, 5],
      [flat, 2],
    ] as const) {
      const model = await pca(data, { k });
      const { data: scores } = await model.transform(data);
      const [x, y] = [0, 1].map((c) => Float32Array.from(data, (_, i) => scores[i * k + c]));
      const arrows = biplotArrows(model, [0, 1], { x, y }, String, 60);
      const shares = (
        [
          ['x', x],
          ['y', y],
        ] as const
      ).flatMap(([axis, values]) => {
        const [low, high] = [Math.min(...values), Math.max(...values)];
        // If all rows are on one side, arrows may reach a third as far on the other side.
        const room = (value: number): number => (value < 0 ? Math.max(-low, high / 3) : Math.max(high, -low / 3));
        return arrows.map((arrow) => Math.abs(arrow[axis]) / room(arrow[axis]));
      });
      expect(Math.max(...shares)).toBeCloseTo(0.9, 5);
    }
  });

  it.each([[[0, 1]], [[3, 1]], [[0, 2, 4]]])(
    'are those of the columns that contribute most to components %j, longest first',
    async (drawn) => {
      const model = await pca(rows, { k: 5 });
      const { data } = await model.transform(rows);
      const [x, y, z] = drawn.map((c) => Float32Array.from({ length: 40 }, (_, i) => data[i * 5 + c]));
      const contribution = columnContributions(model).map((column) =>
        drawn.reduce((sum, c) => sum + model.variances[c] * column.contribution[c], 0),
      );
      const expected = names.map((_, j) => j).sort((a, b) => contribution[b] - contribution[a]);
      const arrows = biplotArrows(model, drawn, { x, y, z }, (j) => names[j], 4);
      expect(arrows.map(({ label }) => label)).toEqual(expected.slice(0, 4).map((j) => names[j]));
      const lengths = arrows.map((arrow) => Math.hypot(arrow.x, arrow.y, arrow.z ?? 0));
      lengths.forEach((length, i) => {
        // Squared lengths are in the proportion of the contributions; points are float32.
        expect((length / lengths[0]) ** 2).toBeCloseTo(contribution[expected[i]] / contribution[expected[0]], 5);
      });
    },
  );
});
