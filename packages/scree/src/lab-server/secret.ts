import { randomBytes, timingSafeEqual } from 'node:crypto';

/** Bytes of a secret: 160 bits cannot be guessed. */
const LENGTH = 20;

/** A random token, in hexadecimal, so that it needs no quoting in addresses and shells. */
export class Secret {
  readonly text = randomBytes(LENGTH).toString('hex');
  readonly #bytes = Buffer.from(this.text);

  /** Compares in constant time. */
  matches(given: string): boolean {
    const bytes = Buffer.from(given);
    return bytes.length === this.#bytes.length && timingSafeEqual(bytes, this.#bytes);
  }
}
