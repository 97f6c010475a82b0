import type { Model, Warning } from '@scree/core';
import {
  certificateWords,
  count,
  neededComponents,
  percent,
  several,
  shareKept,
  show,
  spreadWords,
  uniquenessWords,
  varianceWords,
} from '@scree/core/describe';
import { columnNames, type NameOf } from './columns.js';
import {
  centreOf,
  describeErrors,
  describeLoss,
  describeScaling,
  isLossless,
  methodFacts,
  shareLost,
} from './describe-rows.js';
import { describeUnusual, explainUnusual } from './describe-unusual.js';
import { biplotFigure } from './figures/biplot-figure.js';
import type { Colouring } from './figures/colouring.js';
import { errorsFigure } from './figures/errors-figure.js';
import { type Figure, standaloneSvg, type Table } from './figures/figure.js';
import { loadingBarsFigure, loadingsFigure } from './figures/loadings-figures.js';
import { componentPictures, type ImageSize, reconstructionPictures } from './figures/picture-figures.js';
import { scoreHistogram, scoresFigure } from './figures/scores-figure.js';
import { uniquenessFigure } from './figures/uniqueness-figure.js';
import { unusualFigure } from './figures/unusual-figure.js';
import { cumulativeFigure, screeFigure } from './figures/variance-figures.js';
import { factList, figures, list, paragraphs, type Section, tableHtml, writePage } from './page.js';
import { escaped, plainText } from './plain-text.js';
import type { RowFacts } from './read-rows.js';
import type { Report } from './report.js';
import type { UnusualRows } from './unusual-rows.js';

export interface Contents {
  readonly model: Model;
  readonly facts: RowFacts;
  readonly unusual: UnusualRows;
  /** Name of the rows' file. */
  readonly rowsName: string | undefined;
  readonly colouring: Colouring;
  readonly image: ImageSize | undefined;
  readonly title: string;
  readonly description: string | undefined;
  readonly command: string | undefined;
  readonly describeWarning: (warning: Warning) => string;
  readonly seconds: number | undefined;
  readonly threads: number | undefined;
}

/** All that is known, as a page and as figures. */
export function composeReport(contents: Contents): Report {
  const { title, description } = contents;
  const parts = [
    varianceSection(contents),
    scoresSection(contents),
    columnsSection(contents),
    lossSection(contents),
    unusualSection(contents),
    certaintySection(contents),
    methodSection(contents),
  ];
  const html = writePage({
    title,
    description,
    cards: cards(contents),
    summary: summary(contents),
    sections: parts,
    foot: 'Made by scree. This page is one file: it fetches nothing and runs no scripts.',
  });
  return {
    html,
    figures: parts
      .flatMap(({ drawn }) => drawn)
      .map((figure) => ({ name: figure.name, title: figure.title, svg: standaloneSvg(figure) })),
  };
}

interface Part extends Section {
  readonly drawn: readonly Figure[];
}

/** The most important numbers. Of new rows and of the fit there are different ones. */
function cards({ model, facts, unusual }: Contents): [name: string, value: string][] {
  const { either } = unusual.counts;
  const known = unusual.unusualLimits.t2 !== null || unusual.unusualLimits.q !== null;
  const outliers: [string, string][] = either === undefined || !known ? [] : [['unusual rows', count(either)]];
  const kept = model.totalVariance === 0 ? '–' : percent(shareKept(model));
  const shape: [string, string][] = [
    ['columns', count(model.d)],
    ['components kept', count(model.k)],
  ];
  if (unusual.kind === 'new') {
    return [
      ['rows here', count(facts.rows)],
      ...outliers,
      ['lost of these rows', percent(shareLost(facts))],
      ['rows of the fit', count(model.n)],
      ['variance kept in the fit', kept],
      ...shape,
    ];
  }
  return [
    ['rows', count(facts.rows)],
    ...shape,
    ['variance kept', kept],
    ...neededComponents(model).map(({ share, components }): [string, string] => [
      `components for ${share}`,
      components,
    ]),
    ...outliers,
  ];
}

