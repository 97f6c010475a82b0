import type { Model } from '@scree/core';

const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

export interface ScreePlotOptions {
  /** Characters of the longest bar. Default 40. */
  readonly width?: number | undefined;
  /** Components with a line of their own. Default 10. */
  readonly most?: number | undefined;
  /** A share of the variance to mark in each bar, such as that of noise. */
  readonly marks?: ArrayLike<number> | undefined;
  /** Lines to print below a component, or above all components for −1. */
  readonly below?: ((component: number) => readonly string[]) | undefined;
}

/** A scree plot for a terminal: one line per component with its share of the variance as a bar, and the running total. */
export function screePlot(model: Pick<Model, 'varianceRatios'>, options: ScreePlotOptions = {}): string {
  const { width = 40, most = 10, marks = [], below = () => [] } = options;
  const ratios = Array.from(model.varianceRatios);
  const shown = ratios.slice(0, most);
  const largest = Math.max(...shown, ...Array.from(marks).slice(0, shown.length), Number.MIN_VALUE);
  let total = 0;
  const lines = shown.flatMap((ratio, i) => {
    total += ratio;
    const eighths = Math.round((ratio / largest) * width * 8);
    const bar = '█'.repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8];
    return [
      `${String(i + 1).padStart(4)} ${percent(ratio)} ${percent(total)}  ${marked(bar, marks[i], largest, width)}`,
      ...below(i),
    ];
  });
  const rest = ratios.slice(most);
  if (rest.length > 0) {
    const share = rest.reduce((sum, ratio) => sum + ratio, 0);
    lines.push(`   … ${percent(share)} ${percent(total + share)}  in ${rest.length} more`);
  }
  return [' PC    share    total', ...below(-1), ...lines].join('\n');
}

/** A bar with a mark at the end of a share. */
function marked(bar: string, share: number | undefined, largest: number, width: number): string {
  if (share === undefined) return bar;
  const at = Math.min(width - 1, Math.round((share / largest) * width));
  return `${bar.slice(0, at).padEnd(at)}│${bar.slice(at + 1)}`;
}

function percent(share: number): string {
  const text = share > 0 && share < 5e-5 ? '<0.01' : (100 * share).toFixed(2);
  return `${text} %`.padStart(8);
}
