import { fail } from './data.js';
import { askOf, fitted } from './fit.js';
import { resource } from './resource.js';
import { k } from './view.js';

/** Rows that are far from their reconstruction by k components. */
export const outliers = resource(
  () => {
    const now = fitted.value;
    return now && { now, k: Math.min(k.value, now.model.k) };
  },
  async ({ now, k: kept }) => ({ now, k: kept, found: await askOf(now, 'outliers', kept) }),
  fail,
);
