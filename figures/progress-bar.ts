const CELLS = 30;

/** A progress bar on a terminal, followed by a text. Shows nothing where the output is not a terminal. */
export class ProgressBar {
  readonly #isTerminal = process.stderr.isTTY === true;
  #furthest = 0;

  /** Shows how much is done, from 0 to 1; the bar never moves back. */
  show(share: number, words: string): void {
    if (!this.#isTerminal) return;
    this.#furthest = Math.max(this.#furthest, Math.min(1, share));
    const full = Math.round(CELLS * this.#furthest);
    process.stderr.write(`\r\x1b[K${'█'.repeat(full)}${'░'.repeat(CELLS - full)} ${words}`);
  }

  /** Removes the bar; the next one begins at 0. */
  clear(): void {
    if (this.#isTerminal) process.stderr.write('\r\x1b[K');
    this.#furthest = 0;
  }
}
