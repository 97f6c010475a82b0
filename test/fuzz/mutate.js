import { createHash } from 'node:crypto';
import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib';

/** Longest input: coverage is found with small files, and small files are read fast. */
export const LONGEST = 8192;

const INTERESTING = [
  0, 1, 2, 3, 4, 7, 8, 16, 31, 32, 63, 64, 127, 128, 255, 256, 1023, 4096, 32767, 32768, 65535, 65536,
];
const LARGE = [2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 2 ** 24, 2 ** 28];
/** Bytes that mostly text uses. */
const DIGITS = '0123456789';

const bytesOf = (token) => Buffer.from(token, /[^\0-\xff]/.test(token) ? 'utf8' : 'latin1');

/** Changes of bytes, each from (bytes, random, { tokens, other }) to bytes. */
const CHANGES = [
  function flipBit(bytes, random) {
    bytes[random.below(bytes.length)] ^= 1 << random.below(8);
    return bytes;
  },
  function setByte(bytes, random) {
    bytes[random.below(bytes.length)] = random.chance(0.5) ? random.below(256) : random.pick(INTERESTING) & 255;
    return bytes;
  },
  function addToByte(bytes, random) {
    bytes[random.below(bytes.length)] += random.pick([1, -1, 2, -2, 16, -16]);
    return bytes;
  },
  /** Lengths, counts and offsets are whole numbers of two, four or eight bytes in either order. */
  function editNumber(bytes, random) {
    const width = random.pick([2, 4, 4, 8]);
    if (bytes.length < width) return bytes;
    const at = random.below(bytes.length - width + 1);
    const size = Math.min(width, 4);
    const little = random.chance(0.7);
    const now = little ? bytes.readUIntLE(at, size) : bytes.readUIntBE(at + width - size, size);
    const near = random.pick([1, -1, 2, 4, 8, -8, now, -now]);
    const value = random.pick([
      now + near,
      random.pick(INTERESTING),
      random.pick(LARGE),
      bytes.length,
      bytes.length - at,
      now * 256,
    ]);
    const held = Math.abs(value) % 2 ** (8 * size);
    bytes.fill(0, at, at + width);
    if (little) bytes.writeUIntLE(held, at, size);
    else bytes.writeUIntBE(held, at + width - size, size);
    return bytes;
  },
  function cut(bytes, random) {
    const from = random.below(bytes.length);
    const count = 1 + random.below(random.chance(0.7) ? 8 : bytes.length - from);
    return Buffer.concat([bytes.subarray(0, from), bytes.subarray(from + count)]);
  },
  function truncate(bytes, random) {
    return bytes.subarray(0, random.below(bytes.length));
  },
  function repeat(bytes, random) {
    const from = random.below(bytes.length);
    const part = bytes.subarray(from, from + 1 + random.below(random.chance(0.7) ? 16 : 256));
    const times = 1 + random.below(random.chance(0.9) ? 2 : 40);
    return Buffer.concat([bytes.subarray(0, from), ...Array(times).fill(part), bytes.subarray(from)]);
  },
  function insertBytes(bytes, random) {
    const at = random.below(bytes.length + 1);
    const made = Buffer.from(Array.from({ length: 1 + random.below(8) }, () => random.below(256)));
    return Buffer.concat([bytes.subarray(0, at), made, bytes.subarray(at)]);
  },
  function copyWithin(bytes, random) {
    const [to, from] = [random.below(bytes.length), random.below(bytes.length)];
    bytes.copyWithin(to, from, from + 1 + random.below(32));
    return bytes;
  },
  function insertToken(bytes, random, { tokens }) {
    const at = random.below(bytes.length + 1);
    const skipped = random.chance(0.5) ? 0 : random.below(8);
    return Buffer.concat([bytes.subarray(0, at), bytesOf(random.pick(tokens)), bytes.subarray(at + skipped)]);
  },
  /** The digits of a number in text. */
  function editDigits(bytes, random) {
    const start = random.below(bytes.length);
    for (let at = start; at < Math.min(bytes.length, start + 200); at++) {
      if (bytes[at] < 48 || bytes[at] > 57) continue;
      bytes[at] = DIGITS.charCodeAt(random.below(10));
      if (random.chance(0.5)) break;
    }
    return bytes;
  },
  function splice(bytes, random, { other }) {
    const from = random.below(other.length);
    const part = other.subarray(from, from + 1 + random.below(random.chance(0.5) ? 32 : other.length));
    const at = random.below(bytes.length + 1);
    const skipped = random.chance(0.5) ? part.length : 0;
    return Buffer.concat([bytes.subarray(0, at), part, bytes.subarray(at + skipped)]);
  },
];

/** A changed copy of an input: one to eight changes, then checksums made right again in 7 of 10 cases. */
export function mutate(format, input, random, tools) {
  let bytes = Buffer.from(input);
  const inside = INSIDE[format];
  if (inside && random.chance(0.6)) bytes = inside(bytes, (part) => change(part, random, tools), random) ?? bytes;
  else bytes = change(bytes, random, tools);
  if (random.chance(0.7)) bytes = SEAL[format]?.(bytes) ?? bytes;
  return bytes.subarray(0, LONGEST);
}

function change(input, random, tools) {
  let bytes = input;
  for (let left = 1 + random.below(random.chance(0.5) ? 2 : 8); left > 0; left--) {
    if (bytes.length === 0) bytes = Buffer.from([0]);
    bytes = random.pick(CHANGES)(bytes, random, tools);
  }
  return bytes;
}

/** What cannot be repaired stays as it is. */
const tried =
  (work) =>
  (...args) => {
    try {
      return work(...args);
    } catch {
      return undefined;
    }
  };

