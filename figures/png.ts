import { crc32, deflateSync } from 'node:zlib';

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);

/** A PNG of up to 16 colours, of which number 0 is transparent: one entry of `pixels` a pixel, row by row. */
export function png(width: number, height: number, pixels: Uint8Array, colours: readonly string[]): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Four bits a pixel, by palette.
  header.set([4, 3], 8);
  const stride = 1 + Math.ceil(width / 2);
  const lines = new Uint8Array(height * stride);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      lines[y * stride + 1 + (x >> 1)] |= pixels[y * width + x] << (x % 2 === 0 ? 4 : 0);
    }
  }
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(`ffffff${colours.map((colour) => colour.slice(1)).join('')}`, 'hex')),
    chunk('tRNS', Uint8Array.of(0)),
    chunk('IDAT', deflateSync(lines, { level: 9 })),
    chunk('IEND', new Uint8Array(0)),
  ]);
}

function chunk(type: string, data: Uint8Array): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const out = Buffer.alloc(named.length + 8);
  out.writeUInt32BE(data.length, 0);
  out.set(named, 4);
  out.writeUInt32BE(crc32(named), named.length + 4);
  return out;
}
