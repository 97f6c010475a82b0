import { computed } from '@preact/signals';
import type { DescribedRows } from '@scree/analysis/describe';
import { shorten } from '../shorten.js';
import type { ComparedReply } from '../worker/messages.js';
import { reportProblem } from './data.js';
import { chosen, record } from './findings.js';
import { fitted, queryFit } from './fit.js';
import { resource } from './resource.js';
import { isKByHand, k, labelColumn } from './view.js';

/** Longest name of a row in a sentence. */
const NAME_LENGTH = 24;

/** The number of components with which rows are compared: the user's choice, or the recommended number, which may be 0. */
const comparedK = computed((): number | undefined => {
  const now = fitted.value;
  if (!now) return undefined;
  if (isKByHand.value) return Math.min(k.value, now.model.k);
  return chosen.value?.now === now ? chosen.value.result?.kept : undefined;
});

/** The comparison in the record, if it has the same number of components and the same names. */
const recorded = computed((): ComparedReply | undefined => {
  const found = record.value;
  return found?.kept === comparedK.value && found?.label === labelColumn.value ? found?.compared : undefined;
});

const asked = resource(
  () => {
    const now = fitted.value;
    const components = comparedK.value;
    if (!now || components === undefined || recorded.value) return undefined;
    return { now, k: components, label: labelColumn.value };
  },
  async (question) => {
    const found = await queryFit(question.now, 'compare', question);
    return { ...question, found };
  },
  reportProblem,
);

/** The rows compared with the limits of T² and Q, or the reason why they are not. Undefined until the reply arrives. */
export const unusual = computed(() => {
  if (recorded.value) return recorded.value;
  const own = asked.value;
  return own?.now === fitted.value && own?.k === comparedK.value ? own?.found : undefined;
});

/** The rows as sentences need them. */
export function describedRows({ found, rows, names }: ComparedReply): DescribedRows {
  const numbers = new Map(found.ranked.map(({ row, number }) => [row, number]));
  return {
    rows,
    numberOf: (row) => numbers.get(row) ?? row + 1,
    nameOf: (row) => {
      const name = names.get(row);
      return name === undefined ? undefined : shorten(name, NAME_LENGTH);
    },
  };
}

/** The distances of the rows from their reconstructions by k components. */
export const farRows = resource(
  () => {
    const now = fitted.value;
    return now && { now, k: Math.min(k.value, now.model.k) };
  },
  async ({ now, k: kept }) => ({ now, k: kept, found: await queryFit(now, 'farRows', kept) }),
  reportProblem,
);
