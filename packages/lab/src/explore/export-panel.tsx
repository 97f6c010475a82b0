import { useSignal } from '@preact/signals';
import { loadModel } from '@scree/core';
import { dataFile, fileNameOf } from '../export/data-file.js';
import { fileStem } from '../export/export-figure.js';
import { commandLine, program } from '../export/reproduce.js';
import { save } from '../export/save.js';
import { reportProblem } from '../state/data.js';
import { analysis, chosen, record } from '../state/findings.js';
import { type Fitted, queryFit } from '../state/fit.js';
import { colourBy, k, labelColumn } from '../state/view.js';
import { Panel, type PanelProps } from './panel.js';

/** Files to save, and the same analysis as code. */
export function ExportPanel({ now }: PanelProps) {
  const kept = Math.min(k.value, now.model.k);
  const name = fileStem(now.data.info.name);
  const analysis = { fitted: now, k: kept };
  const saveModel = async (): Promise<void> => {
    const model = loadModel(await queryFit(now, 'exportedModel', kept));
    save(new Blob([JSON.stringify(model)], { type: 'application/json' }), `${name}-model.json`);
  };
  const saveScores = async (): Promise<void> => {
    // The column that names the rows, and the groups that colour the figure.
    const labels = [labelColumn.peek(), colourBy.peek()].filter((column) => typeof column === 'number');
    save(await queryFit(now, 'scoresCsv', { k: kept, labels: [...new Set(labels)] }), `${name}-scores.csv`);
  };
  const saveData = async (): Promise<void> => save(await dataFile(now.data), fileNameOf(now.data));
  return (
    <Panel id="export" title="Export">
      <div class="buttons">
        <button type="button" onClick={() => saveModel().catch(reportProblem)}>
          Model (JSON)
        </button>
        <button type="button" onClick={() => saveScores().catch(reportProblem)}>
          Scores (CSV)
        </button>
        <CopyButton title="Link to this view" text={() => location.href} />
      </div>
      <p class="hint">
        {`${describeModelFile(now, kept)} The buttons at the title of a figure save it. The link holds your choices, but not your data.`}
      </p>
      {now.data.source && (
        <p class="data-file">
          {`The code below reads ${fileNameOf(now.data)}: `}
          <button type="button" class="link" onClick={() => saveData().catch(reportProblem)}>
            Save these data
          </button>
          {' before you run it.'}
        </p>
      )}
      <Code title="On the command line" text={commandLine(analysis)} />
      <Code title="In TypeScript" text={program(analysis)} />
    </Panel>
  );
}

/** Describes the contents of the model file. */
function describeModelFile(now: Fitted, kept: number): string {
  const advice = chosen.value?.now === now && chosen.value.result?.choice ? 'the advice of the criteria' : undefined;
  const isDone = analysis.value?.now === now && analysis.value.isDone;
  const known = (isDone && record.value?.model.stability?.angles.length) || 0;
  const stable = known >= kept ? 'the stability of the components' : undefined;
  const said = [advice, stable].filter((part) => part !== undefined);
  const unknown = !isDone
    ? 'Their stability is still being computed.'
    : known > 0
      ? `Their stability is not in the file: it was computed for the first ${known} only.`
      : 'Their stability is not in the file: it was not computed.';
  return [
    said.length > 0
      ? `The model file has the components, and ${said.join(' and ')}.`
      : 'The model file has the components.',
    ...(stable ? [] : [unknown]),
  ].join(' ');
}

function Code({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <div class="code">
      <div class="title-row">
        <h3>{title}</h3>
        <CopyButton title="Copy" about={title} text={() => text} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: an element that scrolls must be reachable by the keyboard */}
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
    </div>
  );
}

function CopyButton({
  title,
  about,
  text,
}: {
  readonly title: string;
  readonly about?: string;
  readonly text: () => string;
}) {
  const label = useSignal(title);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text());
      label.value = 'Copied';
    } catch {
      label.value = 'Not allowed here';
    }
    setTimeout(() => (label.value = title), 2000);
  };
  return (
    <button
      type="button"
      class={about ? 'small' : ''}
      {...(about ? { 'aria-label': `${title}: ${about}` } : {})}
      onClick={() => void copy()}
    >
      {label.value}
    </button>
  );
}
