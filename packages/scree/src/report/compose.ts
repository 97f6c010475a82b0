import type { Analysis, Finding, Groups, NotComputed, Reason, RowFacts } from '@scree/analysis';
import {
  count,
  criterionLines,
  describeBetween,
  describeCertificate,
  describeChoice,
  describeFinding,
  describeMeaning,
  describeOrigin,
  describeReasons,
  describeRounding,
  describeScale,
  describeSecondLook,
  describeSpreads,
  describeStability,
  describeUniqueness,
  describeUnusual,
  describeVarianceBias,
  describeVariances,
  explainUnusual,
  firstComponents,
  formatNumber,
  hasAllComponents,
  hasLimits,
  neededComponents,
  percent,
  plural,
  rowOrderOf,
  shareKept,
} from '@scree/analysis/describe';
import type { Choice, Criterion, Model, Warning } from '@scree/core';
import { fixedDecimals, type NameOf, shownColumnNames } from './columns.js';
import {
  centreOf,
  describeErrors,
  describeLoss,
  describeScaling,
  isLossless,
  methodFacts,
  shareLost,
} from './describe-rows.js';
import { categoryCentres, numericColumns } from './encoded-columns.js';
import { biplotFigure } from './figures/biplot-figure.js';
import { centresFigure } from './figures/centres-figure.js';
import { circleFigure } from './figures/circle-figure.js';
import { chooseColours, type RowColours, rowColumns } from './figures/colouring.js';
import { contributionsFigure } from './figures/contributions-figure.js';
import { controlFigure } from './figures/control-figure.js';
import { cumulativeFigure } from './figures/cumulative-figure.js';
import { errorsFigure } from './figures/errors-figure.js';
import { type Figure, type FigureTable, standaloneSvg } from './figures/figure.js';
import { intervalsFigure } from './figures/intervals-figure.js';
import { loadingsFigure, rotationFigure } from './figures/loadings-figures.js';
import { outlierMapFigure } from './figures/outlier-map-figure.js';
import { componentPictures, type ImageSize, reconstructionPictures } from './figures/picture-figures.js';
import { type RowPoint, toPoints } from './figures/points.js';
import { qualityFigure } from './figures/quality-figure.js';
import { type SupplementaryPoint, scoreHistogram, scoresFigure } from './figures/scores-figure.js';
import { screeFigure } from './figures/scree-figure.js';
import { stabilityFigure } from './figures/stability-figure.js';
import { uniquenessFigure } from './figures/uniqueness-figure.js';
import { unusualFigure } from './figures/unusual-figure.js';
import { factList, figures, folded, htmlList, paragraphs, type Section, tableHtml, writePage } from './page.js';
import { escaped, plainText } from './plain-text.js';
import type { Report } from './report.js';

/** An analysis whose rows were read. */
type ReadAnalysis = Omit<Analysis, 'rowFacts' | 'first' | 'rows' | 'toJSON'> & { readonly rowFacts: RowFacts };

export interface ReportParts {
  readonly analysis: ReadAnalysis;
  readonly colouring: RowColours;
  readonly image: ImageSize | undefined;
  /** Name of the rows' file. */
  readonly rowsName: string | undefined;
  readonly title: string;
  readonly description: string | undefined;
  readonly command: string | undefined;
  readonly describeWarning: (warning: Warning) => string;
  readonly describeReason: (part: keyof NotComputed, reason: Reason) => string;
  readonly seconds: number | undefined;
  readonly threads: number | undefined;
}

interface Contents
  extends Omit<ReportParts, 'analysis' | 'describeReason'>,
    Omit<ReadAnalysis, 'rowFacts' | 'notComputed' | 'supplementaryRows' | 'seconds'> {
  readonly facts: RowFacts;
  readonly supplementaryRows: readonly SupplementaryPoint[];
  /** One sentence per missing part of the analysis, with the reason. */
  readonly notComputed: ReturnType<typeof describeReasons>;
  /** The findings that the page begins with. */
  readonly leading: readonly Finding[];
  /** Number of components that the page describes: the kept ones, and at least one. */
  readonly worth: number;
}

/** Findings that the page begins with. */
const MOST_FINDINGS = 5;

