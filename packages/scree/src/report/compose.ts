import type { Choice, Criterion, Model, Warning } from '@scree/core';
import {
  certificateWords,
  choiceWords,
  count,
  criterionLines,
  describeComponent,
  neededComponents,
  percent,
  roundingWords,
  several,
  shareKept,
  show,
  spreadWords,
  stabilityWords,
  uniquenessWords,
  varianceBiasWords,
  varianceWords,
} from '@scree/core/describe';
import { hasCategories } from '@scree/core/engine';
import { columnNames, type NameOf } from './columns.js';
import { componentsWorth, describeFit, withComponents } from './describe-lead.js';
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
import { type Colouring, rowColumns } from './figures/colouring.js';
import { cumulativeFigure } from './figures/cumulative-figure.js';
import { errorsFigure } from './figures/errors-figure.js';
import { type Figure, standaloneSvg, type Table } from './figures/figure.js';
import { intervalsFigure } from './figures/intervals-figure.js';
import { loadingBarsFigure, loadingsFigure } from './figures/loadings-figures.js';
import { componentPictures, type ImageSize, reconstructionPictures } from './figures/picture-figures.js';
import { scoreHistogram, scoresFigure } from './figures/scores-figure.js';
import { screeFigure } from './figures/scree-figure.js';
import { stabilityFigure } from './figures/stability-figure.js';
import { uniquenessFigure } from './figures/uniqueness-figure.js';
import { unusualFigure } from './figures/unusual-figure.js';
import { factList, figures, folded, list, paragraphs, type Section, tableHtml, writePage } from './page.js';
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
  /** Why the model does not say how many components to keep, or how stable they are. */
  readonly notComputed: { readonly choice?: string; readonly stability?: string };
  readonly describeWarning: (warning: Warning) => string;
  readonly seconds: number | undefined;
  readonly threads: number | undefined;
}

