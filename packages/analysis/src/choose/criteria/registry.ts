import { brokenStick } from './broken-stick.js';
import type { CriterionMethod, CriterionTitle } from './criterion.js';
import { crossValidation } from './cross-validation.js';
import { elbow } from './elbow.js';
import { gavishDonoho } from './gavish-donoho.js';
import { gcv } from './gcv.js';
import { kaiser } from './kaiser.js';
import { map } from './map.js';
import { mle } from './mle.js';
import { parallel } from './parallel.js';
import { permutation } from './permutation.js';
import { profileLikelihood } from './profile-likelihood.js';
import { tracyWidom } from './tracy-widom.js';

/** Every criterion: one file and one line each. Results list them in this order. */
const METHODS = {
  parallel,
  permutation,
  'broken-stick': brokenStick,
  kaiser,
  'gavish-donoho': gavishDonoho,
  mle,
  'profile-likelihood': profileLikelihood,
  gcv,
  'cross-validation': crossValidation,
  map,
  'tracy-widom': tracyWidom,
  elbow,
} satisfies Record<string, CriterionMethod>;

/** The name of a criterion for the number of components. */
export type CriterionName = keyof typeof METHODS;

export const CRITERIA: Readonly<Record<CriterionName, CriterionMethod>> = METHODS;

export const CRITERION_NAMES = Object.keys(METHODS) as readonly CriterionName[];

/** How k is chosen: by the recommendation of all criteria, or by one of them. */
export type Chooser = 'auto' | CriterionName;

/** Returns true if a value of the option `k` asks for criteria. */
export function isChooser(value: unknown): value is Chooser {
  return value === 'auto' || isCriterion(value);
}

/** Returns true if a criterion has this name. */
export function isCriterion(name: unknown): name is CriterionName {
  return typeof name === 'string' && Object.hasOwn(METHODS, name);
}

/** The titles of a criterion; its name if a later version stored it. */
export function criterionTitle(name: string): CriterionTitle {
  return isCriterion(name) ? CRITERIA[name].title : { long: name, short: name, sentence: name };
}

/** The results of criteria, the most important first. */
export function criteriaByImportance<Each extends { readonly name: string }>({
  criteria,
}: {
  readonly criteria: readonly Each[];
}): Each[] {
  const importance = ({ name }: Each): number => (isCriterion(name) ? CRITERIA[name].importance : 0);
  return [...criteria].sort((a, b) => importance(b) - importance(a));
}

/** Returns true if a criterion may decide the recommendation. */
export function mayDecide(name: string): boolean {
  return isCriterion(name) && CRITERIA[name].decides !== undefined;
}

/** Describes the thresholds of a test against noise; undefined for other criteria. */
export function noiseTested(name: string): string | undefined {
  return isCriterion(name) ? CRITERIA[name].decides?.noise : undefined;
}

/** Returns true if one of these criteria needs a part of the evidence. */
export function anyNeeds(names: readonly CriterionName[], need: CriterionMethod['needs'][number]): boolean {
  return names.some((name) => CRITERIA[name].needs.includes(need));
}
