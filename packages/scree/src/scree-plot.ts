import type { Model } from '@scree/core';

const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** A scree plot for a terminal: one line a component, its share of the variance as a bar, and the running total. */
export function screePlot(model: Pick<Model, 'varianceRatios'>, { width = 40, most = 10 } = {}): string {
  const ratios = Array.from(model.varianceRatios);
  const shown = ratios.slice(0, most);
  const largest = Math.max(...shown, Number.MIN_VALUE);
  let total = 0;
  const lines = shown.map((ratio, i) => {
    total += ratio;
    const eighths = Math.round((ratio / largest) * width * 8);
    const bar = '█'.repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8];
    return `${String(i + 1).padStart(4)} ${percent(ratio)} ${percent(total)}  ${bar}`;
  });
  const rest = ratios.slice(most);
  if (rest.length > 0) {
    const share = rest.reduce((sum, ratio) => sum + ratio, 0);
    lines.push(`   … ${percent(share)} ${percent(total + share)}  in ${rest.length} more`);
  }
  return [' PC    share    total', ...lines].join('\n');
}

function percent(share: number): string {
  return `${(100 * share).toFixed(2)} %`.padStart(8);
}
