/**
 * Compares the formats that we read ourselves with libraries (docs/dependencies.md): speed on one file, size in a bundle, and hostile files.
 *
 *   mkdir /tmp/libraries && cd /tmp/libraries && npm init -y && npm install --ignore-scripts fflate pako fzstd zstddec lz4js unzipit \
 *     @zip.js/zip.js @duckdb/node-api crc-32 @uwdata/flechette apache-arrow hyparquet hyparquet-compressors udsv csv-parse papaparse @streamparser/json fast-png esbuild
 *   npm run compile && SCREE_PYTHON=python3 node bench/libraries.js /tmp/libraries [case ...]
 *
 * Speed is processor time, as the machine may be busy: medians of seven runs, in turn.
 * A hostile file passes when the library throws an error or returns the right data: for packed files what Python's gzip and zipfile, the lz4
 * package and the zstd program unpack (test/unpacking-oracle.py), for others what we return. It fails when the library returns data from a file
 * that these refuse, returns other data, takes more than 10 seconds of processor time or 1 GB, or crashes. Each library runs in a process of its own, which is replaced when it fails.
 */
import { execFileSync, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { fileURLToPath, pathToFileURL } from 'node:url';
import * as zlib from 'node:zlib';

const [first, ...rest] = process.argv.slice(2);
const isChild = first === 'child';
const folder = isChild ? rest[0] : first;
const root = fileURLToPath(new URL('..', import.meta.url));
const SECONDS = 10;
const MOST_BYTES = 2 ** 30;
const ROUNDS = 7;

const library = async (name) => {
  const require = createRequire(`${folder}/package.json`);
  let path;
  try {
    // The version for browsers and bundlers, where there is one.
    const manifest = JSON.parse(readFileSync(`${folder}/node_modules/${name}/package.json`, 'utf8'));
    const entry = manifest.module ?? manifest.exports?.['.']?.import?.default ?? manifest.exports?.['.']?.import;
    path =
      typeof entry === 'string' && manifest.type === 'module' ? `${folder}/node_modules/${name}/${entry}` : undefined;
  } catch {}
  return import(pathToFileURL(path ?? require.resolve(name)).href);
};
const ours = (path) => import(pathToFileURL(`${root}packages/files/dist/${path}`).href);

/** Results are compared by digests; while time is measured they are only counted. */
let timing = false;
const sha = (...parts) => {
  if (timing) return parts.reduce((sum, part) => sum + part.length, 0);
  const hash = createHash('sha1');
  for (const part of parts) hash.update(part);
  return hash.digest('hex').slice(0, 16);
};
const columnSha = (values) =>
  timing
    ? values.length
    : sha(
        new Uint8Array(
          Float64Array.from(values, (value) => (value === null || value === undefined ? Number.NaN : Number(value)))
            .buffer,
        ),
      );
const open = async (bytes, name) => {
  const { identify, openTable, checkFileOptions, plainPlatform, blobBytes } = await ours('platform/index.js');
  const options = checkFileOptions({ memory: 2 ** 26 });
  const file = await identify(blobBytes(new Blob([bytes]), name), { name }, options, plainPlatform.unpack);
  return openTable(file, options, plainPlatform);
};
/** Our columns of numbers: the digest of each by its name. */
const ourColumns = (name) => async (bytes) => {
  const table = await open(bytes, name);
  const numbers = table.uniform
    ? [...Array(table.width).keys()]
    : [...table.columns.keys()].filter((j) => table.columns[j].kind === 'number');
  const values = numbers.map(() => []);
  if (timing) {
    let rows = 0;
    for await (const { block } of table.read({ numbers })) rows += block.rows;
    return rows;
  }
  for await (const { block } of table.read({ numbers })) {
    for (let i = 0; i < block.rows; i++)
      for (let j = 0; j < block.cols; j++) values[j].push(block.data[i * block.stride + j]);
  }
  return Object.fromEntries(numbers.map((j, at) => [table.columns[j].name, columnSha(values[at])]));
};
async function digestOf(chunks) {
  if (timing) {
    let length = 0;
    for await (const chunk of chunks) length += chunk.length;
    return length;
  }
  const hash = createHash('sha1');
  for await (const chunk of chunks) hash.update(chunk);
  return hash.digest('hex').slice(0, 16);
}
const iterate = (iterator) => ({ [Symbol.asyncIterator]: () => iterator });
const readerOf = async (bytes) => {
  const { readerAt } = await ours('bytes/bytes.js');
  return readerAt(async (into, at) => {
    const part = bytes.subarray(at, at + into.length);
    into.set(part);
    return part.length;
  });
};
const corpus = (name) =>
  readFileSync(`${root}test/corpus/${name}.txt`, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => Buffer.from(line, 'base64'));
const fixtures = (file, key) => {
  const [, text] = new RegExp(`\\b${key}:?\\s*=?\\s*'([A-Za-z0-9+/=]+)'`).exec(
    readFileSync(`${root}packages/files/test/${file}.ts`, 'utf8'),
  );
  return Buffer.from(text, 'base64');
};
/** Copies of a file with one bit flipped, at most `count` of them, and cut off at many lengths. */
function* damaged(bytes, count = 400) {
  const step = Math.max(1, Math.floor((8 * bytes.length) / count)) | 1;
  for (let bit = 0; bit < 8 * bytes.length; bit += step) {
    const copy = Buffer.from(bytes);
    copy[bit >> 3] ^= 1 << (bit & 7);
    yield copy;
  }
  for (let i = 1; i < 20; i++) yield bytes.subarray(0, Math.floor((bytes.length * i) / 20));
}
const tool = (name, args, input) => execFileSync(name, args, { input, maxBuffer: 2 ** 30 });
const csvText = (rows, cols = 8) => {
  let state = 1;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const lines = [Array.from({ length: cols }, (_, j) => `c${j}`).join(',')];
  for (let i = 0; i < rows; i++)
    lines.push(Array.from({ length: cols }, () => ((next() - 0.5) * 200).toFixed(5)).join(','));
  return `${lines.join('\n')}\n`;
};
const text = () => {
  const made = Buffer.from(csvText(300_000));
  bigSize = made.length;
  return made;
};
const stream = async (kind, bytes) => digestOf(new Blob([bytes]).stream().pipeThrough(new DecompressionStream(kind)));
const small = csvText(60, 3);
/** What a file unpacks to, for those that must be told. */
const expectedSize = () => (timing ? bigSize : small.length);
let bigSize = 0;

const arrowFile = async (rows) => {
  const { tableFromArrays, tableToIPC } = await library('apache-arrow');
  return tableToIPC(
    tableFromArrays(
      Object.fromEntries(
        Array.from({ length: 16 }, (_, j) => [`c${j}`, Float64Array.from({ length: rows }, (_, i) => Math.sin(i * j))]),
      ),
    ),
    'file',
  );
};
const parquetFile = async (rows) => {
  const { parquetWriteBuffer } = await import('hyparquet-writer');
  const columnData = Array.from({ length: 8 }, (_, j) => ({
    name: `c${j}`,
    data: Float64Array.from({ length: rows }, (_, i) => Math.sin(i * j)),
    type: 'DOUBLE',
    encoding: 'PLAIN',
  }));
  return Buffer.from(parquetWriteBuffer({ columnData, codec: 'SNAPPY', rowGroupSize: 100_000 }));
};
/** Columns of parsed text, with and without the first record: a library does not say whether that is a header. */
const recordColumns = (records) => {
  if (timing) return Float64Array.from(records.flat(), Number).length;
  const width = Math.max(0, ...records.map((record) => record.length));
  const number = (cell) => (cell === undefined || /^\s*(|na|nan|null)\s*$/i.test(cell) ? Number.NaN : Number(cell));
  const found = [];
  for (let j = 0; j < width; j++)
    for (const from of [0, 1]) found.push(columnSha(records.slice(from).map((record) => number(record[j]))));
  return { set: found };
};
/** Columns as rows of numbers, which is what PCA needs. */
const inRows = (columns) => {
  const data = new Float64Array(columns.length * columns[0].length);
  columns.forEach((column, j) => {
    for (let i = 0, at = j; i < column.length; i++, at += columns.length) data[at] = column[i];
  });
  return data.length;
};
const arrowColumns = (names, get) =>
  timing ? inRows(names.map(get)) : Object.fromEntries(names.map((name) => [name, columnSha(get(name))]));

const CASES = {
  gzip: {
    oracle: 'gzip',
    hostile: () => [
      ...corpus('gzip'),
      ...damaged(zlib.gzipSync(small)),
      Buffer.concat([zlib.gzipSync('a\n'), zlib.gzipSync('b\n')]),
      Buffer.concat([zlib.gzipSync('a\n'), Buffer.from('b\n')]),
      zlib.gzipSync(Buffer.alloc(2 ** 30)),
    ],
    speed: () => zlib.gzipSync(text()),
    size: {
      ours: ["export { gunzip } from 'OURS/archive/gunzip.js'"],
      fflate: ["export { gunzipSync } from 'fflate'"],
      pako: ["export { ungzip } from 'pako'"],
      "pako's stream": ["export { Inflate } from 'pako'"],
    },
    ours: async (bytes) =>
      digestOf(iterate((await ours('archive/unpack.js')).plainUnpackers.gzip(await readerOf(bytes), 'x', 2 ** 26))),
    contenders: {
      fflate: async (bytes) => sha((await library('fflate')).gunzipSync(bytes)),
      'fflate behind a check': async (bytes) => {
        // The header, and the length and CRC-32 at the end, as if there were one member.
        if (bytes.length < 18 || bytes.readUInt16BE(0) !== 0x1f8b || bytes[2] !== 8 || bytes[3] & 0xe0)
          throw new Error('no gzip');
        if (bytes.readUInt32LE(bytes.length - 4) > 2 ** 28) throw new Error('too large');
        const out = (await library('fflate')).gunzipSync(bytes);
        if (
          bytes.readUInt32LE(bytes.length - 8) !== zlib.crc32(out) ||
          bytes.readUInt32LE(bytes.length - 4) !== out.length
        )
          throw new Error('damaged');
        return sha(out);
      },
      pako: async (bytes) => sha((await library('pako')).ungzip(bytes)),
      "pako's stream": async (bytes) => {
        const { Inflate } = await library('pako');
        const unpacker = new Inflate({ chunkSize: 1 << 16 });
        const hash = createHash('sha1');
        let length = 0;
        unpacker.onData = (chunk) => {
          if (!timing) hash.update(chunk);
          length += chunk.length;
        };
        for (let at = 0; at < bytes.length; at += 1 << 16) {
          unpacker.push(bytes.subarray(at, at + (1 << 16)), at + (1 << 16) >= bytes.length);
          if (unpacker.err) throw new Error(unpacker.msg);
        }
        if (!unpacker.ended) throw new Error('it is cut off');
        return timing ? length : hash.digest('hex').slice(0, 16);
      },
      DecompressionStream: (bytes) => stream('gzip', bytes),
      'node:zlib': async (bytes) => {
        const { nodeUnpackers } = await import(pathToFileURL(`${root}packages/scree/dist/disk/unpackers.js`).href);
        return digestOf(iterate(nodeUnpackers.gzip(await readerOf(bytes), 'x')));
      },
    },
  },
  zstd: {
    oracle: 'zstd',
    hostile: () => {
      const packed = tool('zstd', ['-19', '--check', '-c'], small);
      return [
        ...damaged(packed),
        Buffer.concat([packed, packed]),
        Buffer.concat([packed, Buffer.from('rest')]),
        Buffer.from('28b52ffd00f8010000', 'hex'),
        Buffer.from('28b52ffde0ffffffffffffff00010000', 'hex'),
        Buffer.from('28b52ffda0ffffff7f010000', 'hex'),
        tool('zstd', ['-c'], Buffer.alloc(2 ** 30)),
      ];
    },
    speed: () => tool('zstd', ['-c'], text()),
    size: {
      ours: ["export { unzstd } from 'OURS/archive/zstd.js'"],
      fzstd: ["export { decompress } from 'fzstd'"],
      zstddec: ["export { ZSTDDecoder } from 'zstddec'"],
    },
    ours: async (bytes) => digestOf((await ours('archive/zstd.js')).unzstd(await readerOf(bytes), 'x', 2 ** 28)),
    contenders: {
      fzstd: async (bytes) => sha((await library('fzstd')).decompress(bytes)),
      zstddec: async (bytes) => {
        const decoder = new (await library('zstddec')).ZSTDDecoder();
        await decoder.init();
        return sha(decoder.decode(bytes, expectedSize()));
      },
    },
  },
  lz4: {
    oracle: 'lz4',
    hostile: () => [
      ...damaged(tool('lz4', ['-c'], small)),
      Buffer.from('04224d186c40ffffffffffffff00da00000000', 'hex'),
      Buffer.from('04224d18647000000000ff', 'hex'),
    ],
    speed: () => tool('lz4', ['-c'], text()),
    size: { ours: ["export { unpackLz4 } from 'OURS/archive/lz4.js'"], lz4js: ["export { decompress } from 'lz4js'"] },
    ours: async (bytes) => {
      return sha((await ours('archive/lz4.js')).unpackLz4(bytes, expectedSize()));
    },
    contenders: { lz4js: async (bytes) => sha((await library('lz4js')).default.decompress(bytes)) },
  },
  zip: {
    oracle: 'zip',
    hostile: () => [...corpus('npz'), ...damaged(zipOf(Buffer.from(small)))],
    speed: () => zipOf(text()),
    size: {
      ours: [
        "export { readZip } from 'OURS/archive/zip.js'; export * from 'OURS/archive/zip-member.js'; export { inflate } from 'OURS/archive/inflate.js'",
      ],
      fflate: ["export { unzipSync } from 'fflate'"],
      unzipit: ["export { unzip } from 'unzipit'"],
      'zip.js': ["export { ZipReader, Uint8ArrayReader, Uint8ArrayWriter } from '@zip.js/zip.js'"],
    },
    ours: async (bytes) => {
      const { readZip, seekable } = await ours('archive/zip.js');
      const { arrayBytes, checked, watchMember } = await ours('archive/zip-member.js');
      const { plainUnpackers } = await ours('archive/unpack.js');
      const { blobBytes } = await ours('bytes/blob-bytes.js');
      const { chunksOf } = await ours('bytes/bytes.js');
      const file = seekable(blobBytes(new Blob([bytes]), 'x'));
      const parts = [];
      for (const member of await readZip(file)) {
        const content = await arrayBytes(file, member, plainUnpackers);
        const read = checked({ ...content, size: member.size }, () => watchMember(member, 'x', plainUnpackers)).open();
        for await (const chunk of chunksOf(read)) parts.push(chunk);
      }
      return sha(...parts);
    },
    contenders: {
      fflate: async (bytes) => sha(...Object.values((await library('fflate')).unzipSync(bytes))),
      unzipit: async (bytes) => {
        const { entries } = await (await library('unzipit')).unzip(new Uint8Array(bytes));
        const parts = [];
        for (const entry of Object.values(entries)) parts.push(new Uint8Array(await entry.arrayBuffer()));
        return sha(...parts);
      },
      'zip.js': async (bytes) => {
        const { configure, Uint8ArrayReader, Uint8ArrayWriter, ZipReader } = await library('@zip.js/zip.js');
        configure({ useWebWorkers: false });
        const parts = [];
        for (const entry of await new ZipReader(new Uint8ArrayReader(bytes)).getEntries())
          parts.push(await entry.getData(new Uint8ArrayWriter(), { checkSignature: true }));
        return sha(...parts);
      },
    },
  },
  'CRC-32': {
    speed: text,
    size: { 'crc-32': ["export { buf } from 'crc-32'"] },
    ours: async (bytes) =>
      (await import(pathToFileURL(`${root}packages/core/dist/data/storage/crc32.js`).href)).crc32(bytes),
    contenders: {
      'crc-32': async (bytes) => (await library('crc-32')).default.buf(bytes) >>> 0,
      'node:zlib': async (bytes) => zlib.crc32(bytes),
    },
  },
  Arrow: {
    hostile: () => [
      ...corpus('arrow'),
      ...damaged(fixtures('fixtures', 'zstd')),
      ...damaged(fixtures('fixtures', 'TYPED_ARROW')),
    ],
    speed: () => arrowFile(300_000),
    size: {
      ours: ["export { openArrow } from 'OURS/arrow/arrow-table.js'"],
      flechette: ["export { tableFromIPC } from '@uwdata/flechette'"],
      'apache-arrow': ["export { tableFromIPC } from 'apache-arrow'"],
    },
    ours: ourColumns('x.arrow'),
    contenders: {
      flechette: async (bytes) => {
        const table = (await library('@uwdata/flechette')).tableFromIPC(bytes);
        return arrowColumns(table.names, (name) => table.getChild(name).toArray());
      },
      'apache-arrow': async (bytes) => {
        const table = (await library('apache-arrow')).tableFromIPC(bytes);
        return arrowColumns(
          table.schema.fields.map(({ name }) => name),
          (name) => table.getChild(name).toArray(),
        );
      },
    },
  },
  Parquet: {
    hostile: () => [
      ...corpus('parquet'),
      ...['gzip', 'zstd', 'lz4', 'second'].flatMap((key) => [...damaged(fixtures('packed-parquet', key), 150)]),
      ...damaged(fixtures('fixtures', 'snappyCrc'), 150),
    ],
    speed: () => parquetFile(300_000),
    size: {
      ours: ["export { openParquet } from 'OURS/parquet/parquet-table.js'"],
      hyparquet: ["export { parquetRead } from 'hyparquet'"],
    },
    ours: ourColumns('x.parquet'),
    contenders: {
      hyparquet: async (bytes) => {
        const { parquetRead } = await library('hyparquet');
        const { compressors } = await library('hyparquet-compressors');
        const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
        const columns = {};
        // By columns, which is its fastest way.
        await parquetRead({
          file,
          compressors,
          onChunk({ columnName, columnData }) {
            columns[columnName] ??= [];
            columns[columnName].push(columnData);
          },
        });
        if (timing) return inRows(Object.values(columns).map((parts) => parts.flatMap((part) => Array.from(part))));
        return Object.fromEntries(
          Object.entries(columns).map(([name, parts]) => [name, columnSha(parts.flatMap((part) => Array.from(part)))]),
        );
      },
    },
  },
  CSV: {
    hostile: () => [
      ...corpus('csv'),
      Buffer.from(`a,b\n1,2\n"${'x'.repeat(2 ** 26)}`),
      Buffer.from(`a\n${'1,'.repeat(2 ** 24)}\n`),
    ],
    speed: text,
    size: {
      ours: ["export { openCsv } from 'OURS/csv/csv-table.js'"],
      uDSV: ["export { inferSchema, initParser } from 'udsv'"],
      'csv-parse': ["export { parse } from 'csv-parse/browser/esm/sync'"],
      papaparse: ["export { default } from 'papaparse'"],
    },
    ours: ourColumns('x.csv'),
    contenders: {
      uDSV: async (bytes) => {
        const { inferSchema, initParser } = await library('udsv');
        const content = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
        return recordColumns(initParser(inferSchema(content, { header: () => [] })).stringArrs(content));
      },
      'csv-parse': async (bytes) =>
        recordColumns(
          (await import(pathToFileURL(`${folder}/node_modules/csv-parse/lib/sync.js`).href)).parse(bytes, {
            bom: true,
          }),
        ),
      DuckDB: async (bytes) => {
        const { DuckDBInstance } = await library('@duckdb/node-api');
        const path = `${tmpdir()}/libraries-${process.pid}.csv`;
        writeFileSync(path, bytes);
        const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
        const connection = await instance.connect();
        try {
          const result = await connection.stream(`select * from read_csv('${path}')`);
          const values = result.columnNames().map(() => []);
          let rows = 0;
          for (let chunk = await result.fetchChunk(); chunk?.rowCount > 0; chunk = await result.fetchChunk()) {
            rows += chunk.rowCount;
            const columns = Array.from(values, (_, j) => chunk.getColumnVector(j).items ?? chunk.getColumnValues(j));
            if (timing) inRows(columns);
            else for (const [j, column] of columns.entries()) for (const value of column) values[j].push(value);
          }
          return timing ? rows : { set: values.map((column) => columnSha(column)) };
        } finally {
          connection.closeSync();
          instance.closeSync();
        }
      },
      papaparse: async (bytes) => {
        const { data, errors } = (await library('papaparse')).default.parse(bytes.toString(), { skipEmptyLines: true });
        if (errors.some(({ type }) => type !== 'Delimiter')) throw new Error(errors[0].message);
        return recordColumns(data);
      },
    },
  },
  JSON: {
    // The truth is JSON.parse: our reader takes tables alone.
    hostile: () => [
      ...corpus('json'),
      ...[...corpus('ndjson')].flatMap((bytes) =>
        bytes
          .toString('latin1')
          .split('\n')
          .map((line) => Buffer.from(line, 'latin1')),
      ),
      Buffer.from('['.repeat(100_000)),
      Buffer.from(`[${'['.repeat(10_000)}${']'.repeat(10_000)}]`),
    ],
    speed: () =>
      Buffer.from(
        JSON.stringify(
          csvText(150_000)
            .split('\n')
            .slice(1, -1)
            .map((line) => Object.fromEntries(line.split(',').map((cell, j) => [`c${j}`, Number(cell)]))),
        ),
      ),
    size: {
      ours: ["export { openJson } from 'OURS/json/json-table.js'"],
      '@streamparser/json': ["export { JSONParser } from '@streamparser/json'"],
    },
    ours: async (bytes) => sha(JSON.stringify(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)))),
    oursSpeed: ourColumns('x.json'),
    contenders: {
      '@streamparser/json': async (bytes) => {
        const { JSONParser } = await library('@streamparser/json');
        const parser = new JSONParser({ paths: ['$'] });
        let found;
        parser.onValue = ({ value }) => {
          found = { value };
        };
        for (let at = 0; at < bytes.length; at += 1 << 16) parser.write(bytes.subarray(at, at + (1 << 16)));
        if (!parser.isEnded) parser.end();
        if (!found) throw new Error('no value');
        return sha(JSON.stringify(found.value));
      },
    },
    speedContenders: {
      '@streamparser/json': async (bytes) => {
        const { JSONParser } = await library('@streamparser/json');
        const parser = new JSONParser({ paths: ['$.*'], keepStack: false });
        const rows = [];
        parser.onValue = ({ value }) => rows.push(Object.values(value));
        for (let at = 0; at < bytes.length; at += 1 << 16) parser.write(bytes.subarray(at, at + (1 << 16)));
        return rows.length;
      },
      'JSON.parse': async (bytes) => JSON.parse(bytes.toString()).map((row) => Object.values(row)).length,
    },
  },
};

