import { unpackLz4Block } from '../archive/lz4.js';
import { plainUnpackers } from '../archive/unpack.js';
import { readerAt } from '../bytes/bytes.js';
import { unsupported } from '../file-error.js';
import type { Codec } from './footer.js';
import { unpackSnappy } from './snappy.js';

/** Unpacks a page into `out`, or into bytes of its own. They must have the length of `out`; other data are refused. */
export type PageUnpacker = (packed: Uint8Array, out: Uint8Array) => Uint8Array | Promise<Uint8Array>;

/** Unpackers of pages, and the checksum of pages. A platform may have faster ones. */
export interface PageTools {
  readonly codecs: Partial<Readonly<Record<Codec, PageUnpacker>>>;
  readonly crc32: (bytes: Uint8Array, sum: number) => number;
}

/** What every platform has. All of them verify sizes, and checksums where the codec has one. */
export const plainPageTools: PageTools = {
  codecs: {
    SNAPPY: into(unpackSnappy),
    LZ4_RAW: into(unpackLz4Block),
    LZ4: into(unpackHadoop),
    GZIP: gunzipPage,
    ZSTD: (packed, out) => plainUnpackers.zstdPiece(packed, out.length),
    BROTLI: async (packed, out) =>
      (await import('hyparquet-compressors')).compressors.BROTLI?.(packed, out.length) ?? out.subarray(0, 0),
  },
  crc32: plainUnpackers.crc32,
};

/** The unpacker of a codec; undefined if pages are not packed. */
export function unpackerOf(codec: Codec, tools: PageTools, path: string): PageUnpacker | undefined {
  if (codec === 'UNCOMPRESSED') return undefined;
  const unpack = tools.codecs[codec] ?? plainPageTools.codecs[codec];
  if (!unpack) throw unsupported(path, `is packed with ${codec}`, 'Write it with Snappy, zstd or gzip.');
  return unpack;
}

function into(unpack: (packed: Uint8Array, out: Uint8Array) => void): PageUnpacker {
  return (packed, out) => {
    unpack(packed, out);
    return out;
  };
}

/** The codec LZ4 stands for blocks as Hadoop writes them, each after its two sizes, or for one block without sizes. */
function unpackHadoop(packed: Uint8Array, out: Uint8Array): void {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.length);
  const blocks: [number, number, number][] = [];
  let [at, filled] = [0, 0];
  while (packed.length - at >= 8) {
    const [size, length] = [view.getUint32(at), view.getUint32(at + 4)];
    if (size > out.length - filled || length > packed.length - at - 8) break;
    blocks.push([at + 8, length, size]);
    at += 8 + length;
    filled += size;
  }
  if (at < packed.length || filled < out.length) {
    unpackLz4Block(packed, out);
    return;
  }
  filled = 0;
  for (const [from, length, size] of blocks) {
    unpackLz4Block(packed.subarray(from, from + length), out.subarray(filled, filled + size));
    filled += size;
  }
}

async function gunzipPage(packed: Uint8Array, out: Uint8Array): Promise<Uint8Array> {
  const reader = readerAt(async (bytes, position) => {
    const part = packed.subarray(position, position + bytes.length);
    bytes.set(part);
    return part.length;
  });
  let filled = 0;
  for (const chunks = plainUnpackers.gzip(reader, 'a page', out.length); ; ) {
    const next = await chunks.next();
    if (next.done) return out.subarray(0, filled);
    if (next.value.length > out.length - filled) throw new RangeError('a page unpacks to more than it says');
    out.set(next.value, filled);
    filled += next.value.length;
  }
}
