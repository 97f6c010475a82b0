import type { CriterionName } from '@scree/core';
import { brokenStick } from './broken-stick.js';
import type { CriterionMethod } from './criterion.js';
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

/** Every criterion: one file and one line each. */
export const CRITERIA: Readonly<Record<CriterionName, CriterionMethod>> = {
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
};
