import type { ComponentMeaning, Finding } from '@scree/analysis';
import { describeFinding, describeMeaning } from '@scree/analysis/describe';
import type { Warning } from '@scree/core';
import { warningSentence } from '../describe-problem.js';
import { untangled } from '../shorten.js';
import { record } from '../state/findings.js';
import type { Fitted } from '../state/fit.js';
import { describedRows, unusual } from '../state/unusual.js';
import { describedMeaning } from './described-meaning.js';
import { Remedies } from './notices.js';
import type { PanelProps } from './panel.js';
import { type Remedy, remediesFor } from './remedies.js';

/** The number of findings in the headline. */
const MOST = 5;

/** Most columns of a component that the headline names on each side. */
const MOST_NAMED = 3;

/** Warnings that are not repeated here: the page shows them above all views, or beside the choice of k. */
export const SHOWN_ABOVE: readonly string[] = ['ROWS_DROPPED', 'VALUES_FILLED', 'NO_STRUCTURE'];

interface Line {
  readonly finding: Finding;
  readonly text: string;
  readonly remedies: readonly Remedy[];
}

/** The most important findings as sentences, if the analysis is done. */
export function headlineOf(now: Fitted): readonly Line[] {
  const found = record.value;
  if (!found) return [];
  const names = now.columns.map((column) => now.data.info.columns[column].name);
  // The names of the rows may have changed since the record was computed.
  const current = unusual.value;
  const compared = current && 'found' in current && current.model.k === found.kept ? current : found.compared;
  const facts = {
    model: found.model,
    compared: compared && { found: compared.found, facts: describedRows(compared) },
  };
  const lines: Line[] = [];
  for (const finding of found.findings) {
    if (lines.length === MOST) break;
    if (SHOWN_ABOVE.includes(finding.code)) continue;
    const text =
      finding.code === 'COMPONENT'
        ? // Its names are isolated, which `untangled` would undo.
          (describeMeaning(describedMeaning(finding.details as unknown as ComponentMeaning, now), MOST_NAMED) ?? '')
        : untangled(describeFinding(finding, facts, (warning) => warningSentence(warning, names)));
    if (text !== '') lines.push({ finding, text, remedies: remediesOf(finding, now) });
  }
  return lines;
}

function remediesOf({ code, message, details }: Finding, now: Fitted): readonly Remedy[] {
  return message === undefined ? [] : remediesFor({ code, message, details } as Warning, now);
}

/** The most important findings. */
export function Headline({ now }: PanelProps) {
  const lines = headlineOf(now);
  if (lines.length === 0) return null;
  return (
    <ul class="findings">
      {lines.map(({ finding, text, remedies }) => (
        <li key={text} class={finding.message === undefined ? '' : 'warning'}>
          {`${text} `}
          <Remedies remedies={remedies} about={text} />
        </li>
      ))}
    </ul>
  );
}
