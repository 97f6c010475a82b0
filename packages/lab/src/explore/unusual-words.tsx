import { count, explainUnusual, formatNumber, plural } from '@scree/analysis/describe';
import { describedRows, farRows, unusual } from '../state/unusual.js';
import { hovered, selected } from '../state/view.js';
import type { ComparedReply } from '../worker/messages.js';
import type { PanelProps } from './panel.js';
import { reasonHere } from './record-words.js';

/** The largest number of rows that have a button. */
const NAMED_ROWS = 5;

/** Rows beyond the limits of T² and Q, and how far rows are from their reconstructions. */
export function UnusualWords({ now }: PanelProps) {
  const compared = unusual.value;
  const far = farRows.value;
  if (!compared || far?.now !== now) return null;
  const { median, largest } = far.found;
  return (
    <>
      <h3>Unusual rows</h3>
      {'code' in compared ? (
        <p class="hint">{reasonHere('unusual', compared)}</p>
      ) : (
        <ComparedWords compared={compared} />
      )}
      <p>
        {largest === 0
          ? `Nothing is lost with k = ${far.k}: every row is its own reconstruction, apart from rounding.`
          : `Half of the rows are within ${formatNumber(median)} of their reconstruction from ${plural(far.k, 'score')}.`}
      </p>
    </>
  );
}

function ComparedWords({ compared }: { readonly compared: ComparedReply }) {
  const { model, found } = compared;
  const rows = describedRows(compared);
  const [first, ...others] = explainUnusual(model, found, rows);
  return (
    <>
      <p>{first}</p>
      {found.unusual.length > 0 && (
        <ul class="named-rows">
          {found.unusual.slice(0, NAMED_ROWS).map(({ row, number }) => (
            <li key={row}>
              <button
                type="button"
                class="link"
                onPointerEnter={() => (hovered.value = row)}
                onPointerLeave={() => (hovered.value = undefined)}
                onClick={() => (selected.value = Uint32Array.of(row))}
              >
                {`row ${count(number)}${rows.nameOf?.(row) === undefined ? '' : ` (${rows.nameOf(row)})`}`}
              </button>
            </li>
          ))}
        </ul>
      )}
      {others.length > 0 && (
        <details>
          <summary>What unusual means</summary>
          {others.map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
        </details>
      )}
    </>
  );
}
