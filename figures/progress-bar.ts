const CELLS = 30;

/** A bar on a terminal, with words after it; in a pipe, where nobody watches, nothing. */
export class ProgressBar {
  readonly #watched = process.stderr.isTTY === true;
  #furthest = 0;

  /** Shows how much is done, 0 to 1; it never goes back. */
  show(share: number, words: string): void {
    if (!this.#watched) return;
    this.#furthest = Math.max(this.#furthest, Math.min(1, share));
    const full = Math.round(CELLS * this.#furthest);
    process.stderr.write(`\r\x1b[K${'█'.repeat(full)}${'░'.repeat(CELLS - full)} ${words}`);
  }

  /** Takes the bar away; the next one begins at nothing. */
  clear(): void {
    if (this.#watched) process.stderr.write('\r\x1b[K');
    this.#furthest = 0;
  }
}
