import { reportProblem } from './data.js';
import { fitted, queryFit } from './fit.js';
import { resource } from './resource.js';
import { k, labelColumn } from './view.js';

/** Number of unusual rows listed by name. */
export const NAMED_ROWS = 5;

/** Rows that differ from the others, for k components. */
export const outliers = resource(
  () => {
    const now = fitted.value;
    return now && { now, k: Math.min(k.value, now.model.k), label: labelColumn.value };
  },
  async ({ now, k: kept, label }) => {
    const found = await queryFit(now, 'outliers', kept);
    const rows = [...found.unusual.subarray(0, NAMED_ROWS)];
    const cells = label === undefined ? [] : await queryFit(now, 'cells', { rows, columns: [label] });
    return { now, k: kept, found, names: cells.map(([name]) => name) };
  },
  reportProblem,
);
