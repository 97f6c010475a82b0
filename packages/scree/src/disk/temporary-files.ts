import { rmSync } from 'node:fs';

/** What is to be done should the program end before somebody says that it is settled. */
const left = new Map<unknown, () => void>();
let listening = false;

/** Sees to it that this file or folder goes with the program, however early it ends: only a kill that nobody can hear leaves it. */
export function removeAtExit(path: string): void {
  atExit(path, () => rmSync(path, { recursive: true, force: true }));
}

/** Does this when the program ends, unless what it is about is settled before. */
export function atExit(what: unknown, work: () => void): void {
  left.set(what, work);
  if (listening) return;
  listening = true;
  process.on('exit', () => {
    for (const work of left.values()) {
      try {
        work();
      } catch {
        // There is nobody left to tell.
      }
    }
  });
}

/** It is gone, or has become what it was to be. */
export function settled(what: unknown): void {
  left.delete(what);
}