function contentsOf({ analysis, describeReason, ...parts }: ReportParts): Contents {
  const { rowFacts: facts, notComputed, supplementaryRows, model, kept, findings, ...record } = analysis;
  // The page lists the meanings of components separately, so findings about components are left out here.
  const said = findings.filter(({ code }) => code !== 'COMPONENT' && code !== 'SCALING');
  const { colouring } = parts;
  const groups = facts.groups ?? analysis.supplementary.groups.find(({ name }) => plainText(name) === colouring.name);
  return {
    ...record,
    ...parts,
    ...{ model, kept, findings },
    facts: { ...facts, ...(groups && colouring.hasLevels ? { groups } : {}) },
    leading: model.totalVariance > 0 ? said.slice(0, MOST_FINDINGS) : [],
    notComputed: describeReasons(notComputed, describeReason),
    supplementaryRows: pointsOf(supplementaryRows),
    worth: Math.max(1, Math.min(kept, model.k, model.uniqueness.rank)),
  };
}

/** Supplementary rows as points, with their names or numbers. */
function pointsOf(rows: Analysis['supplementaryRows']): SupplementaryPoint[] {
  if (!rows) return [];
  const { data, cols } = rows.found.scores;
  return rows.numbers.map((number, i) => ({
    name: plainText(rows.names[i] ?? String(number)),
    scores: data.subarray(i * cols, (i + 1) * cols),
  }));
}

