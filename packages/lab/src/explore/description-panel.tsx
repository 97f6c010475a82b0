import {
  count,
  describeCertificate,
  describeChoice,
  describeRounding,
  describeStability,
  describeUniqueness,
  several,
  show,
} from '@scree/analysis/describe';
import { describeWarning } from '../describe-problem.js';
import { shorten, untangled } from '../shorten.js';
import { choice, columnWarnings, meaning, stability } from '../state/findings.js';
import { type Fitted, rowNumber } from '../state/fit.js';
import { modelOfK } from '../state/model-of-k.js';
import { NAMED_ROWS, outliers } from '../state/outliers.js';
import { axes, hovered, is3d, k, selected } from '../state/view.js';
import { Remedies } from './notices.js';
import { Panel, type PanelProps } from './panel.js';
import { remediesFor } from './remedies.js';

/** Warnings that the page shows above all views. */
const ABOVE: readonly string[] = ['ROWS_DROPPED', 'VALUES_FILLED'];

/** The model in sentences: stability, meaning, number of components, unusual rows, warnings, accuracy. */
export function DescriptionPanel({ now }: PanelProps) {
  const kept = Math.min(k.value, now.model.k);
  const names = now.columns.map((column) => now.data.info.columns[column].name);
  const exact = modelOfK.value;
  const model = exact?.now === now && exact.kept === kept ? exact.model : undefined;
  /** Components up to the last one on the axes: whoever looks at it wants to know whether it is stable. */
  const drawn = Math.min(now.model.k, 1 + Math.max(...axes.value.slice(0, is3d.value ? 3 : 2)));
  const looked = columnWarnings.value?.now === now ? (columnWarnings.value.result ?? []) : [];
  const warnings = [...looked, ...(model?.warnings ?? [])].filter(({ code }) => !ABOVE.includes(code));
  return (
    <Panel id="words" title="In words" class="words">
      <StabilityWords now={now} kept={Math.max(kept, drawn)} />
      <MeaningWords now={now} kept={Math.max(kept, drawn)} />
      <ChoiceWords now={now} />
      <OutlierWords now={now} />
      {warnings.length > 0 && <h3>Warnings</h3>}
      {warnings.map((warning) => {
        const text = untangled(describeWarning(warning, names));
        return (
          <div key={warning.message} class="warning">
            {`${text} `}
            <Remedies remedies={remediesFor(warning, now)} about={text} />
          </div>
        );
      })}
      {model ? (
        <>
          <details>
            <summary>{describeRounding(model)}</summary>
            <p>These bounds are about rounding in the computation, and say nothing about another sample.</p>
            {[...describeCertificate(model), ...describeUniqueness(model)].map((sentence) => (
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

/** How stable the components are, as soon as it is known. */
function StabilityWords({ now, kept }: PanelProps & { readonly kept: number }) {
  const found = stability.value?.now === now ? stability.value : undefined;
  const { result, progress } = found ?? {};
  if (result) {
    const some = result.angles.length;
    const advice = choice.value?.now === now ? choice.value.result : undefined;
    const [first, ...others] = describeStability(result, Math.min(kept, some), advice?.k);
    return (
      <>
        <h3>How stable</h3>
        <p>
          {kept > some ? `Of the first ${several(some, 'component')}: ` : ''}
          <strong>{first}</strong>
        </p>
        {others.map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
      </>
    );
  }
  const share = progress?.total ? Math.min(1, progress.done / progress.total) : undefined;
  return (
    <>
      <h3>How stable</h3>
      {found?.isDone ? (
        <p class="hint">
          {found.problem
            ? `Not known. ${found.problem}`
            : 'Not computed for so large a table. The command does it: scree fit --bootstrap 200.'}
        </p>
      ) : (
        <p class="hint">
          {'Drawing samples from these rows… '}
          <progress aria-label="Drawing samples from these rows" {...(share === undefined ? {} : { value: share })} />
        </p>
      )}
    </>
  );
}

/** Where parallel analysis is left out. */
const TOO_LARGE =
  'Parallel analysis is not computed here: with more than 300 rows and 300 columns, simulated tables take too long for a page. The command does it: scree analyze.';

/** What the components mean, as far as it is significant. Nothing, if no component stands out of noise. */
function MeaningWords({ now, kept }: PanelProps & { readonly kept: number }) {
  const found = meaning.value?.now === now ? meaning.value.result : undefined;
  const advice = choice.value?.now === now ? choice.value.result : undefined;
  const sentences = (found ?? []).slice(0, kept).filter((sentence) => sentence !== null);
  if (sentences.length === 0 || advice?.k === 0) return null;
  return (
    <>
      <h3>What they mean</h3>
      <p class="hint">
        {`“More” and “less” are for rows with a high score. Only what is significant is named (5${'\u00a0'}%, with Holm’s correction).`}
      </p>
      <ul class="meaning">
        {sentences.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </>
  );
}

/** How many components the criteria advise, and how they differ. */
function ChoiceWords({ now }: PanelProps) {
  const found = choice.value;
  if (found?.now !== now || !found.isDone) return null;
  if (!found.result) {
    return (
      <>
        <h3>How many</h3>
        <p class="hint">{found.problem ? `Not known. ${found.problem}` : TOO_LARGE}</p>
      </>
    );
  }
  const answers = found.result.criteria.filter((criterion) => criterion.k !== null);
  if (answers.length === 0) return null;
  const hasParallel = found.result.criteria.some(({ name }) => name === 'parallel');
  return (
    <>
      <h3>How many</h3>
      {hasParallel ? (
        describeChoice(found.result).map((sentence) => <p key={sentence}>{sentence}</p>)
      ) : (
        <p class="hint">{TOO_LARGE}</p>
      )}
      <details>
        <summary>What the criteria say</summary>
        {answers.map(({ name, sentence }) => (
          <p key={name}>{sentence}</p>
        ))}
      </details>
    </>
  );
}

/** Rows beyond the limits of T² and Q. */
function OutlierWords({ now }: { readonly now: Fitted }) {
  const current = outliers.value;
  if (current?.now !== now) return null;
  const { median, largest, unusual, counts } = current.found;
  const { either, t2, q } = counts;
  const rows = now.model.n;
  const measures = [
    ...(t2 === null
      ? []
      : [`from the mean within ${current.k === 1 ? 'the component' : `the ${current.k} components`} (T²)`]),
    ...(q === null ? [] : [`from ${either <= 1 ? 'its' : 'their'} reconstruction (Q)`]),
  ];
  return (
    <>
      <h3>Unusual rows</h3>
      <p>
        {measures.length === 0
          ? 'There are too few rows to tell which are unusual.'
          : `${either === 0 ? 'No row' : `${count(either)} of ${several(rows, 'row')}`} ${either <= 1 ? 'is' : 'are'} farther ${measures.join(' or ')} than normally distributed rows would be in 95 of 100 such tables${either === 0 ? '.' : either === 1 ? ':' : either > NAMED_ROWS ? '. The farthest:' : ':'}`}
      </p>
      {either > 0 && (
        <ul class="named-rows">
          {[...unusual.subarray(0, NAMED_ROWS)].map((row, at) => (
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
      <p>
        {largest === 0
          ? `Nothing is lost with k = ${current.k}: every row is its own reconstruction, apart from rounding.`
          : `Half of the rows are within ${show(median)} of their reconstruction from ${several(current.k, 'score')}.`}
      </p>
    </>
  );
}
