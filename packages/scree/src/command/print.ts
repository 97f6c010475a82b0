import { fstatSync, writeSync } from 'node:fs';
import { escapeLine, escapeText } from './escape.js';
import { outputWidth, wrap } from './wrap.js';

/** Prints lines on standard output. They are wrapped if it is a terminal. Line breaks inside names are escaped. */
export function printLines(lines: readonly string[]): void {
  const whole = lines.map(escapeLine);
  const shown = process.stdout.isTTY ? whole.flatMap((line) => wrap(line, outputWidth(), 2)) : whole;
  print(`${shown.join('\n')}\n`);
}

/**
 * Prints text to standard output. If that is a file, Node does not notice when a full disk has accepted only a part, so this writes
 * until everything is written or an error comes. Control characters are escaped.
 */
export function print(given: string): void {
  const text = escapeText(given);
  if (!isFile()) {
    process.stdout.write(text);
    return;
  }
  const bytes = Buffer.from(text);
  try {
    for (let from = 0; from < bytes.length; ) from += writeSync(1, bytes, from);
  } catch (error) {
    throw new PrintError(error as NodeJS.ErrnoException);
  }
}

export class PrintError extends Error {
  readonly code: string;

  constructor({ code = '', message }: NodeJS.ErrnoException) {
    super(`standard output cannot be written: ${message}.`);
    this.code = code;
  }
}

function isFile(): boolean {
  try {
    return fstatSync(1).isFile();
  } catch {
    return false;
  }
}
