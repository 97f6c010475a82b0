import { batch, computed, effect, signal } from '@preact/signals';
import { count, formatNumber, plural } from '@scree/analysis/describe';
import { shorten } from '../shorten.js';
import { reportProblem } from '../state/data.js';
import { fitted, queryFit, rowNumber } from '../state/fit.js';
import { resource } from '../state/resource.js';
import { shownColumns, unshownColumns } from '../state/shown-columns.js';
import { farRows } from '../state/unusual.js';
import { axes, hovered, k, points, selected } from '../state/view.js';
import { Panel, type PanelProps } from './panel.js';
import { SearchRows } from './search-rows.js';

/** Rows per page. */
const ROWS_PER_PAGE = 25;
/** Fitted columns shown after the names of a row. */
const MAX_NUMBERS = 8;

type Order = 'rows' | 'worst';
const order = signal<Order>('rows');
const page = signal(0);

/** A selection that was made in the table. All rows stay listed, so that more rows can be added. */
const tableSelection = signal<Uint32Array | undefined>(undefined);
/** A selection that was made in another view. The table lists only these rows. */
const listedSelection = computed(() => (selected.value === tableSelection.value ? undefined : selected.value));

/** When other rows are listed, the table returns to the first page. */
effect(() => {
  listedSelection.value;
  fitted.value?.data;
  page.value = 0;
});

/** The selected rows as a set, because every listed row is looked up among up to a million. */
const chosenRows = computed(() => new Set(selected.value ?? []));

/** The listed rows: the selected rows, or the rows with the largest errors, or all rows. */
const listed = computed(() => {
  const now = fitted.value;
  if (!now) return { count: 0, at: (i: number) => i };
  const worst = farRows.value;
  const rows = listedSelection.value ?? (order.value === 'worst' && worst?.now === now ? worst.found.rows : undefined);
  if (!rows) return { count: now.model.n, at: (i: number) => i };
  return { count: rows.length, at: (i: number) => rows[i] };
});

const shown = resource(
  () => {
    const now = fitted.value;
    if (!now) return undefined;
    const { count, at } = listed.value;
    const first = Math.min(page.value, Math.max(0, Math.ceil(count / ROWS_PER_PAGE) - 1)) * ROWS_PER_PAGE;
    const rows = Array.from({ length: Math.min(ROWS_PER_PAGE, count - first) }, (_, i) => at(first + i));
    return { now, rows, columns: shownColumns(now, MAX_NUMBERS), k: Math.min(k.value, now.model.k) };
  },
  async (question) => {
    const { rows, columns } = question;
    const [cells, distances] = await Promise.all([
      queryFit(question.now, 'cells', { rows, columns }),
      queryFit(question.now, 'distances', { rows, k: question.k }),
    ]);
    return { ...question, cells, distances };
  },
  reportProblem,
);

/** The rows with their scores. */
export function TablePanel({ now }: PanelProps) {
  const found = shown.value;
  const { count: rows } = listed.value;
  const pages = Math.max(1, Math.ceil(rows / ROWS_PER_PAGE));
  const current = Math.min(page.value, pages - 1);
  const drawn = points.value?.now === now ? points.value : undefined;
  const chosen = chosenRows.value;
  const [x, y] = axes.value;
  const second = y < now.model.k;
  const kindOf = (column: number): string => now.data.info.columns[column]?.kind ?? '';
  return (
    <Panel
      id="table"
      title={titleOf(rows, now.model.n)}
      tools={
        <div class="table-tools">
          <SearchRows />
          <label class="inline">
            <span>order</span>
            <select
              value={order.value}
              disabled={listedSelection.value !== undefined}
              onChange={({ currentTarget: { value } }) => {
                order.value = value as Order;
                page.value = 0;
              }}
            >
              <option value="rows">as in the data</option>
              <option value="worst">largest error first</option>
            </select>
          </label>
        </div>
      }
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: an element that scrolls must be reachable by the keyboard */}
      <section class="table-scroll" tabIndex={0} aria-label="Rows of the data">
        <table>
          <thead>
            <tr>
              <th scope="col">row</th>
              {found?.columns.map((column) => (
                <th key={column} scope="col" class={kindOf(column)}>
                  {shorten(now.data.info.columns[column]?.name ?? '', 20)}
                </th>
              ))}
              <th scope="col" class="number">{`PC${x + 1}`}</th>
              {second && <th scope="col" class="number">{`PC${y + 1}`}</th>}
              <th scope="col" class="number">
                error
              </th>
            </tr>
          </thead>
          <tbody>
            {found?.now === now &&
              found.rows.map((row, at) => (
                <tr
                  key={row}
                  class={`${chosen.has(row) ? 'chosen' : ''} ${hovered.value === row ? 'hovered' : ''}`}
                  onPointerEnter={() => (hovered.value = row)}
                  onPointerLeave={() => (hovered.value = undefined)}
                >
                  <th scope="row">
                    <button type="button" class="link" aria-pressed={chosen.has(row)} onClick={() => toggle(row)}>
                      {count(rowNumber(now, row))}
                    </button>
                  </th>
                  {found.cells[at].map((cell, c) => (
                    <td key={found.columns[c]} class={kindOf(found.columns[c])}>
                      {shorten(cell, 32)}
                    </td>
                  ))}
                  <td class="number">{drawn ? formatNumber(drawn.at.x[row]) : ''}</td>
                  {second && <td class="number">{drawn ? formatNumber(drawn.at.y[row]) : ''}</td>}
                  <td class="number">{formatNumber(found.distances[at])}</td>
                </tr>
              ))}
          </tbody>
        </table>
      </section>
      <div class="pager">
        <button type="button" disabled={current === 0} onClick={() => (page.value = current - 1)}>
          Previous
        </button>
        <span class="hint number">{`page ${count(current + 1)} of ${count(pages)}`}</span>
        <button type="button" disabled={current >= pages - 1} onClick={() => (page.value = current + 1)}>
          Next
        </button>
        {found && unshownColumns(now, found.columns) > 0 && (
          <span class="hint">{`${plural(unshownColumns(now, found.columns), 'more column')} not shown.`}</span>
        )}
      </div>
    </Panel>
  );
}

function titleOf(rows: number, all: number): string {
  if (listedSelection.value) return plural(rows, 'selected row');
  return rows < all ? `${plural(rows, 'row')} with the largest errors` : 'Rows';
}

/** Adds a row to the selection, or removes it. */
function toggle(row: number): void {
  const rows = new Set(selected.peek() ?? []);
  if (!rows.delete(row)) rows.add(row);
  const next = rows.size === 0 ? undefined : Uint32Array.from([...rows].sort((a, b) => a - b));
  const listing = listedSelection.peek() !== undefined;
  batch(() => {
    if (!listing) tableSelection.value = next;
    selected.value = next;
  });
}