function zipOf(content) {
  const packed = zlib.deflateRawSync(content);
  const [local, central, end] = [Buffer.alloc(30), Buffer.alloc(46), Buffer.alloc(22)];
  local.writeUInt32LE(0x04034b50, 0);
  central.writeUInt32LE(0x02014b50, 0);
  for (const [header, at] of [
    [local, 8],
    [central, 10],
  ]) {
    header.writeUInt16LE(8, at);
    header.writeUInt32LE(zlib.crc32(content), at + 6);
    header.writeUInt32LE(packed.length, at + 10);
    header.writeUInt32LE(content.length, at + 14);
    header.writeUInt16LE(5, at + 18);
  }
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(46 + 5, 12);
  end.writeUInt32LE(30 + 5 + packed.length, 16);
  const name = Buffer.from('a.npy');
  return Buffer.concat([local, name, packed, central, name, end]);
}

/** Whether a library's result is ours: of columns, those that we read as numbers. */
function same(ours, theirs) {
  if (typeof ours !== 'object') return ours === theirs;
  if (theirs.set) return Object.values(ours).every((column) => theirs.set.includes(column));
  // Vectors and lists are columns of their own here, and arrays there.
  return Object.entries(ours).every(([name, column]) => !(name in theirs) || theirs[name] === column);
}

