import { describeCertificate, describeRounding, describeUniqueness } from '@scree/analysis/describe';
import { warningSentence } from '../describe-problem.js';
import { untangled } from '../shorten.js';
import { chosen } from '../state/findings.js';
import { modelOfK } from '../state/model-of-k.js';
import { axes, is3d, k } from '../state/view.js';
import { Headline, headlineOf, SHOWN_ABOVE } from './headline.js';
import { Remedies } from './notices.js';
import { Panel, type PanelProps } from './panel.js';
import { ChoiceWords, MeaningWords, StabilityWords } from './record-words.js';
import { remediesFor } from './remedies.js';
import { UnusualWords } from './unusual-words.js';

/** The record of the analysis in sentences: findings, stability, meaning, number of components, unusual rows, warnings, accuracy. */
export function DescriptionPanel({ now }: PanelProps) {
  const kept = Math.min(k.value, now.model.k);
  const names = now.columns.map((column) => now.data.info.columns[column].name);
  const exact = modelOfK.value;
  const model = exact?.now === now && exact.kept === kept ? exact.model : undefined;
  /** Components up to the last one on the axes, because the user wants to know whether the component in view is stable. */
  const drawn = Math.min(now.model.k, 1 + Math.max(...axes.value.slice(0, is3d.value ? 3 : 2)));
  const looked = chosen.value?.now === now ? (chosen.value.result?.warnings ?? []) : [];
  const said = headlineOf(now).map(({ finding }) => finding.message);
  const warnings = [...looked, ...(model?.warnings ?? [])].filter(
    ({ code, message }) => !SHOWN_ABOVE.includes(code) && !said.includes(message),
  );
  return (
    <Panel id="words" title="In words" class="words">
      <Headline now={now} />
      <StabilityWords now={now} kept={Math.max(kept, drawn)} />
      <MeaningWords now={now} kept={Math.max(kept, drawn)} />
      <ChoiceWords now={now} />
      <UnusualWords now={now} />
      {warnings.length > 0 && <h3>Warnings</h3>}
      {warnings.map((warning) => {
        const text = untangled(warningSentence(warning, names));
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
            <p>These bounds are about rounding in the computation. They say nothing about another sample.</p>
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
