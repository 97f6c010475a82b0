import { createFile, openFile, pca } from 'scree';
import { beforeAll, describe, expect, it } from 'vitest';
import { pythonWith, readAll, rowsOf, runPython, useFolder } from './support.js';

const folder = useFolder();
const numpy = pythonWith('numpy');
const scipy = pythonWith('numpy', 'scipy.sparse');
const pandas = pythonWith('pandas', 'pyarrow');

const TYPES = ['f2', 'f4', 'f8', 'i1', 'i2', 'i4', 'i8', 'u1', 'u2', 'u4', 'u8', 'b1'];

describe.skipIf(!numpy)('NumPy', () => {
  const expected = (dtype: string): number[][] => {
    const values = [
      [0, 1, 2, 3],
      [4, 5, 6, 7],
      [8, 9, 10, 100],
    ];
    return dtype.endsWith('b1') ? values.map((row) => row.map((value) => (value ? 1 : 0))) : values;
  };

  it('reads every type that NumPy saves, in both byte orders and both orders of the array', async () => {
    const names = TYPES.flatMap((type) =>
      ['<', '>'].flatMap((order) => ['C', 'F'].map((layout) => `${order}${type}${layout}`)),
    );
    const program = `
import sys, numpy as np
a = np.array([[0,1,2,3],[4,5,6,7],[8,9,10,100]])
for i, name in enumerate(sys.argv[2:]): np.save(f"{sys.argv[1]}{i}.npy", a.astype(name[:-1]).copy(order=name[-1]))`;
    runPython(numpy as string, program, folder.file('type'), ...names);
    for (const [i, name] of names.entries()) {
      const { rows, file } = await readAll(folder.file(`type${i}.npy`));
      expect(rows, name).toEqual(expected(name.slice(0, -1)));
      expect(file.rows).toBe(3);
      expect(file.source.rereadable).toBe(true);
    }
  });

  it('reads extreme values of every type exactly', async () => {
    const path = folder.file('extremes');
    const printed = runPython(
      numpy as string,
      `
import sys, json, numpy as np
out = {}
for t in ['i1','i2','i4','i8','u1','u2','u4','u8']:
    i = np.iinfo(t); a = np.array([[i.min, i.max, 0, 1]], dtype=t)
    np.save(sys.argv[1] + t + '.npy', np.vstack([a, a])); out[t] = [str(x) for x in a[0]]
for t in ['f2','f4','f8']:
    i = np.finfo(t); a = np.array([[i.min, i.max, i.tiny, i.smallest_subnormal]], dtype=t)
    np.save(sys.argv[1] + t + '.npy', np.vstack([a, a])); out[t] = [repr(float(x)) for x in a[0]]
print(json.dumps(out))`,
      path,
    ) as Record<string, string[]>;
    for (const [type, values] of Object.entries(printed)) {
      const { rows } = await readAll(`${path}${type}.npy`);
      expect(rows[1], type).toEqual(values.map(Number));
    }
  });

  it('reads arrays of one, three and four dimensions, in both orders, as NumPy reshapes them', async () => {
    const path = folder.file('shapes');
    const printed = runPython(
      numpy as string,
      `
import sys, json, numpy as np
out = {}
for shape in [(5,), (4, 2, 3), (3, 2, 2, 3), (1, 2, 3, 2, 2)]:
    a = np.arange(np.prod(shape)).reshape(shape)
    for order in 'CF':
        name = f"{sys.argv[1]}{len(shape)}{order}.npy"
        np.save(name, a.copy(order=order)); out[name] = a.reshape(shape[0], -1).tolist()
print(json.dumps(out))`,
      path,
    ) as Record<string, number[][]>;
    for (const [name, rows] of Object.entries(printed)) expect((await readAll(name)).rows, name).toEqual(rows);
  });

  it.each(['savez', 'savez_compressed'])('reads members of %s by name and verifies their checksums', async (save) => {
    const path = folder.file(`${save}.npz`);
    runPython(
      numpy as string,
      'import sys, numpy as np; a=np.arange(6000.).reshape(1000,6); getattr(np, sys.argv[2])(sys.argv[1], a=a, b=np.asfortranarray(a*2), c=np.arange(3))',
      path,
      save,
    );
    await expect(readAll(path)).rejects.toMatchObject({
      code: 'BAD_OPTION',
      message: expect.stringContaining('"a", "b", "c"'),
    });
    const a = await readAll(path, { member: 'a' });
    expect(a.rows).toHaveLength(1000);
    expect(a.rows[999]).toEqual([5994, 5995, 5996, 5997, 5998, 5999]);
    expect((await readAll(path, { member: 'b' })).rows).toEqual(a.rows.map((row) => row.map((value) => 2 * value)));
  });

  it('writes .npy that NumPy reads, in float32 and float64, however it is cut into blocks', async () => {
    for (const dtype of ['float32', 'float64'] as const) {
      const path = folder.file(`ours-${dtype}.npy`);
      const writer = await createFile(path, { cols: 2, dtype });
      await writer.write({ rows: 2, cols: 2, data: Float64Array.of(0.5, -1, 2, 3e-5) });
      await writer.write({ rows: 1, cols: 2, stride: 3, data: Float32Array.of(7, 8, 9) });
      await writer.close();
      const printed = runPython(
        numpy as string,
        'import sys, json, numpy as np; a=np.load(sys.argv[1]); print(json.dumps([str(a.dtype), a.astype("f8").tolist()]))',
        path,
      );
      const small = dtype === 'float32' ? Math.fround(3e-5) : 3e-5;
      expect(printed).toEqual([
        dtype,
        [
          [0.5, -1],
          [2, small],
          [7, 8],
        ],
      ]);
    }
  });
});

