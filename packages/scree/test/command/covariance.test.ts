import { readFileSync } from 'node:fs';
import { loadModel, modelFrom, toOnnx } from 'scree';
import { describe, expect, it } from 'vitest';
import { useBinary } from './binary.js';

/** `--covariance` and `export` through the real binary. */

const { run, json, text, write, path, refused } = useBinary('covariance');
const fixture = (name: string): Buffer => readFileSync(new URL(`../../../core/test/fixtures/${name}`, import.meta.url));
const HARMAN = write('harman.csv', fixture('harman74.csv'));
const ABILITY = write('ability.csv', fixture('ability-covariance.csv'));
const lines = fixture('ability-covariance.csv').toString('utf8').trim().split('\n');
const matrix = lines.slice(1).map((line) => line.split(',').slice(1).map(Number));

describe('scree fit --covariance', () => {
  it('has the components of the library, with or without names of rows, and R’s numbers', async () => {
    const model = await modelFrom({ covariance: matrix, n: 112 });
    const bare = write('bare.csv', lines.map((line) => line.split(',').slice(1).join(',')).join('\n'));
    for (const file of [ABILITY, bare]) {
      const found = json<Record<string, unknown>>(['fit', '--covariance', file, '--rows', '112']);
      expect(found).toMatchObject({
        n: 112,
        columnNames: ['general', 'picture', 'blocks', 'maze', 'reading', 'vocab'],
        variances: Array.from(model.variances),
        components: model.components.toRows(),
        choice: null,
        stability: null,
      });
    }
    const harman = json<{ variances: number[] }>(['fit', '--covariance', HARMAN]);
    expect(Math.abs(harman.variances[0] - 8.135444083)).toBeLessThan(1e-9);
  });

  it('leaves out what cannot be known: rows, means, criteria', () => {
    const found = json<Record<string, unknown>>([
      'fit',
      '--covariance',
      ABILITY,
      '--scale',
      'unit',
      '-o',
      'model.json',
    ]);
    expect(found).toMatchObject({ n: null, singularValues: [null, null, null, null, null, null], totalVariance: 6 });
    const model = loadModel(readFileSync(path('model.json'), 'utf8'));
    expect(model.n).toBeNaN();
    const shown = text(['inspect', 'model.json']);
    expect(shown).toContain('of a covariance matrix of an unknown number of rows');
    expect(shown).not.toContain('NaN');
    expect(refused(['transform', 'model.json', ABILITY, '-o', 'scores.csv'])).toMatch(/does not know the means/);
  });

  it('refuses what is no covariance, and flags that need rows', () => {
    const broken = write('broken.csv', 'a,b\n1,0.5\n0.4,1\n');
    expect(refused(['fit', '--covariance', broken])).toMatch(/not symmetric: for columns "a" and "b"/);
    expect(refused(['fit', '--covariance', write('wide.csv', 'a,b\n1,0.5\n')])).toMatch(
      /1 rows and 2 columns|is square/,
    );
    for (const flags of [
      ['--bootstrap', '100'],
      ['--by', 'a'],
      ['-k', 'kaiser'],
      ['--scale', 'range'],
      ['--transform', 'log1p'],
      [HARMAN],
    ]) {
      const { code, err } = run(['fit', '--covariance', ABILITY, ...flags]);
      expect(code, flags.join(' ')).toBe(2);
      expect(err).toMatch(/rows/);
    }
    expect(run(['fit', HARMAN, '--rows', '10']).code).toBe(2);
  });
});

describe('scree export', () => {
  it('writes the ONNX file of the library', () => {
    const file = write('given.json', '{"components":[[0.6,0.8]],"mean":[1,2],"variances":[3]}');
    text(['export', file, '-o', 'given.onnx']);
    expect(readFileSync(path('given.onnx'))).toEqual(Buffer.from(toOnnx(loadModel(readFileSync(path(file), 'utf8')))));
    expect(run(['export', file, '-o', 'given.json5']).code).toBe(2);
    expect(run(['export', file]).code).toBe(2);
  });
});
