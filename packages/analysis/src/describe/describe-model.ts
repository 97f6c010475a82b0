import type { Model } from '@scree/core';
import { componentsForShares, hasAllComponents, knownRatios, shareKept } from '../choose/components-for.js';
import { count, degrees, formatNumber, listed, percent, plural, runs } from './numbers.js';

/** Describes a model in sentences of plain text. Escape them before you write them into HTML. */

/** Says how many components are needed for which share of the variance. */
export function describeVariances(model: Model): string[] {
  const { k, d, coding: encoding } = model;
  const given = encoding?.columns.length ?? d;
  if (Number.isNaN(model.totalVariance)) return ['The total variance is not known, so shares of it are not either.'];
  const columns = given === d ? plural(d, 'column') : `${plural(given, 'column')}, ${count(d)} when coded`;
  if (model.totalVariance === 0) return ['All rows are the same: there is no variance that components could keep.'];
  // One column has one component.
  if (d === 1) return [];
  const needed = componentsForShares(model);
  // If shares need the same number of components, only the largest is named.
  const reached = needed.flatMap(({ share, components }, i) =>
    components === undefined || components === needed[i + 1]?.components
      ? []
      : [`${components} for ${percentMark(share)}`],
  );
  const beyond = needed.flatMap(({ share, components }) => (components === undefined ? [percentMark(share)] : []));
  return [
    // All components keep all variance of any data.
    ...(hasAllComponents(model)
      ? []
      : [
          `${plural(k, 'component')} ${k === 1 ? 'keeps' : 'keep'} ${percent(shareKept(model))} of the variance of ${columns}.`,
        ]),
    ...(reached.length > 0
      ? [
          `It takes ${listed(reached.map((text, i) => (i === 0 ? text.replace(' for', ` ${text.startsWith('1 ') ? 'component' : 'components'} for`) : text)))}.`,
        ]
      : []),
    ...(beyond.length > 0 ? [`For ${listed(beyond)} more than the ${k} kept would be needed.`] : []),
  ];
}

/** Says how the variance is spread over the components. */
export function describeSpreads(model: Model): string[] {
  const { k, d, variances, varianceRatios, totalVariance, uniqueness, noiseVariance } = model;
  if (!(totalVariance > 0)) return [];
  const rest = d - k;
  // Variances beyond the rank are rounding.
  const last = Math.min(k, uniqueness.rank) - 1;
  const ordinal = last < k - 1 ? `the last one with variance, PC${last + 1},` : 'the last one kept';
  const none = k - 1 - last;
  const nothing = knownRatios(model).every((ratio, i) => i < k || ratio === 0);
  const left = rest === 1 ? 'The direction left out has' : `The ${count(rest)} directions left out have`;
  return [
    `The variance of all columns together is ${formatNumber(totalVariance, 6)}. The first component alone has ${formatNumber(variances[0], 6)} of it (${percent(varianceRatios[0])})${last > 0 ? `, ${ordinal} ${formatNumber(variances[last], 6)} (${percent(varianceRatios[last])})` : ''}.${
      none > 0 ? ` ${plural(none, 'more component')} ${none === 1 ? 'has' : 'have'} none, apart from rounding.` : ''
    }${
      rest > 0
        ? nothing && model.spectrum
          ? ` ${left} none, apart from rounding.`
          : ` ${left} ${formatNumber(noiseVariance)}${rest === 1 ? '' : ' each, on average'}.`
        : ''
    }`,
  ];
}

/** A table of the components needed for shares of the variance. */
export function neededComponents(model: Model): { share: string; components: string }[] {
  return componentsForShares(model).map(({ share, components }) => ({
    share: percentMark(share),
    components: !(model.totalVariance > 0) ? '–' : components === undefined ? `> ${model.k}` : String(components),
  }));
}

/** One line about rounding errors. It says nothing about another sample. The certificate has the details. */
export function describeRounding({ certificate, variances, uniqueness }: Model): string {
  const { rank } = uniqueness;
  if (certificate.checked === false) return notChecked(certificate);
  if (rank === 0) return 'Computed: no variance can be told from zero.';
  const relative = Math.max(...certificate.varianceBounds.slice(0, rank).map((bound, i) => bound / variances[i]));
  const digits = relative > 0 ? Math.min(15, Math.floor(-Math.log10(relative))) : 15;
  const angles = certificate.angleBounds.slice(0, rank);
  const lost = angles.flatMap((bound, i) => (bound >= Math.PI / 2 ? [i + 1] : []));
  const certain = angles.filter((bound) => bound < Math.PI / 2);
  const exact = digits < 1 ? 'Computed in their order of magnitude' : `Computed to ${plural(digits, 'digit')}`;
  const directions = certain.length > 0 ? `, directions to ${degrees(Math.max(...certain))}` : '';
  const open =
    lost.length > 0 ? `; rounding leaves the direction of PC${runs(lost).replace(/ (\d)/g, ' PC$1')} open` : '';
  return `${exact}${directions}${open}.`;
}