/** The most important facts: variance, unusual rows, warnings, accuracy. */
function summary(contents: Contents): string {
  const { model } = contents;
  const { axes, subspace } = model.uniqueness;
  const determined = subspace.determined && axes.every((axis) => axis.determined);
  const verdict = determined
    ? '<p class="good">The data determine every component, and the certificate bounds how far each can be off: see <a href="#certainty">how sure it is</a>.</p>\n'
    : '<p>Not everything here is determined by the data: see <a href="#certainty">how sure it is</a>.</p>\n';
  return [
    ...rowSentences(contents),
    model.warnings.length === 0
      ? verdict
      : `<p>${escaped(several(model.warnings.length, 'warning'))}:</p>\n${warnings(contents)}`,
  ].join('');
}

/** What is said first. Of new rows and of the fit separately: nothing about one follows from the other. */
function rowSentences(contents: Contents): string[] {
  const { model, facts, unusual, rowsName } = contents;
  const rows = `<a href="#unusual">${escaped(describeUnusual(unusual, facts))}</a>`;
  const variance = `${varianceWords(model).join(' ')} ${describeScaling(model)}`;
  if (unusual.kind === 'fit') return [`<p>${escaped(variance)}</p>\n`, `<p>${rows}</p>\n`];
  const name = rowsName === undefined ? (facts.rows === 1 ? 'this row' : 'these rows') : rowsName;
  const lost = isLossless(facts)
    ? 'Nothing is lost of them.'
    : `${describeLoss(model, facts, 'new')} is lost when ${facts.rows === 1 ? 'it is' : 'they are'} reconstructed.`;
  return [
    `<p>The model was fitted earlier, to ${escaped(several(model.n, 'row'))}. What is said of rows here, in scores, errors and unusual rows, is computed from the ${escaped(several(facts.rows, 'row'))} of <bdi>${escaped(name)}</bdi>.</p>\n`,
    `<p>About ${facts.rows === 1 ? 'this row' : `these ${escaped(count(facts.rows))} rows`}: ${escaped(lost)} ${rows}</p>\n`,
    `<p>About the fit: ${escaped(variance)}</p>\n`,
  ];
}

function warnings({ model, describeWarning }: Contents): string {
  return list(
    model.warnings.map((warning) => plainText(describeWarning(warning), 2000)),
    'notes',
  );
}

function varianceSection({ model, unusual }: Contents): Part {
  const drawn = model.totalVariance === 0 ? [] : [screeFigure(model), cumulativeFigure(model)];
  const title = unusual.kind === 'new' ? 'Variance in the fit' : 'Variance';
  return { id: 'variance', title, drawn, html: paragraphs(spreadWords(model)) + figures(drawn) };
}

function scoresSection({ model, facts, colouring, unusual }: Contents): Part {
  const drawn = scoreFigures(model, facts, colouring);
  const words =
    drawn.length === 0
      ? `${unusual.kind === 'new' ? 'Rows of the fit did not differ' : 'Rows do not differ'}, so there is nothing to draw.`
      : `The score of a row on a component says how far it lies along it from ${centreOf(model, unusual.kind)}. Rows that lie close together are alike in what the components keep.${unusual.kind === 'new' ? ' Percentages at the axes are shares of the variance in the fit.' : ''}`;
  return { id: 'scores', title: 'Scores', drawn, html: paragraphs([words]) + figures(drawn) };
}

/** Rows on pairs of components, as far as these have variance. */
function scoreFigures(model: Model, facts: RowFacts, colouring: Colouring): Figure[] {
  const { rank } = model.uniqueness;
  if (rank === 0) return [];
  if (rank === 1) return [scoreHistogram(model, facts, colouring)];
  const pairs = [[0, 1], ...(rank === 3 ? [[0, 2]] : rank > 3 ? [[2, 3]] : [])];
  return pairs.map(([first, second]) => scoresFigure(model, facts, colouring, first, second));
}

