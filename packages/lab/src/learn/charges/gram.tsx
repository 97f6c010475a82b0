import { indexed, withDecimals } from '../shared/format.js';

/** A small matrix as numbers on colours: blue above zero, orange below, stronger for larger numbers. */
export function Gram({ values, size, name }: { values: Float64Array; size: number; name: string }) {
  const rows = Array.from({ length: size }, (_, i) => i);
  return (
    <table class="gram" aria-label={name}>
      <thead class="visually-hidden">
        <tr>
          <td />
          {rows.map((j) => (
            <th key={j} scope="col">
              {indexed('w', j + 1)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((i) => (
          <tr key={i}>
            <th scope="row" class={`gram-name row-${i % 6}`}>
              {indexed('w', i + 1)}
            </th>
            {rows.map((j) => {
              const value = values[i * size + j];
              const strength = Math.round(100 * Math.min(1, Math.abs(value)));
              const colour = value < 0 ? '--field-negative' : '--field-positive';
              return (
                <td key={j} style={{ background: `color-mix(in srgb, var(${colour}) ${strength}%, var(--field))` }}>
                  {withDecimals(value)}
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
