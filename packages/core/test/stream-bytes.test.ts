import { describe, expect, it } from 'vitest';
import { Stream, stream } from '../src/index.js';

const rows = Array.from({ length: 60 }, (_, i) => [Math.sin(i), Math.cos(i * i), i % 7, (i * 13) % 11]);

describe('a stream', () => {
  it.each(['moments', 'incremental', 'frequent-directions'] as const)(
    'of rule %s is saved and goes on as if it had never been interrupted',
    async (rule) => {
      const options = { k: 2, rule, scale: 'unit', ...(rule === 'moments' ? {} : { size: 3 }) } as const;
      const whole = stream(options);
      await whole.add(rows.slice(0, 25));
      const bytes = await whole.toBinary();
      await whole.add(rows.slice(25));
      const resumed = await Stream.fromBinary(bytes);
      expect(resumed.rows).toBe(25);
      await resumed.add(rows.slice(25));
      expect((await resumed.model()).toBinary()).toEqual((await whole.model()).toBinary());
    },
  );

  it('is saved before its first row, with the names of its columns and its weights', async () => {
    const empty = stream({ k: 1, columnNames: ['a', 'b', 'c', 'd'], columnWeights: Float64Array.of(1, 2, 1, 1) });
    const resumed = await Stream.fromBinary(await empty.toBinary());
    await resumed.add(rows);
    const model = await resumed.model();
    expect(model.columnNames).toEqual(['a', 'b', 'c', 'd']);
    expect(Array.from(model.columnWeights ?? [])).toEqual([1, 2, 1, 1]);
  });

  it('that is cut off, damaged or something else is refused', async () => {
    const bytes = await (await stream({ k: 1 }).add(rows)).toBinary();
    await expect(Stream.fromBinary(bytes.subarray(0, bytes.length - 9))).rejects.toMatchObject({ code: 'MODEL_TRUNCATED' }); // biome-ignore format: one line
    const changed = bytes.slice();
    changed[bytes.length - 20] ^= 1;
    await expect(Stream.fromBinary(changed)).rejects.toMatchObject({ code: 'MODEL_CHANGED' });
    await expect(Stream.fromBinary(new TextEncoder().encode('something else'))).rejects.toMatchObject({ code: 'BAD_MODEL' }); // biome-ignore format: one line
  });
});