describe.skipIf(!scipy)('SciPy', () => {
  it.each(['True', 'False'])(
    'reads a sparse matrix of save_npz with compressed=%s, and fits it as the dense one',
    async (compressed) => {
      const path = folder.file(`sparse${compressed}.npz`);
      const dense = runPython(
        scipy as string,
        `
import sys, json, scipy.sparse as sp
a = sp.random(300, 20, density=0.1, format='csr', random_state=1); a[7] = 0; a.eliminate_zeros()
sp.save_npz(sys.argv[1], a, compressed=${compressed}); print(json.dumps(a.toarray().tolist()))`,
        path,
      ) as number[][];
      const { rows, file } = await readAll(path, { memory: 2 ** 24 });
      expect(rows).toEqual(dense);
      expect(file.source.nonzeros).toBe(dense.flat().filter((value) => value !== 0).length);
      const opened = await openFile(path);
      const model = await pca(opened.source, { k: 2 });
      await opened.close();
      const other = await pca(dense, { k: 2 });
      for (let i = 0; i < 2; i++) expect(Math.abs(model.variances[i] / other.variances[i] - 1)).toBeLessThan(1e-9);
    },
  );

  it('explains how to save a sparse matrix that is stored by columns', async () => {
    const path = folder.file('csc.npz');
    runPython(
      scipy as string,
      "import sys, scipy.sparse as sp; sp.save_npz(sys.argv[1], sp.random(9, 4, 0.5, format='csc'))",
      path,
    );
    await expect(readAll(path)).rejects.toMatchObject({
      code: 'UNSUPPORTED',
      message: expect.stringContaining('tocsr'),
    });
  });
});

