import { plural } from '@scree/analysis/describe';
import { useRef } from 'preact/hooks';
import { DATASETS, isDataset } from '../data/datasets.js';
import { shorten } from '../shorten.js';
import { loading, opened } from '../state/data.js';
import { openDataset, openLocalFile } from '../state/open.js';
import { PasteDialog } from './paste-dialog.js';

/** File extensions for the browser's file dialog. */
const ENDINGS =
  '.csv,.tsv,.txt,.parquet,.npy,.npz,.arrow,.feather,.json,.ndjson,.jsonl,.gz,.idx,.idx3-ubyte,.idx1-ubyte';

/** The choice of data. */
export function DataPanel() {
  const dialog = useRef<HTMLDialogElement>(null);
  // Data that are being read have only a name.
  const reading = loading.value?.data ? undefined : loading.value;
  const data = reading ? undefined : opened.value;
  const dataset = (reading ?? data)?.dataset ?? '';
  return (
    <section class="panel" aria-labelledby="data-title">
      <h2 id="data-title">Data</h2>
      <div class="field">
        <label for="dataset">Built-in data</label>
        <select
          id="dataset"
          value={dataset}
          onChange={({ currentTarget: { value } }) => isDataset(value) && openDataset(value)}
        >
          {dataset === '' && <option value="">your own</option>}
          {Object.entries(DATASETS).map(([name, { title }]) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </select>
      </div>
      <div class="buttons">
        <label class="button">
          Open a file
          <input
            type="file"
            accept={ENDINGS}
            onChange={({ currentTarget }) => {
              const file = currentTarget.files?.[0];
              if (file) openLocalFile(file);
              // Without this, choosing the same file again after correcting it would cause no event.
              currentTarget.value = '';
            }}
          />
        </label>
        <button type="button" onClick={() => dialog.current?.showModal()}>
          Paste a table
        </button>
      </div>
      <p class="hint">
        CSV, Parquet, NumPy, Arrow, JSON or IDX; or drop a file anywhere. It stays in this browser: nothing is uploaded.
      </p>
      {reading && (
        <p class="opening">
          <strong>{shorten(reading.name, 48)}</strong>
          {' is being opened.'}
        </p>
      )}
      {data && (
        <p class="facts">
          <strong>{shorten(data.info.name, 48)}</strong>
          {`: ${plural(data.info.rows, 'row')}, ${plural(data.info.columns.length, 'column')} (${data.info.format})`}
          {isDataset(dataset) && <span class="hint block">{DATASETS[dataset].about}</span>}
        </p>
      )}
      <PasteDialog dialog={dialog} />
    </section>
  );
}
