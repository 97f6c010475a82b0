import type { ColumnToLeaveOut } from '@scree/analysis';
import { count, describeScale, listed, percent, plural } from '@scree/analysis/describe';
import { REASONS, warningSentence } from '../describe-problem.js';
import { shorten } from '../shorten.js';
import type { OpenedData } from '../state/data.js';
import { fitted } from '../state/fit.js';
import { changeSettings, type FitSettings, settings } from '../state/settings.js';
import { colourBy } from '../state/view.js';
import { type Remedy, remediesFor } from './remedies.js';

/** A sentence about the data, and buttons that change it. */
interface Notice {
  readonly text: string;
  readonly remedies: readonly Remedy[];
}

/** Up to this many columns that are left out have a line each. */
const MAX_LINES = 3;
/** Names in the line for more columns. */
const MAX_NAMES = 10;

/** The rows that were dropped or filled in, and the page's choices for the user's file, each with a button that reverts it. */
export function Notices() {
  const now = settings.value;
  if (!now) return null;
  const notices = [...gaps(now.data), ...choices(now.data, now.chosen)];
  if (notices.length === 0) return null;
  return (
    <section class="notices" aria-label="What was done to the data">
      <ul>
        {notices.map(({ text, remedies }) => (
          <li key={text}>
            {`${text} `}
            <Remedies remedies={remedies} about={text} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Buttons. `about` tells screen readers what a button such as "Undo" is about. */
export function Remedies({ remedies, about }: { readonly remedies: readonly Remedy[]; readonly about: string }) {
  return (
    <>
      {remedies.map(({ title, act }) => (
        <button key={title} type="button" class="small" aria-label={`${title}: ${about}`} onClick={act}>
          {title}
        </button>
      ))}
    </>
  );
}

/** Notices about missing values in the shown fit. The code that reads the rows counts them. */
function gaps(data: OpenedData): Notice[] {
  const now = fitted.value;
  if (now?.data !== data) return [];
  const warnings = now.model.warnings.filter(({ code }) => code === 'ROWS_DROPPED' || code === 'VALUES_FILLED');
  return warnings.map((warning) => ({ text: warningSentence(warning, []), remedies: remediesFor(warning, now) }));
}

/** Notices about the page's choices for the user's data, while these choices are in effect. */
function choices({ advice, info }: OpenedData, chosen: FitSettings): Notice[] {
  if (!advice) return [];
  const { scaling, colour } = advice;
  const nameOf = (column: number): string => shorten(info.columns[column].name, 40);
  const notices: Notice[] = [];
  if (chosen.scale === scaling.rule && scaling.reason !== 'one-column') {
    const [other, title] =
      scaling.rule === 'unit' ? (['none', 'Undo'] as const) : (['unit', 'Divide by standard deviations'] as const);
    // Spectra and parts of a whole are not scaled column by column.
    const offers = scaling.reason !== 'ordered' && scaling.reason !== 'parts';
    notices.push({
      text: describeScale(scaling, { called: (column) => shorten(String(column), 40) }),
      remedies: offers ? [{ title, act: () => changeSettings({ scale: other }) }] : [],
    });
  }
  notices.push(...leftOutNotices(advice.leftOut.filter(({ column }) => !chosen.columns.includes(column))));
  if (colour && colourBy.value === colour.column) {
    notices.push({
      text: `Points are coloured by ${nameOf(colour.column)}: ${percent(colour.share)} of the variance of the standardised columns is between its ${count(colour.groups)} groups.`,
      remedies: [{ title: 'Undo', act: () => (colourBy.value = 'none') }],
    });
  }
  return notices;

  function leftOutNotices(left: readonly ColumnToLeaveOut[]): Notice[] {
    const putBack = (columns: readonly number[]): Remedy => ({
      title: 'Put back',
      act: () => changeSettings({ columns: [...chosen.columns, ...columns].sort((a, b) => a - b) }),
    });
    if (left.length <= MAX_LINES) {
      return left.map(({ column, reason }) => ({
        text: `${nameOf(column)} is left out of the fit: it ${REASONS[reason]}.`,
        remedies: [putBack([column])],
      }));
    }
    const columns = left.map(({ column }) => column);
    const names = columns.slice(0, MAX_NAMES).map(nameOf);
    if (columns.length > names.length) names.push(`${count(columns.length - names.length)} more`);
    return [
      {
        text: `${plural(left.length, 'column')} are left out of the fit because they number, date or colour rows: ${listed(names)}.`,
        remedies: [putBack(columns)],
      },
    ];
  }
}
