import { rmSync } from 'node:fs';

/** Work for the exit of the process, by its subject. */
const pending = new Map<unknown, () => void>();
/** True after the listener for the exit was added. A flag of the process. */
let listening = false;

/** Removes a file or folder at exit, unless `settled` is called before. A killed process leaves it behind, until a later one collects it. */
export function removeAtExit(path: string): void {
  atExit(path, () => rmSync(path, { recursive: true, force: true }));
}

/** Runs `work` at exit, unless `settled` is called before with the same `subject`. */
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
      // The process is ending, so the error cannot be reported.
    }
  }
}

/** Cancels the work at exit: the file was removed, or has its final name. */
export function settled(subject: unknown): void {
  pending.delete(subject);
}
