import { useSignal } from '@preact/signals';
import { count, plural } from '@scree/analysis/describe';
import { describeMixedCell } from '../describe-problem.js';
import { shorten } from '../shorten.js';
import { changeSettings, settings } from '../state/settings.js';

/** Columns that are listed at a time. The filter finds the others. */
const MAX_LISTED = 60;

/** The choice of columns. */
export function ColumnsPanel() {
  const filter = useSignal('');
  const now = settings.value;
  if (!now) return null;
  const { chosen, data } = now;
  const { columns } = data.info;
  const usable = columns.flatMap(({ usable: may }, j) => (may ? [j] : []));
  const wanted = filter.value.trim().toLowerCase();
  const shown = usable.filter((j) => columns[j].name.toLowerCase().includes(wanted));
  const used = new Set(chosen.columns);
  const left = columns.flatMap(({ usable: may, name, type, firstNonNumber }) =>
    may || firstNonNumber ? [] : [`${shorten(name, 24)} (${type.toLowerCase()})`],
  );
  const mixed = columns.flatMap(({ name, firstNonNumber }) =>
    firstNonNumber ? [`${shorten(name, 24)} (${describeMixedCell(firstNonNumber)})`] : [],
  );
  const set = (indexes: readonly number[], on: boolean): void => {
    const next = new Set(used);
    for (const index of indexes) {
      if (on) next.add(index);
      else next.delete(index);
    }
    changeSettings({ columns: [...next].sort((a, b) => a - b) });
  };
  return (
    <section class="panel" aria-labelledby="columns-title">
      <div class="title-row">
        <h2 id="columns-title">Columns</h2>
        <span class="hint">{`${count(chosen.columns.length)} of ${count(usable.length)}`}</span>
      </div>
      {usable.length > 12 && (
        <input
          type="search"
          placeholder="Filter columns"
          aria-label="Filter columns"
          value={filter.value}
          onInput={({ currentTarget }) => (filter.value = currentTarget.value)}
        />
      )}
      <div class="buttons">
        <button type="button" onClick={() => set(shown, true)}>
          {wanted === '' ? 'All' : 'Add these'}
        </button>
        <button type="button" onClick={() => set(shown, false)}>
          {wanted === '' ? 'None' : 'Remove these'}
        </button>
      </div>
      <fieldset class="checks">
        <legend class="visually-hidden">Columns that are fitted</legend>
        {shown.slice(0, MAX_LISTED).map((j) => (
          <label key={j} class="check">
            <input
              type="checkbox"
              checked={used.has(j)}
              onChange={({ currentTarget }) => set([j], currentTarget.checked)}
            />
            <span>{shorten(columns[j].name, 40)}</span>
          </label>
        ))}
      </fieldset>
      {shown.length > MAX_LISTED && (
        <p class="hint unlisted">{`${plural(shown.length - MAX_LISTED, 'more column')} not listed: filter to see them.`}</p>
      )}
      {shown.length === 0 && <p class="hint">No column has that in its name.</p>}
      {left.length > 0 && <p class="hint">{`Not numbers, so not used: ${shorten(left.join(', '), 160)}.`}</p>}
      {mixed.length > 0 && (
        <p class="warning">
          {`Some cells are not numbers, so these columns are read as text: ${shorten(mixed.join(', '), 240)}. Correct these cells, or empty them if a value is missing, and open the file again.`}
        </p>
      )}
      {chosen.columns.length === 0 && <p class="warning">Choose at least one column.</p>}
    </section>
  );
}
