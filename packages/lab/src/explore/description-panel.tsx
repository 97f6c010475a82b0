import { certificateWords, count, several, show, uniquenessWords } from '@scree/core/describe';
import { describeWarning } from '../describe-problem.js';
import { shorten, untangled } from '../shorten.js';
import { type Fitted, rowNumber } from '../state/fit.js';
import { modelOfK } from '../state/model-of-k.js';
import { NAMED_ROWS, outliers } from '../state/outliers.js';
import { hovered, k, selected } from '../state/view.js';
import { Panel, type PanelProps } from './panel.js';

/** The model in sentences: outliers, uniqueness, warnings, accuracy. */
export function DescriptionPanel({ now }: PanelProps) {
  const kept = Math.min(k.value, now.model.k);
  const names = now.columns.map((column) => now.data.info.columns[column].name);
  const exact = modelOfK.value;
  const model = exact?.now === now && exact.kept === kept ? exact.model : undefined;
  return (
    <Panel id="words" title="In words" class="words">
      <OutlierList now={now} />
      {model ? (
        <>
          <h3>Determined by the data?</h3>
          {uniquenessWords(model).map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
          {model.warnings.map((warning) => (
            <p key={warning.message} class="warning">
              {untangled(describeWarning(warning, names))}
            </p>
          ))}
          <details>
            <summary>How exact it is</summary>
            {certificateWords(model).map((sentence) => (
              <p key={sentence}>{sentence}</p>
            ))}
          </details>
          <details>
            <summary>How it was computed</summary>
            <p>{`${model.plan.reason} Solver ${model.plan.solver}, engine ${model.plan.engine}${crossOriginIsolated ? '' : ', on one thread: this page is not isolated from others, so memory cannot be shared'}.`}</p>
          </details>
        </>
      ) : (
        <p class="hint">Checking…</p>
      )}
    </Panel>
  );
}

function OutlierList({ now }: { readonly now: Fitted }) {
  const current = outliers.value;
  if (current?.now !== now) return null;
  const { median, largest, fence, beyond, worst } = current.found;
  if (largest === 0) {
    return <p>{`Nothing is lost with k = ${current.k}: every row is its own reconstruction, apart from rounding.`}</p>;
  }
  return (
    <>
      <h3>Rows that stand out</h3>
      <p>
        {`Half of the rows are within ${show(median)} of their reconstruction from ${several(current.k, 'score')}; `}
        {beyond === 0
          ? 'none stands out.'
          : `${several(beyond, 'row')} ${beyond === 1 ? 'is' : 'are'} farther than ${show(fence)}, Tukey’s fence. The farthest:`}
      </p>
      {beyond > 0 && (
        <ul class="named-rows">
          {[...worst.subarray(0, Math.min(beyond, NAMED_ROWS))].map((row, at) => (
            <li key={row}>
              <button
                type="button"
                class="link"
                onPointerEnter={() => (hovered.value = row)}
                onPointerLeave={() => (hovered.value = undefined)}
                onClick={() => (selected.value = Uint32Array.of(row))}
              >
                {`row ${count(rowNumber(now, row))}${current.names[at] ? ` (${shorten(current.names[at], 24)})` : ''}`}
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