/** All that is known, as a page and as figures. */
export function composeReport(contents: Contents): Report {
  const { title, description } = contents;
  const parts = [
    varianceSection(contents),
    certaintySection(contents),
    scoresSection(contents),
    columnsSection(contents),
    lossSection(contents),
    unusualSection(contents),
    methodSection(contents),
  ];
  const html = writePage({
    title,
    description,
    lead: lead(contents),
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
  const { choice, totalVariance } = model;
  const { either } = unusual.counts;
  const known = unusual.unusualLimits.t2 !== null || unusual.unusualLimits.q !== null;
  const outliers: [string, string][] = either === undefined || !known ? [] : [['unusual rows', count(either)]];
  const kept = totalVariance === 0 ? '–' : percent(shareKept(model));
  const shape: [string, string][] = [
    ['columns', count(model.d)],
    ['components', count(model.k)],
    ...(choice && totalVariance > 0 ? [['recommended', count(choice.k)] as [string, string]] : []),
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

/**
 * What is said first: how many components, how sure, what decides them, unusual rows. Of new rows and of the fit separately: nothing
 * about one follows from the other.
 */
function lead(contents: Contents): string {
  const { model, facts, unusual, rowsName, image } = contents;
  const fit = describeFit(model, columnNames(model, image));
  if (unusual.kind === 'fit') {
    const same = model.totalVariance > 0 ? [] : varianceWords(model);
    const rows = describeUnusual(unusual, facts, withComponents(model));
    return `<p class="lead">${escaped([...same, ...fit, rows].join(' '))}</p>\n`;
  }
  const name = rowsName === undefined ? (facts.rows === 1 ? 'this row' : 'these rows') : rowsName;
  const lost = isLossless(facts)
    ? 'Nothing is lost of them.'
    : `${describeLoss(model, facts, 'new')} is lost when ${facts.rows === 1 ? 'it is' : 'they are'} reconstructed.`;
  return [
    `<p class="lead">About ${facts.rows === 1 ? 'this row' : `these ${escaped(count(facts.rows))} rows`}: ${escaped(`${describeUnusual(unusual, facts)} ${lost}`)}</p>\n`,
    ...(fit.length === 0 ? [] : [`<p class="lead">About the fit: ${escaped(fit.join(' '))}</p>\n`]),
    `<p>The model was fitted earlier, to ${escaped(several(model.n, 'row'))}. What is said of rows here, in scores, errors and unusual rows, is computed from the ${escaped(several(facts.rows, 'row'))} of <bdi>${escaped(name)}</bdi>.</p>\n`,
  ].join('');
}

/** Variance, scaling and warnings. */
function summary(contents: Contents): string {
  const { model, unusual } = contents;
  const variance = model.totalVariance > 0 ? `${varianceWords(model).join(' ')} ` : '';
  const about = unusual.kind === 'new' ? 'About the fit: ' : '';
  const { length } = model.warnings;
  return [
    `<p>${escaped(`${about}${variance}${describeScaling(model)}`)}</p>\n`,
    ...(length === 0 ? [] : [`<p>${escaped(several(length, 'warning'))}:</p>\n${warnings(contents)}`]),
  ].join('');
}

function warnings({ model, describeWarning }: Contents): string {
  return list(
    model.warnings.map((warning) => plainText(describeWarning(warning), 2000)),
    'notes',
  );
}

function varianceSection({ model, unusual, notComputed }: Contents): Part {
  const { choice } = model;
  const drawn = model.totalVariance === 0 ? [] : [screeFigure(model), cumulativeFigure(model)];
  const title = unusual.kind === 'new' ? 'How many components, in the fit' : 'How many components';
  // The reason itself is the first sentence of the page.
  const advice = choice ? choiceWords(choice).slice(1) : notComputed.choice === undefined ? [] : [notComputed.choice];
  const words = [...(drawn.length > 0 ? advice : []), ...spreadWords(model)];
  const table = choice && drawn.length > 0 ? criteriaTable(choice) : '';
  return { id: 'variance', title, drawn, html: paragraphs(words) + figures(drawn) + table };
}

/** What each criterion says, in its own words. */
function criteriaTable(choice: Choice): string {
  const rows = criterionLines(choice).map(({ name, k, sentence }, i) => [
    name,
    k,
    whyNot(choice.criteria[i]) ?? sentence,
  ]);
  const table = { columns: ['criterion', 'keeps', 'what it says'], rows };
  return folded('What each criterion says', tableHtml(table, 'What each criterion says', 'scroll whole'));
}

function scoresSection({ model, facts, colouring, unusual }: Contents): Part {
  const drawn = scoreFigures(model, facts, colouring, unusual.complete ? unusual.unusual : []);
  const words =
    drawn.length === 0
      ? `${unusual.kind === 'new' ? 'Rows of the fit did not differ' : 'Rows do not differ'}, so there is nothing to draw.`
      : `The score of a row on a component says how far it lies along it from ${centreOf(model, unusual.kind)}. Rows that lie close together are alike in what the components keep.${unusual.kind === 'new' ? ' Percentages at the axes are shares of the variance in the fit.' : ''}`;
  return { id: 'scores', title: 'Scores', drawn, html: paragraphs([words]) + figures(drawn) };
}

/** Rows on pairs of components, as far as these have variance. */
function scoreFigures(model: Model, facts: RowFacts, colouring: Colouring, unusual: UnusualRows['unusual']): Figure[] {
  const { rank } = model.uniqueness;
  if (rank === 0) return [];
  if (rank === 1) return [scoreHistogram(model, facts, colouring)];
  const pairs = [[0, 1], ...(rank === 3 ? [[0, 2]] : rank > 3 ? [[2, 3]] : [])];
  return pairs.map(([first, second]) => scoresFigure(model, facts, colouring, unusual, first, second));
}

function columnsSection({ model, facts, colouring, image, unusual }: Contents): Part {
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
  const sentences = componentSentences(model);
  const words =
    sentences.length === 0
      ? ''
      : paragraphs([
          `Rows ${unusual.kind === 'new' ? 'of the fit ' : ''}with a high score have, as far as that is significant (5 %, after Holm):`,
        ]) + list(sentences);
  return { id: 'components', title: 'Columns and components', drawn, html: words + figures(drawn) };
}

/** What the components mean that are worth speaking of. Models of version 0.1.0 do not know enough. */
function componentSentences(model: Model): string[] {
  if (!model.columnVariances || model.choice?.k === 0) return [];
  const sentences = Array.from({ length: componentsWorth(model) }, (_, c) => describeComponent(model, c));
  return sentences.flatMap((sentence) => (sentence === undefined ? [] : [plainText(sentence, 2000)]));
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
  const rough =
    model.coding && hasCategories(model.coding)
      ? ['The limits are for columns of normally distributed numbers. With categories they are only a rough guide.']
      : [];
  const words = paragraphs([...explainUnusual(model, unusual, facts), ...rough]);
  return { id: 'unusual', title: 'Unusual rows', drawn, html: figures(drawn, words) };
}

function worstTable(facts: RowFacts, colouring: Colouring, nameOf: NameOf): Table {
  const { titles, cells } = rowColumns(facts, colouring);
  return {
    columns: [...titles, 'squared error', 'distance', 'lost share', 'most of it in'],
    rows: facts.worst.map(({ row, error, share, columns }) => [
      ...cells(row),
      show(error, 6),
      show(Math.sqrt(error)),
      percent(share),
      columns.map((part) => `${nameOf(part.column)} (${percent(part.share)})`).join(', '),
    ]),
  };
}

/** Why a criterion does not apply, without advice that names options of the library. */
function whyNot({ obstacle }: Criterion): string | undefined {
  if (obstacle === 'correlation') return 'It is for correlations, and these columns have different variances.';
  if (obstacle === 'rows' || obstacle === 'folds') return 'It is computed from rows, and these were not at hand.';
  return undefined;
}

function certaintySection({ model, image, unusual, notComputed }: Contents): Part {
  const { stability } = model;
  const sampling =
    stability && model.totalVariance > 0
      ? [
          stabilityFigure(stability),
          ...(image || !model.columnVariances
            ? []
            : [intervalsFigure(model, stability, columnNames(model), componentsWorth(model))]),
        ]
      : [];
  const rounding = uniquenessFigure(model);
  const words =
    sampling.length > 0 && stability
      ? paragraphs([...stabilityWords(stability), ...varianceBiasWords(model)])
      : paragraphs([
          model.totalVariance > 0
            ? `No bootstrap was made, so nothing is known about other samples. ${notComputed.stability ?? 'Fit the model with bootstrap: 200 to make one.'}`
            : 'There is no variance, so there is nothing to be sure of.',
        ]);
  const certificate = [paragraphs(uniquenessWords(model)), list(certificateWords(model)), figures([rounding])].join('');
  const html = [
    ...(unusual.kind === 'new' ? [paragraphs(['In this section, rows are those of the fit.'])] : []),
    figures(sampling, `<h3>Other samples</h3>${words}`),
    '<h3>Rounding</h3>',
    paragraphs([roundingWords(model)]),
    folded('The certificate: how far rounding can be off', certificate),
  ];
  const title = unusual.kind === 'new' ? 'How sure the fit is' : 'How sure it is';
  return { id: 'certainty', title, drawn: [...sampling, rounding], html: html.join('') };
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
