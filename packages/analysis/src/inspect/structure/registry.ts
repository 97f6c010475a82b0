import { constantSum } from './constant-sum.js';
import { duplicateRows } from './duplicate-rows.js';
import { fewLevels } from './few-levels.js';
import { linearRelation } from './linear-relation.js';
import { nearConstantColumn } from './near-constant-column.js';
import { orderedColumns } from './ordered-columns.js';
import { skewedColumns } from './skewed-columns.js';
import type { StructureCheck } from './structure-check.js';

/** The checks for structure that people forget to mention. A new one is a file and a line here. */
export const STRUCTURE_CHECKS: readonly StructureCheck[] = [
  constantSum,
  linearRelation,
  orderedColumns,
  fewLevels,
  skewedColumns,
  nearConstantColumn,
  duplicateRows,
];
