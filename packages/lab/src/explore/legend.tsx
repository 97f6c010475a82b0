import { count, show } from '@scree/core/words';
import { shorten } from '../shorten.js';
import { colouring } from '../state/colouring.js';

/** What the colours mean. */
export function LegendView() {
  const legend = colouring.value?.legend;
  if (!legend) return <div class="legend" />;
  if (legend.kind === 'scale') {
    return (
      <div class="legend">
        <span>{shorten(legend.title, 60)}</span>
        <span class="number">{show(legend.low)}</span>
        <span
          class="ramp"
          role="img"
          aria-label={`Colours from ${show(legend.low)} to ${show(legend.high)}`}
          style={{ background: `linear-gradient(to right, ${legend.palette.join(', ')})` }}
        />
        <span class="number">{show(legend.high)}</span>
      </div>
    );
  }
  return (
    <div class="legend">
      <span>{shorten(legend.title, 40)}</span>
      <ul>
        {legend.entries.map(({ name, colour, count: rows }, at) => (
          // A group may be called what rows without a value are called.
          <li key={at}>
            <span class="swatch" style={{ background: colour }} />
            {shorten(name, 30)} <span class="hint number">{count(rows)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
