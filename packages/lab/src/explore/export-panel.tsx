import { useSignal } from '@preact/signals';
import { loadModel } from '@scree/core';
import { dataFile, fileNameOf } from '../export/data-file.js';
import { fileStem } from '../export/export-figure.js';
import { commandLine, program } from '../export/reproduce.js';
import { save } from '../export/save.js';
import { reportProblem } from '../state/data.js';
import { choice, stability } from '../state/findings.js';
import { type Fitted, queryFit } from '../state/fit.js';
import { k, labelColumn } from '../state/view.js';
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
    const label = labelColumn.peek();
    save(
      await queryFit(now, 'scoresCsv', { k: kept, labels: label === undefined ? [] : [label] }),
      `${name}-scores.csv`,
    );
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
        {`The model has ${modelParts(now, kept)}. Figures are saved by the buttons at their titles. The link holds what you chose, and none of your data.`}
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

/** What the exported model says besides the components, and what it does not. */
function modelParts(now: Fitted, kept: number): string {
  const [advice, sampled] = [choice.value, stability.value];
  const chosen = advice?.now === now && advice.result ? 'what the criteria advise' : undefined;
  if (sampled?.now !== now || !sampled.isDone) {
    return `${chosen ?? 'the components'}; how stable they are is still being computed`;
  }
  const known = sampled.result?.angles.length ?? 0;
  if (known >= kept) return [...(chosen ? [chosen] : []), 'how stable the components are'].join(' and ');
  const why = known === 0 ? 'which was not computed' : `which is known of the first ${known} only`;
  return `${chosen ?? 'the components'}, but not how stable they are, ${why}`;
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