/** The certificate in sentences. */
export function describeCertificate(model: Model): string[] {
  const { certificate, variances } = model;
  const { varianceBounds, angleBounds, subspaceAngleBound, residuals, orthonormality } = certificate;
  if (certificate.checked === false) return [notChecked(certificate)];
  const { rank } = model.uniqueness;
  const relative = varianceBounds.slice(0, rank).map((bound, i) => (variances[i] > 0 ? bound / variances[i] : 0));
  const worst = relative.reduce((at, value, i) => (value > relative[at] ? i : at), 0);
  const lost = angleBounds.flatMap((bound, i) => (bound >= Math.PI / 2 ? [i + 1] : []));
  const certain = angleBounds.filter((bound) => bound < Math.PI / 2);
  return [
    ...(rank === 0
      ? []
      : [
          relative[worst] > 0
            ? `Variances: each${rank < model.k ? ' that can be told from zero' : ''} is within ${percentOf(relative[worst])} of the exact one; the least certain is that of component ${worst + 1}, ${formatNumber(variances[worst], 6)} ± ${formatNumber(varianceBounds[worst], 2)}.`
            : 'Variances: exact as far as can be told.',
        ]),
    ...(rank < model.k
      ? [
          `From component ${rank + 1} on variances are zero, give or take ${formatNumber(Math.max(...varianceBounds.slice(rank)), 2)}.`,
        ]
      : []),
    ...(certain.length > 0
      ? [
          `Directions: ${lost.length === 0 ? 'no component is' : 'the others are'} ${lost.length === 0 ? '' : 'not '}farther than ${degrees(Math.max(...certain))} from the exact one.`,
        ]
      : []),
    ...(lost.length > 0
      ? [
          `Nothing can be promised about the direction of ${lost.length === 1 ? 'component' : 'components'} ${runs(lost)}: the bound is 90°.`,
        ]
      : []),
    subspaceAngleBound >= Math.PI / 2
      ? 'Subspace: nothing can be promised about the space that the components span together (the bound is 90°).'
      : subspaceAngleBound === 0
        ? 'Subspace: the components span all there is, so nothing can be missed.'
        : `Subspace: the space that the components span together is not farther than ${degrees(subspaceAngleBound)} from the best one.`,
    `Measured: ‖Cv − λv‖ is at most ${formatNumber(Math.max(...residuals), 2)} of the largest variance, and the components are orthonormal to ${formatNumber(orthonormality, 2)}.`,
  ];
}

/** Says if other components would fit these rows as well. This is about the sample, not about another one. */
export function describeUniqueness(model: Model): string[] {
  const { uniqueness, k, d } = model;
  if (model.origin === 'components')
    return ['The components come from other software: whether others fit the rows as well is not known.'];
  const { rank, subspace, axes } = uniqueness;
  const loose = axes.flatMap(({ determined }, i) => (determined ? [] : [i + 1]));
  const gap = subspace.gap;
  return [
    rank === k
      ? `${k === 1 ? 'The component has' : k === 2 ? 'Both components have' : `All ${k} components have`} variance above zero.`
      : `${rank === 0 ? 'None' : `Only ${rank}`} of the ${plural(k, 'component')} ${rank === 1 ? 'has' : 'have'} variance that can be told from zero: the rank of the data is ${rank}.`,
    loose.length === 0
      ? `The sample’s ${k === 1 ? 'component is' : 'components are'} unique apart from ${k === 1 ? 'its sign' : 'their signs'}: ${k === 1 ? 'no other axis fits' : 'no other axes fit'} these rows as well. Changing every number by half a unit in its last ${model.dtype} place would turn ${k === 1 ? 'it' : 'none'} by ${k === 1 ? 'no more' : 'more'} than ${degrees(Math.max(...axes.map(({ noiseAngle }) => noiseAngle)))}.`
      : `Not unique: ${loose.length === k ? (k === 1 ? 'the component' : k === 2 ? 'both components' : `all ${k} components`) : `${loose.length === 1 ? 'component' : 'components'} ${runs(loose)}`}. Other axes would fit these rows as well as ${loose.length === 1 ? 'this one' : 'these'}, so ${loose.length === 1 ? 'its' : 'their'} weights should not be interpreted one by one.`,
    // A single component is its own space.
    ...(k === 1 ? [] : [describeSubspace()]),
  ];

  function describeSubspace(): string {
    if (k === d) return 'The components span the whole space.';
    return subspace.determined
      ? `The space they span together is unique in this sample${gap === null || gap === 0 ? '' : `: the next variance is lower by ${formatNumber(gap)}`}.`
      : 'The space they span together is not unique: another one would keep as much variance of these rows.';
  }
}

/** The origin of a model: "fitted to 150 rows". */
export function describeOrigin({ origin, n }: Model): string {
  const rows = Number.isNaN(n) ? 'an unknown number of rows' : plural(n, 'row');
  if (origin === 'components') return `computed by other software from ${rows}`;
  return origin === 'covariance' ? `of a covariance matrix of ${rows}` : `fitted to ${rows}`;
}

function notChecked({ orthonormality }: Model['certificate']): string {
  return `Not checked: the components come from other software. They are orthonormal to ${formatNumber(orthonormality, 2)}.`;
}

/** 0.8 as 80 %. */
function percentMark(share: number): string {
  return `${Math.round(100 * share)}\u00a0%`;
}

function percentOf(relative: number): string {
  return relative >= 1e-4 ? percent(relative) : `a part of ${formatNumber(relative, 2)}`;
}
