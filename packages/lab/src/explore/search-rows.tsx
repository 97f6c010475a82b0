import { useSignal } from '@preact/signals';
import { plural } from '@scree/analysis/describe';
import { reportProblem } from '../state/data.js';
import { fitted, queryFit } from '../state/fit.js';
import { labelColumn, selected } from '../state/view.js';

/** Most rows that a search selects. */
const LIMIT = 100_000;

/** Selects the rows in which a text occurs. */
export function SearchRows() {
  const text = useSignal('');
  const result = useSignal<{ readonly text: string; readonly data: unknown } | undefined>(undefined);
  const search = async (): Promise<void> => {
    const now = fitted.peek();
    if (!now || text.value.trim() === '') return;
    const { columns } = now.data.info;
    const label = labelColumn.peek();
    const searched = columns.flatMap(({ kind }, j) => (kind === 'text' || j === label ? [j] : []));
    const rows = await queryFit(now, 'search', { text: text.value, columns: searched, limit: LIMIT });
    if (fitted.peek() !== now) return;
    const found = rows.length === 0 ? 'nothing found' : `${plural(rows.length, 'row')} found`;
    result.value = { text: found, data: now.data };
    if (rows.length > 0) selected.value = rows;
  };
  return (
    <form
      class="search"
      onSubmit={(event) => {
        event.preventDefault();
        search().catch(reportProblem);
      }}
    >
      <input
        type="search"
        placeholder="Find rows"
        aria-label="Find rows by label, text or number"
        value={text.value}
        onInput={({ currentTarget }) => {
          text.value = currentTarget.value;
          result.value = undefined;
        }}
      />
      <button type="submit">Find</button>
      <span class="hint" role="status">
        {result.value?.data === fitted.value?.data && result.value?.text}
      </span>
    </form>
  );
}
