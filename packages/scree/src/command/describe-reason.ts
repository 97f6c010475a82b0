import type { NotComputed, Reason } from '@scree/analysis';
import {
  count,
  describeReasons as describeAll,
  describeReason as describeLibraryReason,
  plural,
} from '@scree/analysis/describe';

type Part = keyof NotComputed;
type Describe = (details: Readonly<Record<string, unknown>>) => string;

/** Sentences for reasons whose remedy is a flag, by the missing part and the code of the reason. */
const REASONS: Readonly<Partial<Record<`${Part}:${Reason['code']}`, Describe>>> = {
  'stability:NOT_ASKED': () => '--bootstrap 0 was given.',
  'stability:LARGE_TABLE': ({ rows, cols }) =>
    `A table of ${count(rows as number)} × ${count(cols as number)} numbers takes long. Use --bootstrap 200 to do it.`,
  'stability:NO_ROWS': () => 'Moments have no rows to draw from. Use scree moments --bootstrap 200.',
  'choice:LEADING_VARIANCES': ({ solver, rows }) =>
    `The ${solver} solver finds only the leading variances of these ${plural(rows as number, 'row')}. Use --components auto to compute all of them, which reads the data again.`,
  'unusual:NO_ROWS': () => NO_ROWS,
  'rows:NO_ROWS': () => NO_ROWS,
  'rows:GROUP_MEANS': () =>
    'Rows have no part in means of groups. scree transform gives their scores, and --tables writes them.',
  'rows:MANY_ROWS': ({ rows, most }) =>
    `${plural(rows as number, 'row')} are too many for one JSON object, which lists up to ${count(most as number)}. Use --tables FOLDER to write all of them.`,
  'supplementaryRows:MANY_ROWS': ({ rows, most }) =>
    `${plural(rows as number, 'row')} are too many to list: up to ${count(most as number)} are. Use --tables FOLDER to write all of them.`,
  'rotation:NO_STRUCTURE': () => 'No component stands out of noise. Use -k to rotate some all the same.',
  'choice:STORED': () => 'The model does not say how many components to keep; scree fit stores that with newer models.',
  'stability:STORED': () => 'The model was stored without a bootstrap. Fit it again with scree fit to add one.',
};

const NO_ROWS = 'Moments have no rows. Name the data themselves, with --model where this model is to be used.';

/** The reason why a part of an analysis is missing, as a sentence for the terminal: remedies are flags. */
export function reasonWithFlags(part: Part, reason: Reason): string {
  return REASONS[`${part}:${reason.code}`]?.(reason.details ?? {}) ?? describeLibraryReason(part, reason);
}

/** All reasons as sentences. */
export function reasonsWithFlags(reasons: NotComputed): ReturnType<typeof describeAll> {
  return describeAll(reasons, reasonWithFlags);
}