function columnsSection({ model, facts, colouring, image }: Contents): Part {
  if (image) {
    const drawn = [componentPictures(model, image), reconstructionPictures(model, facts, colouring, image)];
    return { id: 'components', title: 'Components', drawn, html: figures(drawn) };
  }
  const nameOf = columnNames(model);
  const drawn = [
    loadingsFigure(model, nameOf),
    ...(model.uniqueness.rank > 1 ? [biplotFigure(model, facts, colouring, nameOf)] : []),
    loadingBarsFigure(model, nameOf),
  ];
  return { id: 'components', title: 'Columns and components', drawn, html: figures(drawn) };
}

function lossSection({ model, facts, colouring, image, unusual: { kind } }: Contents): Part {
  const lossless = isLossless(facts);
  const drawn = lossless
    ? []
    : [
        errorsFigure(
          facts,
          model.scale.some((value) => value !== 1),
        ),
      ];
  const table = worstTable(facts, colouring, columnNames(model, image));
  const title = 'The rows farthest from their reconstruction';
  const html = lossless
    ? ''
    : `<h3>${title}</h3><p class="faint">Rows are counted from 1, as they are in the data. The squared error is in the units of the variances; the lost share is of the row’s squared distance from ${centreOf(model, kind)}. The columns named are those with most of the error, each with its share of it.</p>${tableHtml(table, title, 'scroll whole')}`;
  return {
    id: 'loss',
    title: 'What is lost',
    drawn,
    html: figures(drawn, paragraphs(describeErrors(model, facts, kind))) + html,
  };
}

function unusualSection({ model, facts, unusual, colouring }: Contents): Part {
  const known = unusual.unusualLimits.t2 !== null || unusual.unusualLimits.q !== null;
  const drawn = known ? [unusualFigure(unusual, facts, colouring)] : [];
  const words = paragraphs(explainUnusual(model, unusual, facts));
  return { id: 'unusual', title: 'Unusual rows', drawn, html: figures(drawn, words) };
}

function worstTable({ worst, numberOf }: RowFacts, colouring: Colouring, nameOf: NameOf): Table {
  const labelled = colouring.groups.length > 0 || colouring.range !== undefined;
  return {
    columns: ['row', ...(labelled ? [colouring.name] : []), 'squared error', 'distance', 'lost share', 'most of it in'],
    rows: worst.map(({ row, error, share, columns }) => [
      String(numberOf(row)),
      ...(labelled ? [colouring.labelOf(row) ?? ''] : []),
      show(error, 6),
      show(Math.sqrt(error)),
      percent(share),
      columns.map((part) => `${nameOf(part.column)} (${percent(part.share)})`).join(', '),
    ]),
  };
}

function certaintySection(contents: Contents): Part {
  const { model } = contents;
  const drawn = [uniquenessFigure(model)];
  const words = [
    '<h3>Is it unique?</h3>',
    paragraphs(uniquenessWords(model)),
    '<h3>How far can it be off?</h3>',
    list(certificateWords(model)),
    model.warnings.length > 0 ? `<h3>Warnings</h3>${warnings(contents)}` : paragraphs(['There are no warnings.']),
  ];
  return { id: 'certainty', title: 'How sure it is', drawn, html: figures(drawn, words.join('')) };
}

function methodSection({ model, facts, unusual, command, seconds, threads }: Contents): Part {
  const html = [
    factList(methodFacts(model, facts, unusual.kind, { seconds, threads })),
    ...(command === undefined
      ? []
      : [
          `<h3>To make this report again</h3><pre tabindex="0"><code>${escaped(plainText(command, 4000))}</code></pre>`,
        ]),
  ];
  return { id: 'method', title: 'How it was computed', drawn: [], html: html.join('') };
}