/** Makes the page and its figures. */
export function composeReport(known: ReportParts): Report {
  const contents = contentsOf(known);
  const { title, description } = contents;
  const parts = [
    varianceSection(contents),
    certaintySection(contents),
    scoresSection(contents),
    columnsSection(contents),
    lossSection(contents),
    ...(contents.between ? [] : [unusualSection(contents)]),
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
  const names = longNames(contents);
  return {
    html,
    figures: parts
      .flatMap(({ drawn }) => drawn)
      .map((figure) => ({ name: figure.name, title: figure.title, svg: standaloneSvg(figure, names) })),
  };
}

/** Names of columns, groups and rows that figures may cut. */
function longNames(contents: Contents): string[] {
  const { model, facts, colouring, supplementary, supplementaryRows, image } = contents;
  const nameOf = shownColumnNames(model, image);
  const names = [
    ...Array.from({ length: model.d }, (_, j) => nameOf(j)),
    ...colouring.groups.map(({ name }) => name),
    colouring.name,
    ...supplementary.columns.flatMap(({ name }) => (name === undefined ? [] : [plainText(name)])),
    ...supplementary.groups.flatMap(({ name, levels }) =>
      [name, ...levels.map(({ level }) => level)].map((name) => plainText(name)),
    ),
    ...categoryCentres(contents).flatMap(({ column, level }) => [column, level]),
    ...supplementaryRows.map(({ name }) => name),
    ...facts.sample.flatMap(({ row }) => facts.nameOf?.(row) ?? []),
  ];
  return [...new Set(names)].filter((name) => [...name].length > SHORT_NAME);
}

/** Names up to this length are never cut. */
const SHORT_NAME = 15;

interface Part extends Section {
  readonly drawn: readonly Figure[];
}

/** The most important numbers. New rows have other numbers than the rows of the fit. */
function cards({ model, facts, kind, compared, between }: Contents): [name: string, value: string][] {
  const { choice, totalVariance } = model;
  const found = compared && hasLimits(compared.found) ? compared.found.counts.either : undefined;
  const outliers: [string, string][] = found === undefined ? [] : [['unusual rows', count(found)]];
  const kept = !(totalVariance > 0) ? '–' : percent(shareKept(model));
  const shape: [string, string][] = [
    ['columns', count(model.coding?.columns.length ?? model.d)],
    ['components', count(model.k)],
    ...(choice && totalVariance > 0 ? [['recommended', count(choice.k)] as [string, string]] : []),
  ];
  if (between) {
    return [
      ['rows', count(facts.rows)],
      ['groups', count(between.groups.length)],
      ...shape,
      ['variance between groups', percent(between.share)],
    ];
  }
  if (kind === 'new') {
    return [
      ['rows here', count(facts.rows)],
      ...outliers,
      ['lost of these rows', percent(shareLost(facts))],
      ['rows of the fit', Number.isNaN(model.n) ? 'unknown' : count(model.n)],
      ['variance kept in the fit', kept],
      ...shape,
    ];
  }
  return [
    ['rows', count(facts.rows)],
    ...shape,
    ...(hasAllComponents(model) ? [] : [['variance kept', kept] as [string, string]]),
    ...neededComponents(model).map(({ share, components }): [string, string] => [
      `components for ${share}`,
      components,
    ]),
    ...outliers,
  ];
}

/**
 * The most important findings, most important first. Findings about new rows and findings about the fit are separate, because neither
 * follows from the other.
 */
function lead(contents: Contents): string {
  const { model, facts, kind, compared, rowsName, between, leading } = contents;
  const ofRows = ({ code }: Finding): boolean => code === 'UNUSUAL_ROWS' || code === 'NO_UNUSUAL_ROWS';
  const sentences = (findings: readonly Finding[]): string[] =>
    findings.map((finding) => plainText(describeFinding(finding, contents, contents.describeWarning), 2000));
  // A single column has one direction, whatever the sample.
  const unknown = !model.stability && model.d > 1 && model.totalVariance > 0;
  const samples = unknown ? ['No bootstrap was made, so nothing is known here about other samples.'] : [];
  if (kind === 'fit') {
    const first = between ? [describeBetween(between)] : model.totalVariance > 0 ? [] : describeVariances(model);
    const words = [...first, ...sentences(leading), ...samples];
    return `${words.length === 0 ? '' : `<p class="lead">${escaped(words.join(' '))}</p>\n`}${meanings(contents)}`;
  }
  const fit = [...sentences(leading.filter((finding) => !ofRows(finding))), ...samples];
  const rows = compared ? [describeUnusual(compared.found, compared.facts)] : [];
  const name = rowsName === undefined ? (facts.rows === 1 ? 'this row' : 'these rows') : rowsName;
  const lost = isLossless(facts)
    ? 'Nothing is lost of them.'
    : `${describeLoss(model, facts, 'new')} is lost when ${facts.rows === 1 ? 'it is' : 'they are'} reconstructed.`;
  return [
    `<p class="lead">About ${facts.rows === 1 ? 'this row' : `these ${escaped(count(facts.rows))} rows`}: ${escaped([...rows, lost].join(' '))}</p>\n`,
    ...(fit.length === 0 ? [] : [`<p class="lead">About the fit: ${escaped(fit.join(' '))}</p>\n`]),
    meanings(contents),
    `<p>The model was ${escaped(model.origin ? describeOrigin(model) : `fitted earlier, to ${plural(model.n, 'row')}`)}. What is said of rows here, in scores, errors and unusual rows, is computed from the ${escaped(plural(facts.rows, 'row'))} of <bdi>${escaped(name)}</bdi>.</p>\n`,
  ].join('');
}

/** Maximum number of sentences about components at the beginning of the page. */
const MOST_SENTENCES = 6;

/** The meanings of the kept components. */
function meanings({ meaning, model, kept, worth, kind }: Contents): string {
  if (model.choice?.k === 0 && kept === 0) return '';
  const sentences = meaning.slice(0, Math.min(MOST_SENTENCES, worth)).flatMap((each) => {
    const sentence = each && describeMeaning(each);
    return sentence === undefined ? [] : [plainText(sentence, 2000)];
  });
  if (sentences.length === 0) return '';
  const whose = kind === 'new' ? 'in the fit ' : '';
  return `<p>A high score ${whose}goes with the following, as far as that is significant (5 %, after Holm):</p>\n${htmlList(sentences)}`;
}

/** Variance, scaling, and the warnings that the page does not begin with. */
function summary({ model, kind, between, leading, describeWarning, scaling }: Contents): string {
  const variance = model.totalVariance > 0 && !between ? describeVariances(model) : [];
  const about = kind === 'new' ? 'About the fit: ' : '';
  const others = model.warnings.filter(({ message }) => leading.every((finding) => finding.message !== message));
  const more = others.length < model.warnings.length ? 'more warning' : 'warning';
  const notes = others.map((warning) => plainText(describeWarning(warning), 2000));
  return [
    `<p>${escaped(`${about}${[...variance, scaling ? describeScale(scaling, { option: (rule) => `--scale ${rule}` }) : describeScaling(model)].join(' ')}`)}</p>\n`,
    ...(notes.length === 0 ? [] : [`<p>${escaped(plural(notes.length, more))}:</p>\n${htmlList(notes, 'notes')}`]),
  ].join('');
}

function varianceSection({ model, kind, notComputed, between }: Contents): Part {
  const { choice } = model;
  const drawn = model.totalVariance === 0 ? [] : [screeFigure(model), cumulativeFigure(model)];
  const title = kind === 'new' ? 'How many components, in the fit' : 'How many components';
  const advice = choice ? describeChoice(choice) : notComputed.choice === undefined ? [] : [notComputed.choice];
  const words = [...(drawn.length > 0 ? advice : []), ...(between ? [] : describeSpreads(model))];
  const table = choice && drawn.length > 0 ? criteriaTable(choice) : '';
  return { id: 'variance', title, drawn, html: paragraphs(words) + figures(drawn) + table };
}

/** One sentence per criterion. */
function criteriaTable(choice: Choice): string {
  const rows = criterionLines(choice).map(({ name, k, sentence }, i) => [
    name,
    k,
    whyNot(choice.criteria[i]) ?? sentence,
  ]);
  const table = { columns: ['criterion', 'keeps', 'what it says'], rows };
  return folded('What each criterion says', tableHtml(table, 'What each criterion says', 'scroll whole'));
}

function scoresSection(contents: Contents): Part {
  const { model, kind } = contents;
  const drawn = [...scoreFigures(contents), ...centreFigures(contents)];
  const words =
    drawn.length === 0
      ? `${kind === 'new' ? 'Rows of the fit did not differ' : 'Rows do not differ'}, so there is nothing to draw.`
      : `The score of a row on a component says how far it lies along it from ${centreOf(model, kind)}. Rows that lie close together are alike in what the components keep.${kind === 'new' ? ' Percentages at the axes are shares of the variance in the fit.' : ''}`;
  const html = paragraphs([words]) + figures(drawn) + groupsTable(contents) + covariatesTable(contents);
  return { id: 'scores', title: 'Scores', drawn, html };
}

/** Pairs of components to draw. Components without variance are left out. */
function pairsOf({ uniqueness: { rank } }: Model): [number, number][] {
  return [[0, 1], ...(rank === 3 ? [[0, 2] as [number, number]] : rank > 3 ? [[2, 3] as [number, number]] : [])];
}

function scoreFigures({ model, facts, colouring, compared, supplementaryRows }: Contents): Figure[] {
  const { rank } = model.uniqueness;
  if (rank === 0) return [];
  if (rank === 1) return [scoreHistogram(model, facts, colouring)];
  const marked = compared?.found.complete ? compared.found.unusual : [];
  return pairsOf(model).map(([first, second]) =>
    scoresFigure(model, facts, colouring, marked, supplementaryRows, first, second),
  );
}

/** Centres of the groups that have no colour, and of the categories of the fit. */
function centreFigures(contents: Contents): Figure[] {
  const { model, facts, colouring, supplementary } = contents;
  if (model.uniqueness.rank < 2) return [];
  const groups = supplementary.groups.flatMap(({ name, levels }) =>
    plainText(name) === colouring.name && colouring.hasLevels
      ? []
      : levels.map(({ level, n, center }) => ({ column: plainText(name), level: plainText(level), n, center })),
  );
  const categories = categoryCentres(contents);
  return [
    ...(groups.length > 0 ? [centresFigure(model, groups, 'groups', [0, 1], rowsBehind(facts))] : []),
    ...(categories.length > 0 ? [centresFigure(model, categories, 'categories', [0, 1])] : []),
  ];
}

/** Rows drawn in grey behind other marks. Only some are drawn, because more would hide one another. */
function rowsBehind(facts: RowFacts): RowPoint[] {
  const every = Math.ceil(facts.sample.length / MOST_BEHIND);
  return toPoints(facts, chooseColours(undefined), 0, 1)
    .filter((_, i) => i % every === 0)
    .map((point) => ({ ...point, colour: 'var(--faint)' }));
}

const MOST_BEHIND = 800;

/** All groups of rows: those of the colours, and those that were asked for. */
function groupsOf({ facts, supplementary }: Contents): Groups[] {
  const asked = supplementary.groups;
  const ofColours = facts.groups && !asked.some(({ name }) => plainText(name) === facts.groups?.name);
  return [...(ofColours && facts.groups ? [facts.groups] : []), ...asked];
}

/** Components, and levels, of the table of groups. */
const GROUP_COMPONENTS = 4;
const GROUP_LEVELS = 200;

function groupsTable(contents: Contents): string {
  const { model, kind } = contents;
  const groups = groupsOf(contents);
  if (groups.length === 0) return '';
  const shown = Array.from({ length: Math.min(GROUP_COMPONENTS, model.uniqueness.rank) }, (_, c) => c);
  const rows = groups.flatMap(({ name, levels, eta2, n }) => [
    [`${plainText(name)}: η²`, count(n), ...shown.flatMap((c) => [fixedDecimals(eta2[c], 3), ''])],
    ...levels.map(({ level, n: own, center, vTest }) => [
      plainText(level),
      formatNumber(own),
      ...shown.flatMap((c) => [formatNumber(center[c]), fixedDecimals(vTest[c], 2)]),
    ]),
  ]);
  const table = {
    columns: ['group', 'rows', ...shown.flatMap((c) => [`PC${c + 1}: centre`, 'v-test'])],
    rows: rows.slice(0, GROUP_LEVELS),
    note: `η² is the share of a score’s variance that lies between the groups. A v-test beyond ±1.96 is rare if the rows of a group are drawn ${kind === 'new' ? 'from these rows' : 'from all rows'} at random.${rows.length > GROUP_LEVELS ? ` The first ${GROUP_LEVELS} of ${rows.length} lines.` : ''}`,
  };
  return folded('Groups: centres, v-tests and η²', tableHtml(table, 'Groups', 'scroll whole'));
}

/** Maximum number of lines in the table of covariates. */
const MOST_COVARIATES = 200;

/** Every covariate against every fitted component, also without a relation. */
function covariatesTable({ covariates }: Contents): string {
  if (covariates.length === 0) return '';
  const rows = covariates
    .slice(0, MOST_COVARIATES)
    .map(({ name, kind, component, effect, pValue, adjusted, related }) => [
      plainText(name),
      `PC${component}`,
      `${kind === 'column' ? 'r' : 'η²'} ${fixedDecimals(effect, 3)}`,
      formatNumber(pValue, 3),
      formatNumber(adjusted, 3),
      related ? 'related' : '–',
    ]);
  const left = covariates.length - rows.length;
  const table = {
    columns: ['covariate', 'component', 'effect', 'p', 'p after Holm', ''],
    rows,
    note: `Related: p below 0.05 after Holm’s correction for all ${count(covariates.length)} tests, and at least 4 % of the component’s variance.${left > 0 ? ` The first ${MOST_COVARIATES} of ${count(covariates.length)} lines.` : ''}`,
  };
  return folded('Covariates and all components', tableHtml(table, 'Covariates', 'scroll whole'));
}

function columnsSection(contents: Contents): Part {
  const { model, facts, colouring, image, columns, supplementary, rotation, between, worth } = contents;
  if (image) {
    const rows = facts.examples.length > 0 ? [reconstructionPictures(model, facts, colouring, image)] : [];
    const drawn = [componentPictures(model, image), ...rows];
    return { id: 'components', title: 'Components', drawn, html: figures(drawn) };
  }
  const nameOf = shownColumnNames(model);
  const { rank } = model.uniqueness;
  const numeric = numericColumns(model);
  // Without centring, these are cosines about the origin, and a level of a category has no direction.
  const known = columns.length > 0;
  const circles = known && model.centered && rank > 1 && numeric.length > 1 ? pairsOf(model) : [];
  const drawn = [
    ...circles
      .slice(0, worth > 2 ? 2 : 1)
      .map((pair) => circleFigure(model, columns, supplementary.columns, numeric, nameOf, pair)),
    loadingsFigure(model, nameOf),
    ...(known && rank > 0
      ? [
          contributionsFigure(model, columns, nameOf, worth),
          ...(model.centered ? [qualityFigure(model, columns, nameOf)] : []),
        ]
      : []),
    ...(rank > 1 ? [biplotFigure(model, facts, colouring, nameOf)] : []),
    ...(rotation ? [rotationFigure(model, rotation, nameOf)] : []),
  ];
  const words = between ? paragraphs(['Correlations and cos² of columns are those of the means of the groups.']) : '';
  return { id: 'components', title: 'Columns and components', drawn, html: figures(drawn, words) };
}

function lossSection({ model, facts, colouring, image, kind }: Contents): Part {
  const lossless = isLossless(facts);
  const drawn = lossless
    ? []
    : [
        errorsFigure(
          facts,
          model.scale.some((value) => value !== 1),
        ),
      ];
  const table = worstTable(facts, colouring, shownColumnNames(model, image));
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

function unusualSection({ model, compared, colouring, notComputed, secondLook, findings }: Contents): Part {
  const section = { id: 'unusual', title: 'Unusual rows' };
  if (!compared) return { ...section, drawn: [], html: paragraphs([`Not examined. ${notComputed.unusual ?? ''}`]) };
  const { found, facts } = compared;
  // Rows of a fit have no order that the model knows of; new rows come one after the other.
  const control = found.kind === 'new' ? controlFigure(found, facts) : undefined;
  const drawn = [
    ...(hasLimits(found) ? [unusualFigure(found, facts, colouring), ...(control ? [control] : [])] : []),
    ...(secondLook && secondLook.map.length > 0 ? [outlierMapFigure(secondLook)] : []),
  ];
  const fewer =
    compared.model.k > 0 && compared.model.k < model.k
      ? [`Rows are compared with ${firstComponents(compared.model)} alone.`]
      : [];
  const hidden = findings.some(({ code }) => code === 'FEW_ROWS_DRIVE' || code === 'UNUSUAL_ROWS');
  const [first, ...others] = explainUnusual(compared.model, found, facts, hidden);
  const looked = describeSecondLook({ findings, secondLook });
  return { ...section, drawn, html: figures(drawn, paragraphs([first, ...looked, ...fewer, ...others])) };
}

function worstTable(facts: RowFacts, colouring: RowColours, nameOf: NameOf): FigureTable {
  const { titles, cells } = rowColumns(facts, colouring);
  return {
    columns: [...titles, 'squared error', 'distance', 'lost share', 'most of it in'],
    rows: facts.worst.map(({ row, error, share, columns }) => [
      ...cells(row),
      formatNumber(error, 6),
      formatNumber(Math.sqrt(error)),
      percent(share),
      columns.map((part) => `${nameOf(part.column)} (${percent(part.share)})`).join(', '),
    ]),
  };
}

/** The reason why a criterion does not apply, without advice that names options of the library. */
function whyNot({ obstacle }: Criterion): string | undefined {
  if (obstacle === 'correlation') return 'It is for correlations, and these columns have different variances.';
  if (obstacle === 'rows' || obstacle === 'folds') return 'It is computed from rows, and these were not at hand.';
  return undefined;
}

function certaintySection({ model, columns, image, kind, notComputed, worth }: Contents): Part {
  const { stability } = model;
  const sampling =
    stability && model.totalVariance > 0
      ? [
          stabilityFigure(stability),
          ...(image || columns.length === 0
            ? []
            : [intervalsFigure(model, stability, columns, shownColumnNames(model), worth)]),
        ]
      : [];
  const rounding = uniquenessFigure(model);
  const words =
    sampling.length > 0 && stability
      ? paragraphs([
          ...describeStability(stability, model.k, model.choice?.k, rowOrderOf(model)),
          ...describeVarianceBias(model),
        ])
      : paragraphs([
          model.totalVariance > 0
            ? `No bootstrap was made, so nothing is known about other samples. ${notComputed.stability ?? ''}`
            : 'There is no variance, so there is nothing to be sure of.',
        ]);
  const certificate = [
    paragraphs(describeUniqueness(model)),
    htmlList(describeCertificate(model)),
    figures([rounding]),
  ].join('');
  const html = [
    ...(kind === 'new' ? [paragraphs(['In this section, rows are those of the fit.'])] : []),
    figures(sampling, `<h3>Other samples</h3>${words}`),
    '<h3>Rounding</h3>',
    paragraphs([describeRounding(model)]),
    folded('The certificate: how far rounding can be off', certificate),
  ];
  const title = kind === 'new' ? 'How sure the fit is' : 'How sure it is';
  return { id: 'certainty', title, drawn: [...sampling, rounding], html: html.join('') };
}

function methodSection({ model, facts, kind, command, seconds, threads }: Contents): Part {
  const html = [
    factList(methodFacts(model, facts, kind, { seconds, threads })),
    ...(command === undefined
      ? []
      : [
          `<h3>To make this report again</h3><pre tabindex="0"><code>${escaped(plainText(command, 4000))}</code></pre>`,
        ]),
  ];
  return { id: 'method', title: 'How it was computed', drawn: [], html: html.join('') };
}
