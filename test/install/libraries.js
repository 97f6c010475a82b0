/** Libraries whose matrices and tables `pca` reads as they are: rows of `npm run test:install` that try them with the real library. */

/** A program that makes the library's data in several forms, and the library's data again from scores. */
const library = (name, packages, imports, forms, back, manifest) => ({
  name,
  packages,
  manifest,
  files: {
    'a.mjs': `${imports}
import * as core from '@scree/core';
import { checkData, height, rows, weight } from './check-data.mjs';
checkData(core, ${forms}, ${back}).then(console.log);
`,
  },
  steps: [['node', 'a.mjs', 'scree reads']],
});

export const LIBRARIES = [
  library(
    'ml-matrix',
    ['ml-matrix'],
    "import { Matrix, MatrixTransposeView, wrap } from 'ml-matrix';",
    `{
  'Matrix': () => new Matrix(rows),
  'transposed view': () => new MatrixTransposeView(new Matrix([height, weight])),
  'part of a matrix': () => new Matrix([[0, 0, 0], ...rows.map((row) => [7, ...row])]).subMatrix(1, 5, 1, 2),
  'wrapped rows': () => wrap(rows),
}`,
    '(scores) => { const matrix = new Matrix(scores.toRows()); return [matrix.rows, matrix.get(0, 0)]; }',
  ),
  library(
    'ndarray',
    ['ndarray'],
    "import ndarray from 'ndarray';",
    `{
  'float64': () => ndarray(Float64Array.from(rows.flat()), [5, 2]),
  'float32': () => ndarray(Float32Array.from(rows.flat()), [5, 2]),
  'plain array': () => ndarray(rows.flat(), [5, 2]),
  'transposed': () => ndarray(Float64Array.from([...height, ...weight]), [2, 5]).transpose(1, 0),
  'reversed': () => ndarray(Float64Array.from([...rows].reverse().flat()), [5, 2]).step(-1, 1),
  'slice': () => ndarray(Float64Array.from([[0, 0], ...rows, [0, 0]].flat()), [7, 2]).lo(1, 0).hi(5, 2),
}`,
    '({ rows, cols, data }) => { const array = ndarray(data, [rows, cols]); return [array.shape[0], array.get(0, 0)]; }',
  ),
  library(
    'TensorFlow.js',
    ['@tensorflow/tfjs'],
    "import * as tf from '@tensorflow/tfjs';",
    `{
  'tensor': () => tf.tensor2d(rows),
  'variable': () => tf.variable(tf.tensor2d(rows)),
  'transposed': () => tf.tensor2d([height, weight]).transpose(),
  'slice': () => tf.tensor2d([[0, 0], ...rows]).slice([1, 0], [5, 2]),
  'list of tensors': () => [tf.tensor2d(rows.slice(0, 2)), tf.tensor2d(rows.slice(2))],
}`,
    '(scores) => { const tensor = tf.tensor2d(scores.toRows()); return [tensor.shape[0], tensor.arraySync()[0][0]]; }',
  ),
  library(
    'Arquero',
    ['arquero'],
    "import * as aq from 'arquero';",
    `{
  'table': () => aq.table({ height, weight }),
  'filtered': () => aq.table({ height: [...height, 0], weight: [...weight, 0] }).filter((row) => row.weight > 0),
  'grouped': () => aq.table({ height, weight }).groupby('weight'),
  'as Arrow': () => aq.table({ height, weight }).toArrow(),
}`,
    "(scores) => { const table = aq.table(scores.toColumns()); return [table.numRows(), table.get('PC1', 0)]; }",
    // Later versions of its reader of Arrow need a package that is not published.
    { overrides: { '@uwdata/flechette': '2.2.4' } },
  ),
  library(
    'Apache Arrow',
    ['apache-arrow'],
    "import { Decimal, Float16, Int64, RecordBatchReader, Table, tableFromArrays, tableToIPC, vectorFromArray } from 'apache-arrow';",
    `(() => {
  const table = () => tableFromArrays({ height: Float64Array.from(height), weight: BigInt64Array.from(weight.map(BigInt)) });
  const cents = (value) => Uint32Array.of(100 * value, 0, 0, 0);
  const whole = vectorFromArray(weight.map(BigInt), new Int64());
  return {
    'table with int64': table,
    'record batch': () => table().batches[0],
    'slice': () => table().concat(table()).slice(5, 10),
    'record batch reader': () => RecordBatchReader.from(tableToIPC(table())),
    'float16': () => new Table({ height: vectorFromArray(height, new Float16()), weight: whole }),
    'decimals': () => new Table({ height: vectorFromArray(height.map((each) => cents(10 * each)), new Decimal(3, 10, 128)), weight: whole }),
  };
})()`,
    "(scores) => { const table = tableFromArrays(scores.toColumns()); return [table.numRows, table.getChild('PC1').get(0)]; }",
  ),
  library(
    'nodejs-polars',
    ['nodejs-polars', 'nodejs-polars-linux-x64-gnu'],
    "import pl from 'nodejs-polars';",
    `{
  'data frame': () => pl.DataFrame({ height, weight }),
  'int64': () => pl.DataFrame({ height, weight: pl.Series('weight', BigInt64Array.from(weight.map(BigInt))) }),
  'uint64': () => pl.DataFrame({ height, weight: weight.map(BigInt) }),
  'float32': () => pl.DataFrame({ height, weight }).select(pl.col('height').cast(pl.Float32), pl.col('weight').cast(pl.Float32)),
  'filtered': () => pl.DataFrame({ height: [0, ...height], weight: [0, ...weight] }).filter(pl.col('weight').gt(0)),
}`,
    "(scores) => { const frame = pl.DataFrame(scores.toColumns()); return [frame.height, frame.getColumn('PC1').get(0)]; }",
  ),
  library(
    'Danfo.js',
    ['danfojs'],
    "import { createRequire } from 'node:module';\nconst { DataFrame } = createRequire(import.meta.url)('danfojs');",
    `{
  'data frame': () => new DataFrame({ height, weight }),
  'from rows': () => new DataFrame(rows, { columns: ['height', 'weight'] }),
  'head': () => new DataFrame([...rows, [0, 0]], { columns: ['height', 'weight'] }).head(5),
  'tensor': () => new DataFrame({ height, weight }).tensor,
}`,
    "(scores) => { const frame = new DataFrame(scores.toRows(), { columns: ['PC1', 'PC2'] }); return [frame.shape[0], frame.values[0][0]]; }",
    // It wants a version of xlsx that is not in the registry.
    { overrides: { xlsx: '0.18.5' } },
  ),
  library(
    'DuckDB',
    ['@duckdb/node-api'],
    "import { DuckDBInstance } from '@duckdb/node-api';\nconst connection = await (await DuckDBInstance.create(':memory:')).connect();",
    `(() => {
  const query = (columns) => \`select \${columns} from (values \${rows.map((row) => \`(\${row}::bigint)\`)}) t(height, weight)\`;
  return {
    'run': () => connection.run(query('height::double as height, weight')),
    'stream': () => connection.stream(query('height::double as height, weight')),
    'read to the end': () => connection.runAndReadAll(query('height::double as height, weight')),
    'decimals': () => connection.run(query('height::decimal(9, 3) as height, weight::hugeint as weight')),
    'records': async () => (await connection.runAndReadAll(query('height::double as height, weight'))).getRowObjectsJS(),
  };
})()`,
    '(scores) => [scores.toRows().length, scores.toRows()[0][0]]',
  ),
];
