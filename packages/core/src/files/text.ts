/**
 * Bytes as text. A `TextDecoder` takes longer to start than a short text takes to read, and most texts here are cells:
 * short ones are put together character by character, as long as these are ASCII.
 */

/** Longest text that is put together here. */
const SHORT = 24;
/** Characters that are put together at once: each is an argument on the stack. */
const PIECE = 4096;

// A mark at the beginning is left to whoever reads: within a file it is a character like any other.
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
const encoder = new TextEncoder();

/** UTF-8 bytes as text; what is no UTF-8 becomes U+FFFD. */
export function textOf(bytes: Uint8Array, from = 0, to = bytes.length): string {
  if (to - from > SHORT) return utf8.decode(bytes.subarray(from, to));
  let text = '';
  for (let at = from; at < to; at++) {
    const byte = bytes[at];
    if (byte > 127) return utf8.decode(bytes.subarray(from, to));
    text += String.fromCharCode(byte);
  }
  return text;
}

/** Every byte as the character of its number. */
export function latin1Of(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += PIECE) text += String.fromCharCode(...bytes.subarray(at, at + PIECE));
  return text;
}

/** Text as UTF-8 bytes. */
export function bytesOf(text: string): Uint8Array {
  return encoder.encode(text);
}