/** Processor time and memory that a process has taken. */
function usage(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
    return { seconds: (Number(fields[11]) + Number(fields[12])) / 100, bytes: 4096 * Number(fields[21]) };
  } catch {
    return { seconds: 0, bytes: 0 };
  }
}

/** Runs one contender over all files, in processes that are replaced when they hang, crash or take too much. */
async function outcomes(name, contender, files) {
  const results = [];
  let child;
  for (let i = 0; i < files.length; i++) {
    child ??= fork(fileURLToPath(import.meta.url), ['child', folder, name, contender], {
      execArgv: ['--max-old-space-size=1024'],
      serialization: 'advanced',
      stdio: 'ignore',
    });
    const process = child;
    results.push(
      await new Promise((resolve) => {
        const finish = (outcome) => {
          clearTimeout(limit);
          clearInterval(watch);
          process.removeAllListeners();
          if (outcome.failed) {
            process.on('error', () => {});
            process.kill('SIGKILL');
            child = undefined;
          }
          resolve(outcome);
        };
        const before = usage(process.pid);
        const limit = setTimeout(() => finish({ failed: 'hang' }), 10_000 * SECONDS);
        const watch = setInterval(() => {
          const { seconds, bytes } = usage(process.pid);
          if (seconds - before.seconds > SECONDS) finish({ failed: 'hang' });
          if (bytes > MOST_BYTES) finish({ failed: 'memory' });
        }, 20);
        process.on('message', finish);
        process.on('exit', () => finish({ failed: 'crash' }));
        process.send(files[i]);
      }),
    );
  }
  child?.removeAllListeners();
  child?.kill();
  return results;
}

