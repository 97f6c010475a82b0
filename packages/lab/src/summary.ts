import { degrees, number, percent, plural } from './format.js';
import type { Fit } from './messages.js';

/** The fit in words, as headings and paragraphs. Everything is set as text: names in data may be anything. */
export function summary(fit: Fit): HTMLElement[] {
  const { warnings } = fit;
  return [
    ...part('How it was computed', [`${fit.plan.reason} Solver ${fit.plan.solver}, engine ${fit.plan.engine}.`]),
    ...part('Variance', [variance(fit)]),
    ...part('How exact it is', certificate(fit)),
    ...part('What the data determine', [determined(fit)]),
    ...(warnings.length > 0
      ? part(
          plural(warnings.length, 'warning'),
          warnings.map(({ message }) => message),
          'warning',
        )
      : []),
  ];
}

function part(title: string, sentences: readonly string[], className = ''): HTMLElement[] {
  const heading = document.createElement('h3');
  heading.textContent = title;
  const paragraphs = sentences.map((sentence) => {
    const paragraph = document.createElement('p');
    paragraph.textContent = sentence;
    paragraph.className = className;
    return paragraph;
  });
  return [heading, ...paragraphs];
}

function variance({ totalVariance, varianceRatios, n, components }: Fit): string {
  const together = varianceRatios.reduce((sum, ratio) => sum + ratio, 0);
  return (
    `The ${plural(n, 'row')} of ${plural(components.cols, 'column')} have a total variance of ${number(totalVariance)}. ` +
    `${components.rows === 1 ? 'The one component explains' : `The ${components.rows} components together explain`} ${percent(together)} of it.`
  );
}

function certificate({ certificate: { residuals, angleBounds, orthonormality } }: Fit): string[] {
  const angle = Math.max(...angleBounds);
  const worst = angleBounds.indexOf(angle) + 1;
  return [
    `The largest residual is ${number(Math.max(...residuals))} of the largest variance: so closely holds covariance · v = variance · v, the equation that makes v a component.`,
    angle >= Math.PI / 2
      ? `Of the direction of component ${worst} nothing is certain: it may be turned by any angle.`
      : `No component is turned from the exact one by more than ${degrees(angle)} (the least certain is component ${worst}).`,
    `The components have length 1 and stand at right angles to each other${orthonormality === 0 ? '' : `, to within ${number(orthonormality)}`}.`,
  ];
}

function determined({ uniqueness: { axes, subspace } }: Fit): string {
  const loose = axes.flatMap((axis, i) => (axis.determined ? [] : [i + 1]));
  if (loose.length === 0) return 'The data determine every component, apart from its sign.';
  const which = loose.length > 8 ? `${loose.slice(0, 8).join(', ')} and ${loose.length - 8} more` : loose.join(', ');
  return (
    `The data do not determine the direction of ${loose.length === 1 ? 'component' : 'components'} ${which}. ` +
    `${subspace.determined ? 'They do determine' : 'Nor do they determine'} the space that all components span together.`
  );
}
