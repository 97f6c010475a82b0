import { rmSync } from 'node:fs';

/** Work to be done at the exit, by what it is about. */
const pending = new Map<unknown, () => void>();
let listening = false;

/** Removes this file or folder at the exit, unless `settled` is called before. Only a process that is killed leaves it behind. */
export function removeAtExit(path: string): void {
  atExit(path, () => rmSync(path, { recursive: true, force: true }));
}

/** Does this at the exit, unless `settled` is called before with the same `subject`. */
export function atExit(subject: unknown, work: () => void): void {
  pending.set(subject, work);
  if (listening) return;
  listening = true;
  process.on('exit', doExitWork);
}

/** Exported for tests, which run many commands in one process. */
export function doExitWork(): void {
  for (const [subject, work] of pending) {
    try {
      work();
      pending.delete(subject);
    } catch {
      // The process ends: the error cannot be reported any more.
    }
  }
}

/** Nothing is left to be done at the exit: the file was removed, or has got its final name. */
export function settled(subject: unknown): void {
  pending.delete(subject);
}
