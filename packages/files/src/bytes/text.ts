/**
 * Bytes as text. A `TextDecoder` takes longer to start than a short text takes to read, and most texts here are cells:
 * short ASCII texts are put together character by character.
 */

/** Longest text that is put together here. */
const SHORT = 24;
/** Characters that are put together at once: each is an argument on the stack. */
const PIECE = 4096;
/** The search ends if this many more lines are invalid UTF-8 than are valid with characters beyond ASCII. */
const CLEAR = 1000;

// The caller handles a byte order mark: within a file it is an ordinary character.
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
const encoder = new TextEncoder();

/** Windows-1252 from 0x80 to 0x9f; its other bytes are those of Latin-1. Decoders of some versions of Node forget these. */
const WINDOWS = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

/** Decodes UTF-8. Invalid bytes become U+FFFD. */
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

/** Decodes UTF-8 or, if the bytes are invalid, Windows-1252, which older programs write. */
export function utf8OrWindows1252Of(bytes: Uint8Array, from = 0, to = bytes.length): string {
  const text = textOf(bytes, from, to);
  return isWhole(text, bytes, from, to) ? text : windows1252Of(bytes, from, to);
}

/** Returns true if the bytes are valid UTF-8: each U+FFFD of the text is in the bytes, and none replaces invalid ones. */
function isWhole(text: string, bytes: Uint8Array, from = 0, to = bytes.length): boolean {
  if (!text.includes('\ufffd')) return true;
  const encoded = encoder.encode(text);
  return encoded.length === to - from && encoded.every((byte, i) => byte === bytes[from + i]);
}

/** Decodes lines, and tells whether they are in Windows-1252. One damaged line among lines in UTF-8 does not count. */
export function linesOf(bytes: Uint8Array): { readonly text: string; readonly windows1252: boolean } {
  const text = textOf(bytes);
  if (isWhole(text, bytes)) return { text, windows1252: false };
  let balance = 0;
  const lines: string[] = [];
  for (let at = 0; at < bytes.length && balance < CLEAR; ) {
    const end = bytes.indexOf(10, at) + 1 || bytes.length;
    const line = textOf(bytes, at, end);
    const whole = isWhole(line, bytes, at, end);
    if (!whole) balance++;
    else if (line.length < end - at) balance--;
    lines.push(whole ? line : windows1252Of(bytes, at, end));
    at = end;
  }
  return balance > 0 ? { text: windows1252Of(bytes), windows1252: true } : { text: lines.join(''), windows1252: false };
}

/** Bytes in Windows-1252 as text. */
export function windows1252Of(bytes: Uint8Array, from = 0, to = bytes.length): string {
  return latin1Of(bytes.subarray(from, to)).replace(/[\x80-\x9f]/g, (each) => WINDOWS[each.charCodeAt(0) - 128]);
}

/** Decodes Latin-1: every byte is the character of its number. */
export function latin1Of(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += PIECE) text += String.fromCharCode(...bytes.subarray(at, at + PIECE));
  return text;
}

/** Text as UTF-8 bytes. */
export function bytesOf(text: string): Uint8Array {
  return encoder.encode(text);
}
