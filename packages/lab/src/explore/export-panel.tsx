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
    // The groups that are seen in the figure too.
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
        {`${describeModelFile(now, kept)} Figures are saved by the buttons at their titles. The link holds what you chose, and none of your data.`}
      </p>
      {now.data.source && (
        <p class="data-file">
          {`What follows reads ${fileNameOf(now.data)}: `}
          <button type="button" class="link" onClick={() => saveData().catch(reportProblem)}>
            Save these data
          </button>
          {' first.'}
        </p>
      )}
      <Code title="On the command line" text={commandLine(analysis)} />
      <Code title="In TypeScript" text={program(analysis)} />
    </Panel>
  );
}

/** What the model file says besides the components, and what it does not. */
function describeModelFile(now: Fitted, kept: number): string {
  const advice = chosen.value?.now === now && chosen.value.result?.choice ? 'what the criteria advise' : undefined;
  const isDone = analysis.value?.now === now && analysis.value.isDone;
  const known = (isDone && record.value?.model.stability?.angles.length) || 0;
  const stable = known >= kept ? 'how stable the components are' : undefined;
  const said = [advice, stable].filter((part) => part !== undefined);
  const unknown = !isDone
    ? 'How stable they are is still being computed.'
    : known > 0
      ? `It does not say how stable they are, which is known of the first ${known} only.`
      : 'It does not say how stable they are, which was not computed.';
  return [
    said.length > 0
      ? `The model file has the components, and says ${said.join(' and ')}.`
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
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard */}
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
