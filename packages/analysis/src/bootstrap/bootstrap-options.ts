import { OptionError } from '@scree/core';
import type { Alignment, BootstrapKind } from '@scree/core/pipeline';
import { checkObject, checkOption, describeValue, type OptionCheck } from '@scree/core/pipeline';
import type { Filled } from '../fields.js';

/** Options of a bootstrap, besides those of `pca`. */
export interface BootstrapChoices {
  /** The number of replicates. Default 200, which gives angles, and intervals to a tenth of their width. Use 1000 for a paper. */
  readonly replicates?: number | undefined;
  /**
   * What is drawn. `'auto'` draws blocks if neighbouring rows are alike, of a length that the data choose, and otherwise rows. Default
   * `'rows'`; `'auto'` in `analyze`.
   */
  readonly kind?: BootstrapKind | 'auto' | undefined;
  /** Rows of a block, for `kind: 'blocks'`. Default: the cube root of the number of rows, rounded up. */
  readonly block?: number | undefined;
  /** One label per row, for `kind: 'groups'`: rows with the same label are drawn together. */
  readonly groups?: ArrayLike<string | number> | undefined;
  /** How replicates are compared with the sample. Default `'order'`. */
  readonly alignment?: Alignment | undefined;
  /** Set to true to compute intervals of the rows' scores too. Default false. */
  readonly scores?: boolean | undefined;
  /** Seed of the draws. Default 0. */
  readonly seed?: number | undefined;
}

const KINDS: readonly (BootstrapKind | 'auto')[] = ['auto', 'rows', 'blocks', 'groups', 'parametric'];

export const BOOTSTRAP_CHOICES: Record<keyof BootstrapChoices, OptionCheck> = {
  replicates: {
    must: 'a whole number from 10 to 100000',
    test: (v) => Number.isSafeInteger(v) && (v as number) >= 10 && (v as number) <= 100_000,
  },
  kind: { must: "'auto', 'rows', 'blocks', 'groups' or 'parametric'", test: (v) => KINDS.some((kind) => kind === v) },
  block: { must: 'a whole number from 1 up', test: (v) => Number.isSafeInteger(v) && (v as number) >= 1 },
  groups: { must: 'an array with one label per row', test: (v) => Array.isArray(v) || ArrayBuffer.isView(v) },
  alignment: { must: "'order' or 'procrustes'", test: (v) => v === 'order' || v === 'procrustes' },
  scores: { must: 'true or false', test: (v) => typeof v === 'boolean' },
  seed: { must: 'a whole number', test: (v) => Number.isSafeInteger(v) },
};

/** The option `bootstrap` of a fit: the number of replicates (0 for none), or an object. */
export const BOOTSTRAP_OPTION: OptionCheck = {
  must: 'a whole number of replicates (0, or 10 to 100000), or an object with replicates, kind, block, groups, alignment, scores and seed',
  test: (v) => v === 0 || BOOTSTRAP_CHOICES.replicates.test(v) || (typeof v === 'object' && v !== null),
};

/** The settings with every default filled in; undefined if no bootstrap is drawn. */
export function checkBootstrap(
  given: number | BootstrapChoices | undefined,
  seed: number,
): BootstrapSettings | undefined {
  if (given === undefined || given === 0) return undefined;
  if (typeof given === 'number') return { replicates: given, kind: 'rows', alignment: 'order', scores: false, seed };
  checkObject(given);
  for (const [option, value] of Object.entries(given)) {
    if (!Object.hasOwn(BOOTSTRAP_CHOICES, option)) {
      throw new OptionError(
        'UNKNOWN_OPTION',
        `A bootstrap has no option ${describeValue(option)}. Its options are ${Object.keys(BOOTSTRAP_CHOICES).join(', ')}.`,
        { option: `bootstrap.${option}` },
      );
    }
    if (value !== undefined) checkOption(option, value, BOOTSTRAP_CHOICES[option as keyof BootstrapChoices]);
  }
  const { replicates = 200, kind = 'rows', alignment = 'order', scores = false } = given;
  refuseUnused('block', given.block, kind, 'blocks');
  refuseUnused('groups', given.groups, kind, 'groups');
  if (kind === 'groups' && given.groups === undefined) {
    throw new OptionError('BAD_OPTION', "kind: 'groups' needs groups: an array with one label per row.", {
      option: 'groups',
    });
  }
  return { ...given, replicates, kind, alignment, scores, seed: given.seed ?? seed };
}

/** The choices of an analysis: blocks if a block is given, groups if groups are, and otherwise what the order of the rows demands. */
export function withKind(given: BootstrapChoices): BootstrapChoices {
  const { kind = given.block !== undefined ? 'blocks' : given.groups !== undefined ? 'groups' : 'auto' } = given;
  return { ...given, kind };
}

export type BootstrapSettings = Filled<Omit<BootstrapChoices, 'block' | 'groups'>> &
  Pick<BootstrapChoices, 'block' | 'groups'>;

function refuseUnused(
  option: 'block' | 'groups',
  value: unknown,
  kind: BootstrapSettings['kind'],
  needed: BootstrapKind,
): void {
  if (value === undefined || kind === needed) return;
  throw new OptionError(
    'BAD_OPTION',
    `${option} is for kind: '${needed}', and the kind is '${kind}'. Choose it, or leave ${option} out.`,
    { option },
  );
}
