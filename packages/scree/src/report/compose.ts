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
import { describeErrors, isLossless, methodFacts } from './describe-rows.js';
import { biplotFigure } from './figures/biplot-figure.js';
import type { Colouring } from './figures/colouring.js';
import { errorsFigure } from './figures/errors-figure.js';
import { type Figure, standaloneSvg, type Table } from './figures/figure.js';
import { loadingBarsFigure, loadingsFigure } from './figures/loadings-figures.js';
import { componentPictures, type ImageSize, reconstructionPictures } from './figures/picture-figures.js';
import { scoreHistogram, scoresFigure } from './figures/scores-figure.js';
import { uniquenessFigure } from './figures/uniqueness-figure.js';
import { cumulativeFigure, screeFigure } from './figures/variance-figures.js';
import { factList, figures, list, paragraphs, type Section, tableHtml, writePage } from './page.js';
import { escaped, plainText } from './plain-text.js';
import type { RowFacts } from './read-rows.js';
import type { Report } from './report.js';

export interface Contents {
  readonly model: Model;
  readonly facts: RowFacts;
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
  const { model, title, description } = contents;
  const parts = [
    varianceSection(contents),
    scoresSection(contents),
    columnsSection(contents),
    lossSection(contents),
    certaintySection(contents),
    methodSection(contents),
  ];
  const html = writePage({
    title,
    description,
    cards: [
      ['rows', count(model.n)],
      ['columns', count(model.d)],
      ['components kept', count(model.k)],
      ['variance kept', model.totalVariance === 0 ? '–' : percent(shareKept(model))],
      ...neededComponents(model).map(({ share, components }) => [`components for ${share}`, components] as const),
    ],
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

/** The most important facts: variance, warnings, accuracy. */
function summary(contents: Contents): string {
  const { model } = contents;
  const { axes, subspace } = model.uniqueness;
  const determined = subspace.determined && axes.every((axis) => axis.determined);
  const verdict = determined
    ? '<p class="good">The data determine every component, and the certificate bounds how far each can be off: see <a href="#certainty">how sure it is</a>.</p>\n'
    : '<p>Not everything here is determined by the data: see <a href="#certainty">how sure it is</a>.</p>\n';
  return [
    `<p>${escaped(varianceWords(model).join(' '))}</p>\n`,
    model.warnings.length === 0
      ? verdict
      : `<p>${escaped(several(model.warnings.length, 'warning'))}:</p>\n${warnings(contents)}`,
  ].join('');
}

function warnings({ model, describeWarning }: Contents): string {
  return list(
    model.warnings.map((warning) => plainText(describeWarning(warning), 2000)),
    'notes',
  );
}

function varianceSection({ model }: Contents): Part {
  const drawn = model.totalVariance === 0 ? [] : [screeFigure(model), cumulativeFigure(model)];
  return { id: 'variance', title: 'Variance', drawn, html: paragraphs(spreadWords(model)) + figures(drawn) };
}

function scoresSection({ model, facts, colouring }: Contents): Part {
  const drawn = scoreFigures(model, facts, colouring);
  const words =
    drawn.length === 0
      ? 'Rows do not differ, so there is nothing to draw.'
      : `The score of a row on a component says how far it lies along it from ${centreOf(model)}. Rows that lie close together are alike in what the components keep.`;
  return { id: 'scores', title: 'Scores', drawn, html: paragraphs([words]) + figures(drawn) };
}

/** Where distances and scores begin. */
function centreOf({ centered }: Model): string {
  return centered ? 'the mean' : 'the origin';
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

function lossSection({ model, facts, colouring, image }: Contents): Part {
  const lossless = isLossless(model, facts);
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
    : `<h3>${title}</h3><p class="faint">Rows are counted from 1, as they are in the data. The squared error is in the units of the variances; the lost share is of the row’s squared distance from ${centreOf(model)}. The columns named are those with most of the error, each with its share of it.</p>${tableHtml(table, title, 'scroll whole')}`;
  return {
    id: 'loss',
    title: 'What is lost',
    drawn,
    html: figures(drawn, paragraphs(describeErrors(model, facts))) + html,
  };
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

function methodSection({ model, facts, command, seconds, threads }: Contents): Part {
  const html = [
    factList(methodFacts(model, facts, { seconds, threads })),
    ...(command === undefined
      ? []
      : [
          `<h3>To make this report again</h3><pre tabindex="0"><code>${escaped(plainText(command, 4000))}</code></pre>`,
        ]),
  ];
  return { id: 'method', title: 'How it was computed', drawn: [], html: html.join('') };
}
