import type { Choice, Model, Warning } from '@scree/core';
import { criterionTitle } from '../choose/criteria/registry.js';
import type { Finding } from '../findings.js';
import type { ScaleChoice } from '../inspect/choose-scale.js';
import type { ComponentMeaning } from '../meaning/component-meaning.js';
import type { UnusualRows } from '../rows/unusual-rows.js';
import { describeMeaning, shortDecimal } from './describe-component.js';
import { describeMissing, type MissingDetails } from './describe-missing.js';
import { describeScale } from './describe-scale.js';
import {
  describeFewRows,
  describeInfluence,
  describeRowsApart,
  type FewRows,
  type Influence,
  type RowsApart,
} from './describe-second-look.js';
import { STABLE_ANGLE } from './describe-stability.js';
import { type DescribedRows, describeUnusual } from './describe-unusual.js';
import { capitalised, listed, percent, plural, runs } from './numbers.js';

/** The parts of an analysis that sentences need. */
export interface DescribedAnalysis {
  readonly model: Pick<Model, 'd' | 'choice'>;
  readonly compared: { readonly facts: DescribedRows; readonly found: UnusualRows } | undefined;
}

/** A function that makes the sentence of a warning. Default: the library's message. */
export type DescribeWarning = (warning: Warning) => string;

/** A finding as one sentence; two for a warning. */
export function describeFinding(
  { code, details, message = '' }: Finding,
  analysis: DescribedAnalysis,
  describeWarning: DescribeWarning = (warning) => warning.message,
): string {
  switch (code) {
    case 'COMPONENTS_TO_KEEP':
      return keepSentence(details as unknown as KeepDetails, analysis);
    case 'MISSING_VALUES':
      return describeMissing(details as unknown as MissingDetails);
    case 'STABILITY':
      return stabilitySentence(details as unknown as StabilityDetails);
    case 'COMPONENT':
      return describeMeaning(details as unknown as ComponentMeaning, 3) ?? '';
    case 'FEW_ROWS_DRIVE':
      return describeFewRows(details as unknown as FewRows);
    case 'INFLUENTIAL_ROW':
      return describeInfluence(details as unknown as Influence);
    case 'UNUSUAL_ROWS':
      if (details.robust !== undefined) return describeRowsApart(details as unknown as RowsApart);
      return analysis.compared ? describeUnusual(analysis.compared.found, analysis.compared.facts) : '';
    case 'NO_UNUSUAL_ROWS':
      return analysis.compared ? describeUnusual(analysis.compared.found, analysis.compared.facts) : '';
    case 'COVARIATE':
      return covariateSentence(details as unknown as CovariateDetails);
    case 'SCALING':
      return describeScale(details as unknown as ScaleChoice, { option: (rule) => `scale: '${rule}'` });
    default:
      return describeWarning({ code, message, details });
  }
}

interface KeepDetails {
  readonly k: number;
  readonly recommended: number | null;
  readonly share: number;
}

function keepSentence({ k, recommended, share }: KeepDetails, { model: { choice, d } }: DescribedAnalysis): string {
  if (recommended === 0) return choice?.reason ?? '';
  const kept = share > 0 && k < d ? `, which ${k === 1 ? 'keeps' : 'keep'} ${percent(share)} of the variance` : '';
  if (recommended !== null && recommended !== k)
    return `The model has ${plural(k, 'component')}${kept}; ${recommended} ${recommended === 1 ? 'is' : 'are'} recommended.`;
  const keep = `Keep ${plural(k, 'component')}${kept}`;
  if (!choice) return `${keep}.`;
  // The reason explains a choice that no criterion makes.
  return choice.agree.length === 0 ? `${keep}. ${choice.reason}` : `${keep}: ${agreement(choice)}.`;
}

/** Most criteria that are named. */
const MOST_CRITERIA = 3;

