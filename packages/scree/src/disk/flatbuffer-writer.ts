/** Writes the FlatBuffers of Arrow's headers. `flatbuffer.ts` of @scree/files reads them. */

/** The value of a field. */
export type FlatValue =
  | { readonly kind: 'uint8' | 'int16' | 'int32' | 'int64'; readonly value: number }
  | { readonly kind: 'offset'; readonly value: FlatNode };

/** The target of an offset. */
export type FlatNode =
  | { readonly kind: 'table'; readonly fields: readonly (FlatValue | undefined)[] }
  | { readonly kind: 'string'; readonly text: string }
  | { readonly kind: 'tables'; readonly items: readonly FlatNode[] }
  /** Structs of `each` 64-bit numbers. */
  | { readonly kind: 'int64s'; readonly values: readonly number[]; readonly each: number };

const SIZES = { uint8: 1, int16: 2, int32: 4, int64: 8, offset: 4 } as const;

/** Writes a tree of tables as one buffer, a multiple of eight bytes long. */
export function writeFlat(root: FlatNode): Uint8Array {
  let buffer = Buffer.alloc(1024);
  let end = 4;
  const reserve = (bytes: number, align: number): number => {
    const at = Math.ceil(end / align) * align;
    end = at + bytes;
    while (end > buffer.length) buffer = Buffer.concat([buffer, Buffer.alloc(buffer.length)]);
    return at;
  };
  // Offsets only point forward, so the target is written later, and the offset is filled in then.
  const write = (node: FlatNode): number => {
    if (node.kind === 'string') {
      const text = Buffer.from(node.text, 'utf8');
      const at = reserve(4 + text.length + 1, 4);
      buffer.writeUInt32LE(text.length, at);
      text.copy(buffer, at + 4);
      return at;
    }
    if (node.kind === 'int64s') {
      // The values after the four bytes of the length must be aligned to eight.
      const at = reserve(4, 4);
      const start = (at + 4) % 8 === 0 ? at : reserve(4, 4);
      const data = reserve(8 * node.values.length, 8);
      buffer.writeUInt32LE(node.values.length / node.each, start);
      node.values.forEach((value, i) => {
        buffer.writeBigInt64LE(BigInt(value), data + 8 * i);
      });
      return start;
    }
    if (node.kind === 'tables') {
      const at = reserve(4 + 4 * node.items.length, 4);
      buffer.writeUInt32LE(node.items.length, at);
      node.items.forEach((item, i) => {
        const place = at + 4 + 4 * i;
        const target = write(item);
        buffer.writeUInt32LE(target - place, place);
      });
      return at;
    }
    return writeTable(node.fields);
  };
  const writeTable = (fields: readonly (FlatValue | undefined)[]): number => {
    const indexBytes = 4 + 2 * fields.length;
    const index = reserve(indexBytes, 2);
    // Largest fields first, so that every field is aligned.
    const order = [...fields.keys()]
      .filter((i) => fields[i])
      .sort((a, b) => SIZES[fields[b]!.kind] - SIZES[fields[a]!.kind]);
    const wide = order.some((i) => fields[i]!.kind === 'int64');
    // The table begins with an offset of four bytes, and the first field after it must be aligned.
    let at = reserve(4, 4);
    if (wide && at % 8 !== 4) at = reserve(4, 4);
    const offsets = new Map<number, number>();
    for (const i of order) offsets.set(i, reserve(SIZES[fields[i]!.kind], SIZES[fields[i]!.kind]));
    buffer.writeInt32LE(at - index, at);
    buffer.writeUInt16LE(indexBytes, index);
    buffer.writeUInt16LE(end - at, index + 2);
    for (const [i, offset] of offsets) buffer.writeUInt16LE(offset - at, index + 4 + 2 * i);
    for (const [i, offset] of offsets) {
      const field = fields[i]!;
      if (field.kind === 'offset') {
        const target = write(field.value);
        buffer.writeUInt32LE(target - offset, offset);
      } else if (field.kind === 'int64') buffer.writeBigInt64LE(BigInt(field.value), offset);
      else if (field.kind === 'int32') buffer.writeInt32LE(field.value, offset);
      else if (field.kind === 'int16') buffer.writeInt16LE(field.value, offset);
      else buffer.writeUInt8(field.value, offset);
    }
    return at;
  };
  const at = write(root);
  buffer.writeUInt32LE(at, 0);
  reserve(0, 8);
  return new Uint8Array(buffer.subarray(0, end));
}
