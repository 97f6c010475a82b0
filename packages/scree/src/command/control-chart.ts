/** Stretches of rows that are drawn at most. */
const MOST = 120;
const LEVELS = '▁▂▃▄▅▆▇█';
/** With more rows than this in a stretch, its largest value says less than how many rows are beyond the limit. */
const FEW_ROWS = 8;

interface Stretch {
  readonly rows: number;
  readonly largest: number;
  readonly beyond: number;
}

/** A small control chart of values divided by their limit, in the order of the rows. Its memory does not grow with them. */
export class ControlChart {
  #stretches: Stretch[] = [];
  /** Rows of a full stretch. */
  #height = 1;

  add(ratio: number): void {
    const last = this.#stretches.at(-1);
    const beyond = ratio > 1 ? 1 : 0;
    if (last && last.rows < this.#height) {
      this.#stretches[this.#stretches.length - 1] = joined(last, { rows: 1, largest: ratio, beyond });
      return;
    }
    this.#stretches.push({ rows: 1, largest: ratio, beyond });
    if (this.#stretches.length < MOST) return;
    this.#height *= 2;
    this.#stretches = pairs(this.#stretches);
  }

  /**
   * The chart in at most `width` characters, and what they stand for. ▄ and lower is within the limit. If stretches are long, ▄ is the share
   * of rows that good rows have beyond the limit.
   */
  draw(
    width: number,
    expected: number,
  ): { readonly line: string; readonly rowsEach: number; readonly shares: boolean } {
    let stretches = this.#stretches;
    let height = this.#height;
    while (stretches.length > width) {
      stretches = pairs(stretches);
      height *= 2;
    }
    const shares = height > FEW_ROWS;
    const line = stretches
      .map(({ rows, largest, beyond }) => level(shares ? beyond / rows / expected : largest))
      .join('');
    return { line, rowsEach: height, shares };
  }
}

/** Half of the levels are for ratios up to 1, and the others for 1 to 2 and more. */
function level(ratio: number): string {
  if (Number.isNaN(ratio)) return ' ';
  const step = ratio <= 1 ? Math.ceil(4 * ratio) - 1 : 4 + Math.floor(4 * (ratio - 1));
  return LEVELS[Math.max(0, Math.min(7, step))];
}

function joined(a: Stretch, b: Stretch): Stretch {
  return { rows: a.rows + b.rows, largest: Math.max(a.largest, b.largest), beyond: a.beyond + b.beyond };
}

function pairs(stretches: readonly Stretch[]): Stretch[] {
  const half: Stretch[] = [];
  for (let i = 0; i < stretches.length; i += 2) {
    half.push(i + 1 < stretches.length ? joined(stretches[i], stretches[i + 1]) : stretches[i]);
  }
  return half;
}