/** "the permutation test, the elbow and 2 more agree; others say 2 to 8". */
function agreement({ k, agree, criteria }: Choice): string {
  const names = agree.slice(0, MOST_CRITERIA).map((name) => criterionTitle(name).sentence);
  const more = agree.length - names.length;
  const verb = agree.length === 1 ? 'says so' : 'agree';
  const others = criteria.flatMap((each) => (each.k === null || each.k === k ? [] : [each.k]));
  const [least, most] = [Math.min(...others), Math.max(...others)];
  const range = least === most ? `${least}` : `${least} to ${most}`;
  const rest = others.length === 0 ? '' : `; ${others.length === 1 ? 'another says' : 'others say'} ${range}`;
  return `${listed(more > 0 ? [...names, `${more} more`] : names)} ${verb}${rest}`;
}

interface CovariateDetails {
  readonly name: string;
  readonly kind: 'column' | 'groups';
  readonly component: number;
  readonly effect: number;
  readonly kept: number;
  readonly degrees?: number;
  readonly stable?: boolean;
}

/** "PC2, which is not among the 1 kept, separates sex (η² .73) and is stable (±7°)." */
function covariateSentence({ name, kind, component, effect, kept, degrees, stable }: CovariateDetails): string {
  const relation =
    kind === 'column'
      ? `correlates with ${name} (r ${shortDecimal(effect)})`
      : `${effect >= 0.5 ? 'separates' : 'differs between'} the levels of ${name} (η² ${shortDecimal(effect)})`;
  const whole = Math.max(1, Math.round(degrees ?? 0));
  const sure =
    degrees === undefined ? '' : stable ? `, and is stable (±${whole}°)` : `, but is not stable (±${whole}°)`;
  const beyond =
    kept === 0 ? 'Though no component stands out of noise' : `Beyond the ${plural(kept, 'kept component')}`;
  return `${beyond}, PC${component} ${relation}${sure}.`;
}

interface StabilityDetails {
  readonly stable: readonly number[];
  readonly unstable: readonly number[];
  /** Components that few rows make. */
  readonly driven?: readonly number[];
  readonly degrees: readonly number[];
  /** Degrees between the halves of the rows, if rows are in an order, and whether they wander. */
  readonly halves?: readonly number[];
  readonly wanders?: boolean;
}

/** Most components whose angles are listed. */
const MOST_ANGLES = 4;
/** Degrees within which an axis is called stable. */
const STABLE_DEGREES = (180 / Math.PI) * STABLE_ANGLE;

function stabilitySentence({ stable, unstable, driven = [], degrees, halves = [], wanders }: StabilityDetails): string {
  const whole = (angle: number): string => `${Math.max(1, Math.round(angle))}°`;
  if (wanders) {
    const turns = halves.slice(0, MOST_ANGLES).map((angle, i) => `PC${i + 1} turns by ${whole(angle)}`);
    const between = turns.length === 0 ? '' : `: between the first and the second half of the rows ${listed(turns)}`;
    return `The rows wander like a random walk, so no component is called stable${between}.`;
  }
  // Angles of replicates may be small where the halves of the rows disagree.
  const angle = (c: number): string => {
    const apart = halves[c - 1] ?? 0;
    const isApart = degrees[c - 1] <= STABLE_DEGREES && apart > STABLE_DEGREES;
    return `±${whole(degrees[c - 1])}${isApart ? `, and ${whole(apart)} between the halves of the rows` : ''}`;
  };
  const names = (components: readonly number[]): string =>
    components.length <= MOST_ANGLES
      ? listed(components.map((c) => `PC${c} (${angle(c)})`))
      : `components ${runs(components)}`;
  const are = (components: readonly number[]): string => (components.length === 1 ? 'is' : 'are');
  const first = stable.length === 0 ? [] : [`${names(stable)} ${are(stable)} stable in other samples`];
  const rest =
    unstable.length === 0
      ? []
      : [`${names(unstable)} ${are(unstable)} not${stable.length === 0 ? ' stable in other samples' : ''}`];
  const made =
    driven.length === 0
      ? []
      : [
          `${listed(driven.map((c) => `PC${c}`))} ${driven.length === 1 ? 'says' : 'say'} nothing of other samples, because few rows make ${driven.length === 1 ? 'it' : 'them'}`,
        ];
  return capitalised(`${[...first, ...rest, ...made].join('; ')}.`);
}
