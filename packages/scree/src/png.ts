import { crc32, deflateSync } from 'node:zlib';

/** A picture with one byte per pixel, row by row. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  /** Greys from 0 (black) to 255 (white), or indexes of the palette. */
  readonly pixels: Uint8Array;
  /** Up to 256 colours as #rrggbb. With up to 16 colours a pixel takes half a byte. */
  readonly palette?: readonly string[];
  /** Makes colour 0 of the palette transparent. */
  readonly transparent?: boolean;
}

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
/** Colour types of the header. */
const [GREY, BY_PALETTE] = [0, 3];

/** Encodes a picture as a PNG file. */
export function encodePng({ width, height, pixels, palette, transparent = false }: Picture): Buffer {
  const bits = palette && palette.length <= 16 ? 4 : 8;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([bits, palette ? BY_PALETTE : GREY], 8);
  const lines = bits === 4 ? halfBytes(width, height, pixels) : wholeBytes(width, height, pixels);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    ...(palette ? [chunk('PLTE', Buffer.from(palette.map((colour) => colour.slice(1)).join(''), 'hex'))] : []),
    ...(transparent ? [chunk('tRNS', Uint8Array.of(0))] : []),
    chunk('IDAT', deflateSync(lines, { level: 9 })),
    chunk('IEND', new Uint8Array(0)),
  ]);
}

/** Encodes a picture as a data URL, for pages and SVG. */
export function pngAddress(picture: Picture): string {
  return `data:image/png;base64,${encodePng(picture).toString('base64')}`;
}

/** The lines of the picture. Each begins with the filter type 0 (none). */
function wholeBytes(width: number, height: number, pixels: Uint8Array): Uint8Array {
  const lines = new Uint8Array(height * (width + 1));
  for (let y = 0; y < height; y++) lines.set(pixels.subarray(y * width, (y + 1) * width), y * (width + 1) + 1);
  return lines;
}

function halfBytes(width: number, height: number, pixels: Uint8Array): Uint8Array {
  const stride = 1 + Math.ceil(width / 2);
  const lines = new Uint8Array(height * stride);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      lines[y * stride + 1 + (x >> 1)] |= pixels[y * width + x] << (x % 2 === 0 ? 4 : 0);
    }
  }
  return lines;
}

function chunk(type: string, data: Uint8Array): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const out = Buffer.alloc(named.length + 8);
  out.writeUInt32BE(data.length, 0);
  out.set(named, 4);
  out.writeUInt32BE(crc32(named), named.length + 4);
  return out;
}
