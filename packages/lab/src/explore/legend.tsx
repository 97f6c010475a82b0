import { count } from '@scree/analysis/describe';
import { apart } from '../export/figure-notes.js';
import { shorten } from '../shorten.js';
import { colouring } from '../state/colouring.js';

/** The legend of the colours. */
export function LegendView() {
  const legend = colouring.value?.legend;
  if (!legend) return <div class="legend" />;
  if (legend.kind === 'scale') {
    const [low, high] = apart(legend.low, legend.high);
    return (
      <div class="legend">
        <span>{shorten(legend.title, 60)}</span>
        <span class="number">{low}</span>
        <span
          class="ramp"
          role="img"
          aria-label={`Colours from ${low} to ${high}`}
          style={{ background: `linear-gradient(to right, ${legend.palette.join(', ')})` }}
        />
        <span class="number">{high}</span>
      </div>
    );
  }
  return (
    <div class="legend">
      <span>{shorten(legend.title, 40)}</span>
      <ul>
        {legend.entries.map(({ name, colour, count: rows }, at) => (
          // A group may have the same name as the rows without a value.
          <li key={at}>
            <span class="swatch" style={{ background: colour }} />
            {shorten(name, 30)} <span class="hint number">{count(rows)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
