import type { AnalysisPart, Reason } from '@scree/analysis';
import {
  describeChoice,
  describeMeaning,
  describeReason,
  describeStability,
  plural,
  rowOrderOf,
} from '@scree/analysis/describe';
import { analysis, chosen, record } from '../state/findings.js';
import { describedMeaning } from './described-meaning.js';
import type { PanelProps } from './panel.js';

/** `kept`: the sentences are about this many components, those that are kept and those on the axes. */
interface Props extends PanelProps {
  readonly kept: number;
}

/** Sentences of the page, for reasons whose sentence in the library names an option of the library. */
const REASONS: { readonly [Code in Reason['code']]?: string } = {
  LARGE_TABLE: 'Not computed for a table of this size. The command computes it: scree fit --bootstrap 200.',
  LEADING_VARIANCES:
    'The solver finds only the leading variances of a table of this size. The command computes all of them: scree analyze.',
};

export function reasonHere(part: AnalysisPart, reason: Reason): string {
  return REASONS[reason.code] ?? describeReason(part, reason);
}

/** The stability of the components, or the progress of its computation. */
export function StabilityWords({ now, kept }: Props) {
  const found = analysis.value?.now === now ? analysis.value : undefined;
  const { model, notComputed } = record.value ?? {};
  const stability = model?.stability;
  if (found?.isDone && stability) {
    const some = stability.angles.length;
    const [first, ...others] = describeStability(stability, Math.min(kept, some), model.choice?.k, rowOrderOf(model));
    return (
      <>
        <h3>How stable</h3>
        <p>
          {kept > some ? `Of the first ${plural(some, 'component')}: ` : ''}
          <strong>{first}</strong>
        </p>
        {others.map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
      </>
    );
  }
  const { progress, problem } = found ?? {};
  const share = progress?.total ? Math.min(1, progress.done / progress.total) : undefined;
  const reason = notComputed?.stability;
  return (
    <>
      <h3>How stable</h3>
      {found?.isDone ? (
        <p class="hint">
          {problem ? `Not known. ${problem}` : reason ? reasonHere('stability', reason) : 'Not known.'}
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

/** The significant relations of components with columns and groups. Empty if no component stands out from noise. */
export function MeaningWords({ now, kept }: Props) {
  const { meaning = [], model } = record.value ?? {};
  if (model?.choice?.k === 0) return null;
  const sentences = meaning
    .slice(0, kept)
    .map((each) => each && describeMeaning(describedMeaning(each, now)))
    .filter((sentence) => sentence !== undefined);
  if (sentences.length === 0) return null;
  return (
    <>
      <h3>What they mean</h3>
      <p class="hint">
        {`“More” and “less” are about rows with a high score. Only significant relations are named (5${'\u00a0'}%, with Holm’s correction).`}
      </p>
      <ul class="meaning">
        {sentences.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </>
  );
}

/** The numbers of components that the criteria advise. */
export function ChoiceWords({ now }: PanelProps) {
  const found = chosen.value;
  if (found?.now !== now || !found.isDone) return null;
  const { choice, reason } = found.result ?? {};
  if (!choice) {
    return (
      <>
        <h3>How many</h3>
        <p class="hint">{reason ? reasonHere('choice', reason) : `Not known. ${found.problem ?? ''}`}</p>
      </>
    );
  }
  return (
    <>
      <h3>How many</h3>
      {describeChoice(choice).map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      <details>
        <summary>What the criteria say</summary>
        {choice.criteria
          .filter((criterion) => criterion.k !== null)
          .map(({ name, sentence }) => (
            <p key={name}>{sentence}</p>
          ))}
      </details>
    </>
  );
}