function sealEnd(bytes) {
  if (bytes.length > 4) bytes.writeUInt32LE(crc32(bytes.subarray(0, -4)), bytes.length - 4);
  return bytes;
}

/** Checksums that fit the bytes again, by format: behind them are the parsers that are to be reached. */
const SEAL = {
  gzip: tried((bytes) => {
    const out = inflateRawSync(bytes.subarray(10, -8), { maxOutputLength: 1 << 20 });
    bytes.writeUInt32LE(crc32(out), bytes.length - 8);
    bytes.writeUInt32LE(out.length, bytes.length - 4);
    return bytes;
  }),
  npz: tried((bytes) => {
    for (let at = bytes.indexOf('PK\x01\x02'); at >= 0; at = bytes.indexOf('PK\x01\x02', at + 4)) {
      const [method, packed, local] = [
        bytes.readUInt16LE(at + 10),
        bytes.readUInt32LE(at + 20),
        bytes.readUInt32LE(at + 42),
      ];
      const from = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
      const data = bytes.subarray(from, from + packed);
      const content = method === 8 ? inflateRawSync(data, { maxOutputLength: 1 << 20 }) : data;
      for (const fields of [at + 16, local + 14]) {
        bytes.writeUInt32LE(crc32(content), fields);
        if (method === 8) bytes.writeUInt32LE(content.length, fields + 8);
      }
    }
    return bytes;
  }),
  moments: sealEnd,
  checkpoint: tried((bytes) => {
    const { head, sum, moments } = checkpointParts(bytes);
    return joinCheckpoint(head, sum, sealEnd(moments));
  }),
  model: tried((bytes) => {
    if (bytes[0] === 0x53) return sealEnd(bytes);
    const { checksum: _, ...body } = JSON.parse(bytes.toString());
    return Buffer.from(
      JSON.stringify({ ...body, checksum: crc32(JSON.stringify(body)).toString(16).padStart(8, '0') }),
    );
  }),
};

/** Changes of what is packed or protected, by format: the parts are taken out, one is changed, and they are put together again. */
const INSIDE = {
  scree: tried((bytes, changed, random) => {
    const parts = [];
    for (let at = 12; at < bytes.length - 12; ) {
      const length = bytes.readUInt32LE(at);
      parts.push(bytes.subarray(at + 8, at + 8 + length));
      at += 8 + length;
    }
    const which = random.below(parts.length);
    parts[which] = which === 0 ? deflateRawSync(changed(inflateRawSync(parts[0]))) : changed(Buffer.from(parts[which]));
    const list = Buffer.from(parts.at(-1));
    for (const [i, block] of parts.slice(2, -1).entries()) list.writeUInt32LE(block.length, 24 + 8 * i + 4);
    parts[parts.length - 1] = list;
    const sections = parts.map((part) => {
      const head = Buffer.alloc(8);
      head.writeUInt32LE(part.length);
      head.writeUInt32LE(crc32(part), 4);
      return Buffer.concat([head, part]);
    });
    const tail = Buffer.from('\0\0\0\0SCREEEND', 'latin1');
    tail.writeUInt32LE(list.length);
    return Buffer.concat([bytes.subarray(0, 12), ...sections, tail]);
  }),
  gzip: tried((bytes, changed, random) => {
    if (random.chance(0.5)) return undefined;
    const out = changed(inflateRawSync(bytes.subarray(10, -8), { maxOutputLength: 1 << 20 }));
    const end = Buffer.alloc(8);
    end.writeUInt32LE(crc32(out));
    end.writeUInt32LE(out.length, 4);
    return Buffer.concat([bytes.subarray(0, 10), deflateRawSync(out, { level: random.pick([0, 1, 9]) }), end]);
  }),
  /** The header of moments is text before a length. */
  moments: tried((bytes, changed) => {
    const length = bytes.readUInt32LE(12);
    return withHeader(bytes, changed(Buffer.from(bytes.subarray(16, 16 + length))), length);
  }),
  checkpoint: tried((bytes, changed, random) => {
    const { head, sum, moments } = checkpointParts(bytes);
    if (random.chance(0.5)) return joinCheckpoint(changed(head), sum, moments);
    return joinCheckpoint(head, sum, INSIDE.moments(moments, changed));
  }),
  model: tried((bytes, changed) => {
    if (bytes[0] !== 0x53) return undefined;
    const length = bytes.readUInt32LE(12);
    return withHeader(bytes, changed(Buffer.from(bytes.subarray(16, 16 + length))), length);
  }),
};

/** A line of JSON, from version 2 on a line with the SHA-256 of the rest, and the moments. */
function checkpointParts(bytes) {
  const end = bytes.indexOf(10) + 1;
  const [, sum] = /^([0-9a-f]{64})\n/.exec(bytes.subarray(end, end + 65).toString('latin1')) ?? [];
  return {
    head: Buffer.from(bytes.subarray(0, end)),
    sum: sum !== undefined,
    moments: Buffer.from(bytes.subarray(end + (sum === undefined ? 0 : 65))),
  };
}

function joinCheckpoint(head, sum, moments) {
  const digest = () => createHash('sha256').update(head).update(moments).digest('hex');
  return Buffer.concat([head, Buffer.from(sum ? `${digest()}\n` : ''), moments]);
}

/** "SCREE…", version, length of the header, header, zeros up to a multiple of eight, the arrays, a checksum. */
function withHeader(bytes, header, length) {
  const rest = bytes.subarray(Math.ceil((16 + length) / 8) * 8);
  const start = Buffer.alloc(Math.ceil((16 + header.length) / 8) * 8);
  start.set(bytes.subarray(0, 16));
  start.writeUInt32LE(header.length, 12);
  start.set(header, 16);
  return sealEnd(Buffer.concat([start, rest]));
}
