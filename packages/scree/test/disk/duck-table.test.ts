import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createFile } from 'scree';
import { describe, expect, it } from 'vitest';
import { readAll, runDuck, useFolder } from './support.js';

const folder = useFolder();

async function save(name: string, value: number): Promise<string> {
  const path = folder.file(name);
  await mkdir(dirname(path), { recursive: true });
  const writer = await createFile(path, { cols: 1, dtype: 'float64', columnNames: ['x'] });
  await writer.write({ rows: 2, cols: 1, data: Float64Array.of(value, value + 1) });
  await writer.close();
  return path;
}

describe('the name of a file that DuckDB reads', () => {
  it.each([
    ['g[1]', 'g1'],
    ['x*', 'xyz'],
    ['q?', 'qq'],
    ['[q', 'q'],
    ["it's [1]*", "it's 1"],
    ['f[1]/**', 'f1/a'],
    ['*/a', 'b/a'],
  ])('is not a pattern: %s next to %s', async (name, other) => {
    for (const ending of ['parquet', 'csv']) {
      const path = await save(`${name}.${ending}`, 1);
      await save(`${other}.${ending}`, 7);
      const asked = await readAll(path, { sql: 'select * from data' });
      expect([asked.rows, asked.file.columns]).toEqual([[[1], [2]], ['x']]);
      if (ending === 'parquet') expect((await readAll(path)).rows).toEqual([[1], [2]]);
    }
  });

  it('and those of its folders do not become columns', async () => {
    for (const ending of ['parquet', 'csv']) {
      const path = await save(`year=2020/a.${ending}`, 1);
      expect((await readAll(path)).file.columns).toEqual(['x']);
      expect((await readAll(path, { sql: 'select * from data' })).file.columns).toEqual(['x']);
    }
  });

  it('may look like an address or a home folder', async () => {
    const before = process.cwd();
    try {
      process.chdir(folder.path);
      for (const name of ['s3:/x.parquet', '~/x.parquet']) {
        await save(name, 3);
        expect((await readAll(name.replace(':/', '://'))).rows).toEqual([[3], [4]]);
      }
    } finally {
      process.chdir(before);
    }
  });
});

describe('a column without values', () => {
  it('is left out if the Parquet statistics show it', async () => {
    const path = folder.file('nothing.parquet');
    const rows =
      "range::double as x, null::double as none, case when range > 5000 then 1 end as some, {'none': range} as s";
    await runDuck(`copy (select ${rows} from range(6000)) to '${path}' (format parquet, row_group_size 2048)`);
    for (const sql of [undefined, 'select * from data']) {
      const { file } = await readAll(path, { sql, missing: 'drop' });
      expect(file.columns).toEqual(['x', 'some']);
      expect(file.leftOut[0]).toEqual({ name: 'none', type: 'empty', why: 'empty' });
    }
  });
});
