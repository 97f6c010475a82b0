import type { PcaOptions } from '@scree/core';
import { componentsPlot, MOST_COLUMNS, MOST_COMPONENTS } from './components-plot.js';
import { startFitter } from './fitter.js';
import { number, plural, shorten } from './format.js';
import { iris } from './iris.js';
import type { Fit, FitEvent } from './messages.js';
import { drawEvery, scoresPlot } from './scores-plot.js';
import { screePlot } from './scree-plot.js';
import { summary } from './summary.js';
import { parseTable, type Table } from './table.js';

const find = <Kind extends HTMLElement>(id: string): Kind => document.getElementById(id) as Kind;
const [form, status, error, results] = [
  find<HTMLFormElement>('controls'),
  find('status'),
  find('error'),
  find('results'),
];
const [progress, phase] = [find<HTMLProgressElement>('progress'), find('phase')];
const fileInput = find<HTMLInputElement>('file');

/** A fit that takes less than this many milliseconds shows no progress bar, which would only flicker. */
const PATIENCE = 250;

let table: Table;
let shown: { readonly table: Table; readonly fit: Fit } | undefined;
let started = 0;
/** Counts choices of data, so that a slow file cannot replace what was chosen after it. */
let choice = 0;

const startFit = startFitter(hear);

function fit(): void {
  const fields = new FormData(form);
  const k = fields.get('k');
  started = performance.now();
  fail('');
  status.textContent = 'Fitting…';
  results.ariaBusy = 'true';
  hideProgress();
  startFit(table, {
    scale: fields.get('scale') as NonNullable<PcaOptions['scale']>,
    solver: fields.get('solver') as NonNullable<PcaOptions['solver']>,
    ...(k === '' ? {} : { k: Number(k) }),
  });
}

function hear(event: FitEvent): void {
  const elapsed = performance.now() - started;
  if (event.kind === 'progress') {
    if (elapsed < PATIENCE) return;
    const { done, total } = event.progress;
    progress.hidden = false;
    phase.textContent = event.progress.phase;
    if (total) progress.value = done / total;
    else progress.removeAttribute('value');
    return;
  }
  hideProgress();
  results.ariaBusy = 'false';
  if (event.kind === 'failed') {
    results.hidden = true;
    status.textContent = '';
    fail(event.message);
    return;
  }
  status.textContent = `Found ${plural(event.fit.components.rows, 'component')} in ${number(event.fit.milliseconds)} ms.`;
  shown = { table, fit: event.fit };
  results.hidden = false;
  find('summary').replaceChildren(...summary(event.fit));
  draw();
}

function hideProgress(): void {
  progress.hidden = true;
  phase.textContent = '';
}

function draw(): void {
  if (!shown) return;
  const { fit, table } = shown;
  const { rows: k, cols: d } = fit.components;
  put('scree', (width) => screePlot(fit, width));
  put('scores', (width) => scoresPlot(fit, table.label, width));
  put('components', (width) => componentsPlot(fit, table.columns, width));
  const step = drawEvery(fit.first.length);
  find('scores-hint').textContent = [
    step === 1 ? 'A point for each row.' : `A point for one row in ${step}, of ${plural(fit.first.length, 'row')}.`,
    ...(table.label ? [`Colour and shape: ${shorten(table.label.name, 40)}.`] : []),
  ].join(' ');
  find('components-hint').textContent = [
    'Weight of each column: blue is positive, orange negative, stronger is larger.',
    ...(d > MOST_COLUMNS ? [`Of ${d} columns, the ${MOST_COLUMNS} with the largest weights are drawn.`] : []),
    ...(k > MOST_COMPONENTS ? [`The first ${MOST_COMPONENTS} of ${k} components are drawn.`] : []),
  ].join(' ');
}

function put(id: string, chart: (width: number) => Element): void {
  const home = find(id);
  const figure = chart(home.clientWidth);
  (figure.matches('svg') ? figure : figure.querySelector(':scope > svg'))?.setAttribute('role', 'img');
  home.replaceChildren(figure);
}

function fail(message: string): void {
  error.textContent = message;
  error.hidden = message === '';
}

function use(chosen: Table): void {
  table = chosen;
  const { columns, matrix, label, unused } = chosen;
  const left = unused.filter((name) => name !== label?.name).map((name) => shorten(name, 24));
  find('data').textContent = [
    `${shorten(chosen.name, 60)}: ${plural(matrix.rows, 'row')}, ${plural(columns.length, 'column')} of numbers`,
    ...(label ? [`coloured by ${shorten(label.name, 24)}`] : []),
    ...(left.length > 0 ? [`not used, because not numbers: ${shorten(left.join(', '), 120)}`] : []),
  ].join('; ');
  fit();
}

async function open(file: File): Promise<void> {
  const mine = ++choice;
  try {
    const text = await file.text();
    if (mine === choice) use(parseTable(text, file.name));
  } catch (reason) {
    if (mine === choice) fail(`${shorten(file.name, 60)}: ${reason instanceof Error ? reason.message : reason}`);
  }
}

find('iris').addEventListener('click', () => {
  choice++;
  use(iris());
});
fileInput.addEventListener('change', () => {
  const file = fileInput.files?.[0];
  if (file) void open(file);
  // Without this, choosing the same file again after mending it would go unnoticed.
  fileInput.value = '';
});
form.addEventListener('change', (event) => {
  if (event.target !== fileInput) fit();
});
form.addEventListener('submit', (event) => event.preventDefault());
document.addEventListener('dragover', (event) => {
  event.preventDefault();
  document.body.classList.add('dropping');
});
document.addEventListener('dragleave', (event) => {
  if (!event.relatedTarget) document.body.classList.remove('dropping');
});
document.addEventListener('drop', (event) => {
  event.preventDefault();
  document.body.classList.remove('dropping');
  const file = event.dataTransfer?.files[0];
  if (file) void open(file);
});

let drawnWidth = 0;
new ResizeObserver(() => {
  if (results.clientWidth === drawnWidth) return;
  drawnWidth = results.clientWidth;
  requestAnimationFrame(draw);
}).observe(results);

use(iris());
