import { copyFileSync, existsSync, readdirSync, readFileSync, utimesSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openCompressed, readModel } from 'scree';
import { describe, expect, it } from 'vitest';
import { useBinary } from '../command/binary.js';
import { decodeAll } from '../compress/support.js';
import { CHANGED_AT, CHECKPOINTS } from './data.js';

const { path, run, write } = useBinary('golden');
const versions = readdirSync(new URL('.', import.meta.url), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

it('there are golden files of version 0.1.0', () => {
  expect(versions).toContain('0.1.0');
});

describe.each(versions)('files that version %s wrote', (version) => {
  const stored = (name: string): string => fileURLToPath(new URL(`${version}/${name}`, import.meta.url));
  const namesOf = (end: string): string[] =>
    readdirSync(stored(''))
      .filter((name) => name.endsWith(end))
      .map((name) => name.slice(0, -end.length));

  it.each(namesOf('.scree'))('%s.scree decompresses to the stored numbers', async (name) => {
    const { values, variances, columnNames, ...facts } = JSON.parse(
      readFileSync(stored(`${name}.expected.json`), 'utf8'),
    );
    const file = await openCompressed(stored(`${name}.scree`));
    try {
      expect(file).toMatchObject(facts);
      expect(file.columnNames).toEqual(columnNames);
      expect(Array.from(file.model.variances)).toEqual(variances);
      const decoded = await decodeAll(file);
      expect(decoded.values).toHaveLength(values.length);
      // Later versions may multiply in another order.
      decoded.values.forEach((value, at) => {
        expect(Math.abs(value - values[at])).toBeLessThanOrEqual(1e-12 * Math.abs(values[at]));
      });
    } finally {
      await file.close();
    }
  });

  it.each(namesOf('.checkpoint'))(
    'a fit goes on from %s.checkpoint and ends as one that was not stopped',
    async (name) => {
      const { file, content, args } = CHECKPOINTS[name as keyof typeof CHECKPOINTS];
      write(file, content());
      utimesSync(path(file), CHANGED_AT, CHANGED_AT);
      const input = args[0] === '-' ? { input: content() } : {};
      const fit = ['fit', ...args, '-k', '3', '--every', '0'];
      expect(run([...fit, '-o', 'whole.pca', '--checkpoint', 'new.checkpoint'], input)).toMatchObject({ code: 0 });
      copyFileSync(stored(`${name}.checkpoint`), path('old.checkpoint'));
      const outcome = run([...fit, '-o', 'resumed.pca', '--checkpoint', 'old.checkpoint'], input);
      expect(outcome).toMatchObject({ code: 0, err: expect.stringMatching(/Going on after \d+ rows/) });
      expect(existsSync(path('old.checkpoint'))).toBe(false);
      const [whole, resumed] = await Promise.all([readModel(path('whole.pca')), readModel(path('resumed.pca'))]);
      expect(resumed.n).toBe(whole.n);
      expect(resumed.totalWeight).toBe(whole.totalWeight);
      // Later versions may add up in another order: variances then differ by a few roundings of the largest of them.
      whole.mean.forEach((value, at) => {
        expect(Math.abs(resumed.mean[at] / value - 1)).toBeLessThan(5e-13);
      });
      whole.variances.forEach((value, at) => {
        expect(Math.abs(resumed.variances[at] - value)).toBeLessThan(8 * Number.EPSILON * whole.variances[0]);
      });
    },
  );
});
