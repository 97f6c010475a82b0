import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fields, message, ProtobufError } from '../../src/cluster/protobuf.js';

describe('protocol buffers', () => {
  it('encode as the documentation of the format shows', () => {
    // protobuf.dev, "Encoding": field 1 with 150, field 2 with "testing", field 3 with the first as a message.
    expect([...message([1, 150])]).toEqual([0x08, 0x96, 0x01]);
    expect([...message([2, 'testing'])]).toEqual([0x12, 0x07, ...Buffer.from('testing')]);
    expect([...message([3, message([1, 150])])]).toEqual([0x1a, 0x03, 0x08, 0x96, 0x01]);
  });

  it('return what was put in', () => {
    fc.assert(
      fc.property(
        fc.maxSafeNat(),
        fc.string({ unit: 'grapheme' }),
        fc.array(fc.uint8Array()),
        fc.integer({ min: 1, max: 5000 }),
        (count, text, parts, number) => {
          const fields = new Fields(message([number, count], [number + 1, text], [number + 2, parts]));
          expect(fields.number(number)).toBe(count);
          expect(fields.text(number + 1)).toBe(text);
          expect(fields.all(number + 2).map((part) => [...part])).toEqual(parts.map((part) => [...part]));
        },
      ),
    );
  });

  it('refuse bytes that are cut off, whatever they are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        try {
          new Fields(bytes).numbers();
        } catch (error) {
          expect(error).toBeInstanceOf(ProtobufError);
        }
      }),
    );
    expect(() => new Fields(Uint8Array.from([0x12, 0x07, 1]))).toThrow(ProtobufError);
  });
});
