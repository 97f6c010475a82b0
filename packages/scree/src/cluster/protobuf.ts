/**
 * The part of Protocol Buffers that Spark Connect uses (protobuf.dev, "Encoding"). A message is a sequence of fields, each with a number and a
 * wire type: 0 is a varint, 1 is eight bytes, 5 is four bytes, 2 is a length followed by its bytes.
 */

export { type FieldValue, protobufMessage as message } from '@scree/core/data';

const VARINT = 0;
const LENGTH = 2;
const EIGHT_BYTES = 1;
const FOUR_BYTES = 5;

/** The bytes are not a valid message. */
export class ProtobufError extends Error {}

/** The fields of a message by their numbers. Varints are numbers, the others are bytes. Repeated fields keep their order. */
export class Fields {
  readonly #found = new Map<number, (number | Uint8Array)[]>();

  constructor(bytes: Uint8Array) {
    let at = 0;
    const varintAt = (): number => {
      let [value, scale] = [0, 1];
      for (let i = 0; i < 10; i++) {
        if (at >= bytes.length) throw new ProtobufError('a number is cut off');
        const byte = bytes[at++];
        value += (byte & 127) * scale;
        scale *= 128;
        if (byte < 128) return value;
      }
      throw new ProtobufError('a number is too long');
    };
    const take = (length: number): Uint8Array => {
      if (length > bytes.length - at) throw new ProtobufError('a field is longer than its message');
      at += length;
      return bytes.subarray(at - length, at);
    };
    while (at < bytes.length) {
      const tag = varintAt();
      const [number, wire] = [Math.floor(tag / 8), tag % 8];
      if (wire === VARINT) this.#add(number, varintAt());
      else if (wire === LENGTH) this.#add(number, take(varintAt()));
      else if (wire === EIGHT_BYTES || wire === FOUR_BYTES) this.#add(number, take(wire === EIGHT_BYTES ? 8 : 4));
      else throw new ProtobufError(`a field has the wire type ${wire}`);
    }
  }

  #add(number: number, value: number | Uint8Array): void {
    const known = this.#found.get(number);
    if (known) known.push(value);
    else this.#found.set(number, [value]);
  }

  has(number: number): boolean {
    return this.#found.has(number);
  }

  /** The numbers of the fields that the message has. */
  numbers(): number[] {
    return [...this.#found.keys()];
  }

  number(number: number): number {
    const value = this.#found.get(number)?.at(-1) ?? 0;
    if (typeof value !== 'number') throw new ProtobufError(`field ${number} is not a number`);
    return value;
  }

  bytes(number: number): Uint8Array | undefined {
    return this.all(number).at(-1);
  }

  text(number: number): string {
    return Buffer.from(this.bytes(number) ?? []).toString('utf8');
  }

  message(number: number): Fields | undefined {
    const bytes = this.bytes(number);
    return bytes && new Fields(bytes);
  }

  all(number: number): Uint8Array[] {
    return (this.#found.get(number) ?? []).map((value) => {
      if (typeof value === 'number') throw new ProtobufError(`field ${number} is a number`);
      return value;
    });
  }

  messages(number: number): Fields[] {
    return this.all(number).map((bytes) => new Fields(bytes));
  }
}