describe.skipIf(!pandas)('pandas and pyarrow', () => {
  const frame = `
import sys, json, numpy as np, pandas as pd
rng = np.random.default_rng(3)
n = 5000
df = pd.DataFrame({
  'd': rng.standard_normal(n), 'f': rng.standard_normal(n).astype('f4'), 'i': rng.integers(-9, 9, n),
  's': rng.integers(0, 99, n).astype('i2'), 'u': rng.integers(0, 200, n).astype('u1'), 'b': rng.integers(0, 2, n).astype(bool),
  'name': rng.choice(['ant', 'bee, the', 'c"at', 'ďábel'], n), 'day': pd.date_range('2020-01-01', periods=n, freq='h'),
})
`;
  const numbers = "print(json.dumps(original[['d','f','i','s','u','b']].astype('f8').values.tolist()))";

  const SAVED: [string, string][] = [
    ['a.csv', "df.to_csv(sys.argv[1], index=False, float_format='%.17g')"],
    ['index.csv', "df.to_csv(sys.argv[1], float_format='%.17g')"],
    ['a.csv.gz', "df.to_csv(sys.argv[1], index=False, float_format='%.17g')"],
    [
      'a.csv.zst',
      "import pyarrow as pa\nwith pa.output_stream(sys.argv[1], compression='zstd') as f: f.write(df.to_csv(index=False, float_format='%.17g').encode())",
    ],
    ['a.tsv', "df.to_csv(sys.argv[1], index=False, sep='\\t', float_format='%.17g')"],
    ['european.csv', "df.to_csv(sys.argv[1], index=False, sep=';', decimal=',', float_format='%.17g')"],
    ['a.parquet', 'df.to_parquet(sys.argv[1], index=False)'],
    ['groups.parquet', "df.to_parquet(sys.argv[1], index=False, row_group_size=700, compression='zstd')"],
    ['a.feather', 'df.to_feather(sys.argv[1])'],
    ['zstd.feather', "df.to_feather(sys.argv[1], compression='zstd', chunksize=900)"],
    ['plain.arrow', "df.to_feather(sys.argv[1], compression='uncompressed', chunksize=777)"],
    ['categorical.feather', "df['name'] = df['name'].astype('category'); df.to_feather(sys.argv[1])"],
    [
      'stream.arrow',
      'import pyarrow as pa\nt = pa.Table.from_pandas(df)\nwith pa.ipc.new_stream(sys.argv[1], t.schema) as w: w.write_table(t, max_chunksize=1000)',
    ],
    ['a.json', "df.to_json(sys.argv[1], orient='records', double_precision=15, date_format='iso')"],
    ['a.ndjson', "df.to_json(sys.argv[1], orient='records', lines=True, double_precision=15, date_format='iso')"],
    ['a.ndjson.gz', "df.to_json(sys.argv[1], orient='records', lines=True, double_precision=15, date_format='iso')"],
    ['a.sqlite', "import sqlite3\ndf.to_sql('t', sqlite3.connect(sys.argv[1]), index=False)"],
  ];

  let expected: number[][];
  beforeAll(() => {
    const saves = SAVED.map(
      ([name, save]) => `df = original.copy()\nsys.argv[1] = folder + ${JSON.stringify(`/${name}`)}\n${save}`,
    );
    const program = `${frame}original = df\nfolder = sys.argv[1]\n${saves.join('\n')}\n${numbers}`;
    expected = runPython(pandas as string, program, folder.path) as number[][];
  }, 120_000);

  it.each(SAVED)('reads %s as pandas writes it, and its texts as labels', async (name) => {
    const path = folder.file(name);
    const json = name.includes('json');
    const file = await openFile(path, { label: 'name' });
    try {
      const rows: number[][] = [];
      for (let pass = 0; pass < 2; pass++) {
        rows.length = 0;
        for await (const block of file.source.blocks()) {
          if (block.kind !== 'dense') throw new TypeError('dense rows');
          for (let i = 0; i < block.rows; i++)
            rows.push(Array.from(block.data.subarray(i * block.stride, i * block.stride + block.cols)));
        }
        expect(rows).toHaveLength(5000);
      }
      expect(file.rows).toBe(5000);
      expect(file.columns).toEqual(['d', 'f', 'i', 's', 'u', 'b']);
      expect(file.leftOut.map((column) => column.name)).toEqual(
        name === 'index.csv' ? ['index', 'name', 'day'] : ['name', 'day'],
      );
      for (let i = 0; i < rows.length; i++) {
        for (let j = 0; j < 6; j++) {
          // pandas writes JSON with 15 decimals; everything else is exact.
          if (json) expect(Math.abs(rows[i][j] - expected[i][j])).toBeLessThan(1e-14);
          else if (rows[i][j] !== expected[i][j]) expect(rows[i], `row ${i}`).toEqual(expected[i]);
        }
      }
      const labels = await file.labels();
      expect([...labels.names].sort()).toEqual(['ant', 'bee, the', 'c"at', 'ďábel'].sort());
      expect(labels.codes).toHaveLength(5000);
    } finally {
      await file.close();
    }
  });

  it('reads missing values in the same way in every format', async () => {
    const program = `
import sys, json, numpy as np, pandas as pd, sqlite3
df = pd.DataFrame({'a': [1.5, np.nan, 3, 4], 'b': pd.array([1, 2, None, 4], dtype='Int32'), 'c': [1., 2, 3, 5], 't': ['x', None, 'y', 'x']})
p = sys.argv[1]
df.to_csv(p + '.csv', index=False); df.to_parquet(p + '.parquet', index=False); df.to_feather(p + '.feather')
df.to_json(p + '.ndjson', orient='records', lines=True); df.to_sql('t', sqlite3.connect(p + '.sqlite'), index=False)`;
    const path = folder.file('gaps');
    runPython(pandas as string, program, path);
    for (const ending of ['csv', 'parquet', 'feather', 'ndjson', 'sqlite']) {
      const name = `${path}.${ending}`;
      await expect(readAll(name), ending).rejects.toMatchObject({
        code: 'MISSING_VALUES',
        message: expect.stringMatching(/in 2 of 4 rows .*first in row 2: "a" \(1\), "b" \(1\)/),
      });
      const dropped = await readAll(name, { missing: 'drop' });
      expect(dropped.rows, ending).toEqual([
        [1.5, 1, 1],
        [4, 4, 5],
      ]);
      expect(dropped.file.rows).toBe(2);
      const filled = await readAll(name, { missing: 'mean' });
      expect(filled.rows[1][0]).toBeCloseTo((1.5 + 3 + 4) / 3, 12);
      expect(filled.rows[2][1]).toBeCloseTo(7 / 3, 12);
    }
  });

  it.each(['parquet', 'arrow', 'csv'])('writes .%s that pandas reads', async (format) => {
    for (const dtype of ['float32', 'float64'] as const) {
      const path = folder.file(`ours-${dtype}.${format}`);
      const writer = await createFile(path, { cols: 3, dtype, columnNames: ['PC 1', 'PC "2"', 'PC,3'] });
      const rows = Array.from({ length: 3000 }, (_, i) =>
        [i / 7, 0.5 - i, 1e-3 * Math.sin(i)].map((value) => (dtype === 'float32' ? Math.fround(value) : value)),
      );
      for (let at = 0; at < 3000; at += 1100) {
        const part = rows.slice(at, at + 1100);
        await writer.write({ rows: part.length, cols: 3, data: Float64Array.from(part.flat()) });
      }
      await writer.close();
      const read = { parquet: 'pd.read_parquet', arrow: 'pd.read_feather', csv: 'pd.read_csv' }[format];
      const [names, types, values] = runPython(
        pandas as string,
        `import sys, json, pandas as pd\ndf = ${read}(sys.argv[1])\nprint(json.dumps([list(df.columns), [str(t) for t in df.dtypes], df.astype('${dtype}').astype('f8').values.tolist()]))`,
        path,
      ) as [string[], string[], number[][]];
      expect(names).toEqual(['PC 1', 'PC "2"', 'PC,3']);
      if (format !== 'csv') expect(types).toEqual([dtype, dtype, dtype]);
      expect(values).toEqual(rows);
      const back = await readAll(path);
      expect(dtype === 'float32' ? back.rows.map((row) => row.map(Math.fround)) : back.rows).toEqual(rows);
    }
  });

  it('leaves out the index in every format, unless it is named', async () => {
    const path = folder.file('indexed');
    runPython(
      pandas as string,
      `
import sys, pandas as pd, pyarrow as pa, pyarrow.feather as pf
p = sys.argv[1]
df = pd.DataFrame({'a': [1., 2, 4], 'b': [3., 1, 9]}, index=[10, 20, 300])
df.to_csv(p + '.csv'); df.to_parquet(p + '.parquet'); pf.write_feather(pa.Table.from_pandas(df), p + '.feather')
df.index.name = 'plot'
df.to_parquet(p + '-named.parquet'); pf.write_feather(pa.Table.from_pandas(df), p + '-named.feather')
df.reset_index(drop=True).to_parquet(p + '-range.parquet')`,
      path,
    );
    const rows = [
      [1, 3],
      [2, 1],
      [4, 9],
    ];
    for (const ending of ['.csv', '.parquet', '.feather', '-named.parquet', '-named.feather', '-range.parquet']) {
      const name = ending === '.csv' ? 'index' : ending.startsWith('-named') ? 'plot' : '__index_level_0__';
      for (const sql of ending.endsWith('feather') ? [undefined] : [undefined, 'select * from data']) {
        const read = await readAll(`${path}${ending}`, { sql });
        expect([read.rows, read.file.columns], ending).toEqual([rows, ['a', 'b']]);
        const left = read.file.leftOut.map((column) => [column.name, column.why]);
        expect(left, ending).toEqual(ending.startsWith('-range') ? [] : [[name, 'row index']]);
      }
      if (ending === '.csv' || ending.startsWith('-range')) continue;
      const named = await openFile(`${path}${ending}`, { columns: [name, 'b'], label: name });
      expect((await rowsOf(named)).map(([first]) => first)).toEqual([10, 20, 300]);
      expect((await named.labels()).numbers).toEqual(Float64Array.of(10, 20, 300));
      await named.close();
    }
  });

  it('reads the same table from Arrow and Parquet, whatever its types', async () => {
    const path = folder.file('types');
    runPython(
      pandas as string,
      `
import sys, decimal, pyarrow as pa, pyarrow.parquet as pq, pyarrow.feather as pf
D = decimal.Decimal
t = pa.table({
  'l': pa.array([[1.5, 2], [3, 4], [5, 7]]), 'm': pa.array([[1, 2], [3, 4], [5, 7]], pa.large_list(pa.int16())),
  'd': pa.array([D('1.50'), D('-2.25'), D('12345678901234567.89')], pa.decimal128(20, 2)),
  'i': pa.array([5, 7, 5]).dictionary_encode(), 'h': pa.array([5.5, 7, 5.5]).dictionary_encode(),
  'b': pa.array([True, False, True]), 'span': pa.array([1, 2, 3], pa.duration('s')), 'nothing': pa.nulls(3),
  'none': pa.array([None] * 3, pa.float64()), 'never': pa.array([None] * 3, pa.int32()), 'half': pa.array([1, 2, 3], pa.float16()),
})
pf.write_feather(t, sys.argv[1] + '.arrow'); pq.write_table(t, sys.argv[1] + '.parquet', row_group_size=2)
pq.write_table(pa.table({'w': pa.array([D('1.50'), D('-9007199254740993.25')], pa.decimal256(50, 2)), 'x': [1, 2]}), sys.argv[1] + '-long.parquet')`,
      path,
    );
    const [arrow, parquet] = [await readAll(`${path}.arrow`), await readAll(`${path}.parquet`)];
    expect(arrow.file.columns).toEqual(['l[0]', 'l[1]', 'm[0]', 'm[1]', 'd', 'i', 'h', 'b', 'half']);
    expect(parquet.file.columns).toEqual(arrow.file.columns);
    expect(parquet.rows).toEqual(arrow.rows);
    const left = ['span: duration', 'nothing: empty', 'none: empty', 'never: empty'];
    for (const { file } of [arrow, parquet])
      expect(file.leftOut.map(({ name, why }) => `${name}: ${why}`)).toEqual(left);
    // Rounded once.
    expect((await readAll(`${path}-long.parquet`)).rows).toEqual([
      [1.5, 1],
      [-9007199254740994, 2],
    ]);
  });

  it('reads a column of vectors as several columns: fixed-size lists in Arrow, lists in Parquet and JSON', async () => {
    const path = folder.file('vectors');
    runPython(
      pandas as string,
      `
import sys, pyarrow as pa, pyarrow.parquet as pq, pyarrow.feather as pf
t = pa.table({'id': ['a', 'b', 'c'], 'v': pa.array([[1., 2], [3, 4], [5, 7]], pa.list_(pa.float32(), 2))})
pf.write_feather(t, sys.argv[1] + '.arrow'); pq.write_table(t, sys.argv[1] + '.parquet')
open(sys.argv[1] + '.json', 'w').write('[[1, 2], [3, 4], [5, 7]]')`,
      path,
    );
    for (const ending of ['arrow', 'parquet', 'json']) {
      const { rows, file } = await readAll(`${path}.${ending}`);
      expect(rows, ending).toEqual([
        [1, 2],
        [3, 4],
        [5, 7],
      ]);
      expect(file.columns).toEqual(ending === 'json' ? ['0', '1'] : ['v[0]', 'v[1]']);
    }
  });
});
