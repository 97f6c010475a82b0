import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { SEEDS } from './fuzz/seeds.js';
import { type Format, isTyped, TARGETS } from './fuzz/targets.js';

/**
 * Replays what fuzzing has found (`npm run fuzz`, see docs/reliability.md): one input per line, in base64. `csv.txt` reaches every
 * branch that was ever reached, `csv.crashes.txt` once crashed, hung or took too much memory.
 */
const folder = fileURLToPath(new URL('corpus/', import.meta.url));
/** Bytes of buffers that one input may take, of a reader that was allowed 16 MB. */
const MOST = 256 * 2 ** 20;

const inputsOf = (name: string): Uint8Array<ArrayBuffer>[] =>
  readFileSync(`${folder}${name}`, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => new Uint8Array(Buffer.from(line, 'base64')));

const stored = readdirSync(folder).filter((name) => name.endsWith('.txt'));

describe('the stored corpus', () => {
  it('has hostile files of every format', () => {
    for (const format of Object.keys(TARGETS)) expect(inputsOf(`${format}.txt`).length, format).toBeGreaterThan(5);
  });

  it.each(Object.keys(TARGETS) as Format[])('is grown from a %s file that is read', async (format) => {
    const [first] = await SEEDS[format]();
    await TARGETS[format](new Uint8Array(first));
  });

  it.each(stored)('%s is read, or refused with a typed error, within limits', async (name) => {
    const target = TARGETS[name.split('.')[0] as Format];
    const outcomes = { read: 0, refused: 0 };
    for (const [line, input] of inputsOf(name).entries()) {
      const before = process.memoryUsage().arrayBuffers;
      try {
        await target(input);
        outcomes.read++;
      } catch (error) {
        if (!isTyped(error)) throw new Error(`line ${line + 1} of ${name}`, { cause: error });
        outcomes.refused++;
      }
      expect(process.memoryUsage().arrayBuffers - before, `memory for line ${line + 1}`).toBeLessThan(MOST);
    }
    // A corpus that is all read tests one half of a parser.
    if (!name.includes('crashes')) expect(outcomes.refused).toBeGreaterThan(0);
  });
});
