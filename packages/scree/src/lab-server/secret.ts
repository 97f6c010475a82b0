import { randomBytes, timingSafeEqual } from 'node:crypto';

/** Bytes of a secret: 160 bits, far beyond guessing. */
const LENGTH = 20;

/** A word that only those know who were told; hexadecimal, so that it needs no quoting in addresses and shells. */
export class Secret {
  readonly text = randomBytes(LENGTH).toString('hex');
  readonly #bytes = Buffer.from(this.text);

  /** How long this takes says nothing about how much of the word was right. */
  matches(given: string): boolean {
    const bytes = Buffer.from(given);
    return bytes.length === this.#bytes.length && timingSafeEqual(bytes, this.#bytes);
  }
}
