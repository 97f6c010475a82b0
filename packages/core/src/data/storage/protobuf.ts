/**
 * Writes Protocol Buffers (protobuf.dev, "Encoding"). A message is a sequence of fields, each with a number and a wire type: 0 is a
 * varint, 2 is a length followed by its bytes.
 */

/** A value of a field. An array of bytes repeats the field. */
export type FieldValue = number | boolean | string | Uint8Array | readonly Uint8Array[];

const VARINT = 0;
const LENGTH = 2;

/** Encodes pairs of field number and value. Undefined values are left out. An array of bytes repeats the field. */
export function protobufMessage(
  ...fields: readonly (readonly [number: number, value: FieldValue | undefined])[]
): Uint8Array {
  const parts: Uint8Array[] = [];
  const bytes = (number: number, value: Uint8Array): void => {
    parts.push(varint(number * 8 + LENGTH), varint(value.length), value);
  };
  for (const [number, value] of fields) {
    if (value === undefined) continue;
    if (typeof value === 'number' || typeof value === 'boolean')
      parts.push(varint(number * 8 + VARINT), varint(Number(value)));
    else if (typeof value === 'string') bytes(number, new TextEncoder().encode(value));
    else if (value instanceof Uint8Array) bytes(number, value);
    else for (const each of value) bytes(number, each);
  }
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Encodes a whole number from 0 to 2^53 in groups of seven bits, the lowest first. */
function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 128) {
    bytes.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  bytes.push(rest);
  return Uint8Array.from(bytes);
}
