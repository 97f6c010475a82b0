import { count, formatNumber, percent } from '@scree/analysis/describe';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { shorten } from '../shorten.js';
import { colouring } from '../state/colouring.js';
import { reportProblem } from '../state/data.js';
import { fitted, queryFit, rowNumber } from '../state/fit.js';
import { resource } from '../state/resource.js';
import { shownColumns, unshownColumns } from '../state/shown-columns.js';
import { axes, colourBy, drawnComponents, hovered, k, points } from '../state/view.js';
import { placeCard } from './place-card.js';

/** Fitted columns shown of a row, after its names. */
const MAX_NUMBERS = 6;

const shownRow = resource(
  () => {
    const now = fitted.value;
    const row = hovered.value;
    if (!now || row === undefined || row >= now.model.n) return undefined;
    const columns = shownColumns(now, MAX_NUMBERS);
    return { now, row, k: Math.min(k.value, now.model.k), columns, components: drawnComponents.value };
  },
  async (question) => {
    const rows = [question.row];
    const { now, columns, components } = question;
    const [cells, distances, shares] = await Promise.all([
      queryFit(now, 'cells', { rows, columns }),
      queryFit(now, 'distances', { rows, k: question.k }),
      queryFit(now, 'rowShares', { rows, components }),
    ]);
    return {
      ...question,
      cells: cells[0],
      distance: distances[0],
      cos2: shares.cos2[0],
      contribution: shares.contribution[0],
    };
  },
  reportProblem,
);

/** The position of the pointer on the screen. */
const pointer = { x: 0, y: 0, type: 'mouse' };
const follow = ({ clientX: x, clientY: y, pointerType: type }: PointerEvent): void => {
  Object.assign(pointer, { x, y, type });
};
for (const event of ['pointerdown', 'pointermove'] as const) addEventListener(event, follow, { capture: true });

/** Moves a card to the pointer. It is not placed over the ring around its point. */
function moveToPointer(card: HTMLElement | null): void {
  if (!card) return;
  const { width, height } = card.getBoundingClientRect();
  const { clientWidth, clientHeight } = document.documentElement;
  const ring = document.querySelector('.point-cloud .rings circle')?.getBoundingClientRect();
  const { x, y } = placeCard({ width, height }, pointer, { width: clientWidth, height: clientHeight }, ring);
  card.style.translate = `${x}px ${y}px`;
}

/** The row under the pointer. */
export function RowCard() {
  const card = useRef<HTMLDivElement>(null);
  const isShown = hovered.value !== undefined;
  useLayoutEffect(() => moveToPointer(card.current));
  useLayoutEffect(() => {
    if (!isShown) return;
    const stop = new AbortController();
    addEventListener('pointermove', () => moveToPointer(card.current), { signal: stop.signal });
    // A finger that tapped does not leave the row as a mouse does, so the next touch or scroll hides the card.
    const hide = (): void => {
      if (pointer.type === 'touch') hovered.value = undefined;
    };
    addEventListener('scroll', hide, { signal: stop.signal, passive: true });
    addEventListener('pointerdown', hide, { signal: stop.signal, capture: true });
    return () => stop.abort();
  }, [isShown]);
  const now = fitted.value;
  const found = shownRow.value;
  if (!now || found?.now !== now || hovered.value === undefined) return null;
  const { row, columns, cells, distance, cos2, contribution } = found;
  const drawn = points.value;
  const [x, y] = axes.value;
  const more = unshownColumns(now, columns);
  const colours = colouring.value;
  const swatch =
    colours?.legend && colours.codes.length === now.model.n ? colours.palette[colours.codes[row]] : undefined;
  const by = colourBy.value;
  return (
    <div class="row-card" ref={card}>
      <strong>{`Row ${count(rowNumber(now, row))}`}</strong>
      <dl>
        {columns.map((column, at) => (
          <div key={`${column} ${at}`}>
            <dt>
              {column === by && <Swatch colour={swatch} />}
              {shorten(now.data.info.columns[column].name, 22)}
            </dt>
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
              {y < now.model.k
                ? `${formatNumber(drawn.at.x[row])}, ${formatNumber(drawn.at.y[row])}`
                : formatNumber(drawn.at.x[row])}
            </dd>
          </div>
        )}
        <div>
          <dt>
            {by === 'cos2' && <Swatch colour={swatch} />}
            {`cos² on ${found.components.map((c) => `PC${c + 1}`).join(', ')}`}
          </dt>
          <dd class="number">{Number.isNaN(cos2) ? '–' : cos2.toFixed(2)}</dd>
        </div>
        {by === 'contribution' && (
          <div>
            <dt>
              <Swatch colour={swatch} />
              contribution
            </dt>
            <dd class="number">{Number.isNaN(contribution) ? '–' : percent(contribution / 100)}</dd>
          </div>
        )}
        <div>
          <dt>
            {by === 'error' && <Swatch colour={swatch} />}
            error
          </dt>
          <dd class="number">{formatNumber(distance)}</dd>
        </div>
      </dl>
    </div>
  );
}

/** The colour of the row's point. */
function Swatch({ colour }: { readonly colour: string | undefined }) {
  return <span class="swatch" style={{ background: colour ?? 'none' }} />;
}
