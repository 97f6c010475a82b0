/** CRC-32, the checksum of gzip, zip and PNG (polynomial 0xedb88320), eight bytes at a time. */

/** TABLES[k][b] is the checksum of byte b followed by k zero bytes. */
const TABLES = makeTables();

/** The checksum of bytes. `sum` is the checksum of the bytes before them. */
export function crc32(bytes: Uint8Array, sum = 0): number {
  const [t0, t1, t2, t3, t4, t5, t6, t7] = TABLES;
  let crc = ~sum;
  let at = 0;
  for (const end = bytes.length - 7; at < end; at += 8) {
    const low = crc ^ (bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24));
    crc =
      t7[low & 255] ^
      t6[(low >>> 8) & 255] ^
      t5[(low >>> 16) & 255] ^
      t4[low >>> 24] ^
      t3[bytes[at + 4]] ^
      t2[bytes[at + 5]] ^
      t1[bytes[at + 6]] ^
      t0[bytes[at + 7]];
  }
  for (; at < bytes.length; at++) crc = t0[(crc ^ bytes[at]) & 255] ^ (crc >>> 8);
  return ~crc >>> 0;
}

function makeTables(): readonly Int32Array[] {
  const first = new Int32Array(256);
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
    first[byte] = crc;
  }
  const tables = [first];
  for (let k = 1; k < 8; k++) {
    tables.push(tables[k - 1].map((crc) => (crc >>> 8) ^ first[crc & 255]));
  }
  return tables;
}