/** What independent programs unpack, by digests; undefined for files that they refuse. */
function oracleResults(kind, files) {
  const place = mkdtempSync(`${tmpdir()}/libraries-`);
  try {
    for (const [i, file] of files.entries()) writeFileSync(`${place}/${i}`, file);
    const program = `${root}test/unpacking-oracle.py`;
    const printed = tool(process.env.SCREE_PYTHON ?? 'python3', [program, place, kind, String(files.length)]);
    return JSON.parse(printed).map((found) => (found.startsWith('refused') ? undefined : found.slice(0, 16)));
  } finally {
    rmSync(place, { recursive: true });
  }
}

if (isChild) {
  const [, name, contender] = rest;
  const read = contender === 'ours' ? CASES[name].ours : CASES[name].contenders[contender];
  process.on('message', async (bytes) => {
    try {
      process.send({ result: await read(Buffer.from(bytes)) });
    } catch (error) {
      process.send({ error: String(error?.message ?? error).slice(0, 80) });
    }
  });
} else {
  for (const name of rest.length > 0 ? rest : Object.keys(CASES)) {
    const {
      oracle,
      ours: read,
      oursSpeed = read,
      contenders,
      speedContenders = contenders,
      hostile,
      speed,
      size = {},
    } = CASES[name];
    console.log(`\n${name}`);
    if (hostile) {
      const files = [...hostile()];
      const own = await outcomes(name, 'ours', files);
      const failed = own.filter((outcome) => outcome.failed).length;
      const expected = oracle ? oracleResults(oracle, files).map((result) => ({ result })) : own;
      console.log(
        `  hostile files: ${files.length}, we read ${own.filter(({ result }) => result !== undefined).length} and fail ${failed}`,
      );
      for (const contender of oracle ? ['ours', ...Object.keys(contenders)] : Object.keys(contenders)) {
        const found = contender === 'ours' ? own : await outcomes(name, contender, files);
        const counts = { passed: 0, hang: 0, memory: 0, crash: 0, 'data from a refused file': 0, 'other data': 0 };
        found.forEach((outcome, i) => {
          if (outcome.failed) counts[outcome.failed]++;
          else if (outcome.error !== undefined) counts.passed++;
          else if (expected[i].result === undefined) counts['data from a refused file']++;
          else counts[same(expected[i].result, outcome.result) ? 'passed' : 'other data']++;
        });
        console.log(
          `  ${contender}: ${JSON.stringify(counts)}, errors ${found.filter(({ error }) => error !== undefined).length}`,
        );
      }
    }
    if (speed) {
      const bytes = Buffer.from(await speed());
      timing = true;
      const all = { ours: oursSpeed, ...speedContenders };
      const times = Object.fromEntries(Object.keys(all).map((key) => [key, []]));
      for (let round = 0; round <= ROUNDS; round++) {
        for (const [key, run] of Object.entries(all)) {
          const start = process.cpuUsage();
          await run(bytes);
          const { user, system } = process.cpuUsage(start);
          if (round > 0) times[key].push((user + system) / 1000);
        }
      }
      timing = false;
      const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];
      for (const [key, values] of Object.entries(times))
        console.log(
          `  ${key}: ${(median(values) / median(times.ours)).toFixed(2)} × our time (${median(values).toFixed(0)} ms, ${(bytes.length / 1e6).toFixed(0)} MB)`,
        );
    }
    for (const [key, [entry]] of Object.entries(size)) {
      const file = `${tmpdir()}/library-size.mjs`;
      writeFileSync(file, entry.replaceAll('OURS', `${root}packages/files/dist`));
      if (!existsSync(`${folder}/node_modules/.bin/esbuild`)) break;
      const bundled = execFileSync(
        `${folder}/node_modules/.bin/esbuild`,
        [
          file,
          '--bundle',
          '--minify',
          '--format=esm',
          '--platform=browser',
          '--external:@scree/core',
          '--external:@scree/core/engine',
          '--external:hyparquet-compressors',
          '--log-level=error',
        ],
        { env: { ...process.env, NODE_PATH: `${folder}/node_modules` } },
      );
      console.log(
        `  ${key}: ${(bundled.length / 1000).toFixed(1)} kB minified, ${(zlib.gzipSync(bundled).length / 1000).toFixed(1)} kB with gzip`,
      );
    }
  }
  process.exit(0);
}
