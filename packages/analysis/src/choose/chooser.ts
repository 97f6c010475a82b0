import type { CriterionName } from '@scree/core';
import { CRITERION_NAMES } from '@scree/core/pipeline';

/** How k is chosen: by the recommendation of all criteria, or by one of them. */
export type Chooser = 'auto' | CriterionName;

/** Returns true if a value of the option `k` asks for criteria. */
export function isChooser(value: unknown): value is Chooser {
  return value === 'auto' || (CRITERION_NAMES as readonly unknown[]).includes(value);
}
