import { count, show } from '@scree/core/describe';
import { shorten } from '../shorten.js';
import { reportProblem } from '../state/data.js';
import { fitted, queryFit, rowNumber } from '../state/fit.js';
import { picture } from '../state/picture.js';
import { resource } from '../state/resource.js';
import { axes, hovered, k, labelColumn, points } from '../state/view.js';

/** Columns shown of a row. */
const MAX_COLUMNS = 6;

const shownRow = resource(
  () => {
    const now = fitted.value;
    const row = hovered.value;
    if (!now || row === undefined || row >= now.model.n) return undefined;
    const label = labelColumn.value;
    return {
      now,
      row,
      k: Math.min(k.value, now.model.k),
      columns: [...(label === undefined ? [] : [label]), ...(picture.value ? [] : now.columns.slice(0, MAX_COLUMNS))],
    };
  },
  async (question) => {
    const rows = [question.row];
    const [cells, distances] = await Promise.all([
      queryFit(question.now, 'cells', { rows, columns: question.columns }),
      queryFit(question.now, 'distances', { rows, k: question.k }),
    ]);
    return { ...question, cells: cells[0], distance: distances[0] };
  },
  reportProblem,
);

/** The row under the pointer. */
export function RowCard() {
  const now = fitted.value;
  const found = shownRow.value;
  if (!now || found?.now !== now || hovered.value === undefined) return null;
  const { row, columns, cells, distance } = found;
  const drawn = points.value;
  const [x, y] = axes.value;
  const more = picture.value ? 0 : now.columns.length - MAX_COLUMNS;
  return (
    <div class="row-card">
      <strong>{`Row ${count(rowNumber(now, row))}`}</strong>
      <dl>
        {columns.map((column, at) => (
          <div key={`${column} ${at}`}>
            <dt>{shorten(now.data.info.columns[column].name, 22)}</dt>
            <dd>{shorten(cells[at] === '' ? '–' : cells[at], 28)}</dd>
          </div>
        ))}
        {more > 0 && (
          <div>
            <dt>{`and ${count(more)} more`}</dt>
            <dd>…</dd>
          </div>
        )}
        {drawn?.now === now && (
          <div>
            <dt>{y < now.model.k ? `PC${x + 1}, PC${y + 1}` : `PC${x + 1}`}</dt>
            <dd class="number">
              {y < now.model.k ? `${show(drawn.at.x[row])}, ${show(drawn.at.y[row])}` : show(drawn.at.x[row])}
            </dd>
          </div>
        )}
        <div>
          <dt>error</dt>
          <dd class="number">{show(distance)}</dd>
        </div>
      </dl>
    </div>
  );
}
