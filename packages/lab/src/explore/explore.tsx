import { useEffect } from 'preact/hooks';
import { syncAddress } from '../state/address.js';
import { loading, runningTask } from '../state/data.js';
import { fitted, isOutdated } from '../state/fit.js';
import { openAddress, openAddressOnce, pendingQuery } from '../state/open.js';
import { settings } from '../state/settings.js';
import { ColumnsPanel } from './columns-panel.js';
import { ComponentPictures } from './component-pictures.js';
import { DataPanel } from './data-panel.js';
import { Deferred } from './deferred.js';
import { DescriptionPanel } from './description-panel.js';
import { ExportPanel } from './export-panel.js';
import { Notices } from './notices.js';
import { ReconstructionPanel } from './reconstruction-panel.js';
import { ScoresPanel } from './scores-panel.js';
import { ScreePanel } from './scree-panel.js';
import { SettingsPanel } from './settings-panel.js';
import { Status } from './status.js';
import { TablePanel } from './table-panel.js';
import { ComponentPanel, WeightsPanel } from './weights-panel.js';
import '../style/explore.css';

/** The user's data and their principal components: settings on the left, linked views of the model on the right. */
export function Explore() {
  const now = fitted.value;
  const isLoading = loading.value !== undefined;
  useEffect(() => {
    openAddressOnce();
    return syncAddress(openAddress);
  }, []);
  return (
    <div class={`explore ${isLoading ? (loading.value?.data ? 'fitting' : 'reading') : ''}`}>
      <h1 class="visually-hidden">Explore data by their principal components</h1>
      <aside class="side" aria-label="Data and settings">
        <DataPanel />
        <SettingsPanel />
        <ColumnsPanel />
      </aside>
      <div class="views">
        <Status />
        <Notices />
        {!now && !runningTask.value && !isLoading && <EmptyState />}
        {now && (
          <>
            <div class="row first">
              <div class="stack">
                <ScoresPanel now={now} />
                <Deferred>
                  <ComponentPictures now={now} />
                  <WeightsPanel now={now} />
                </Deferred>
              </div>
              <div class="stack">
                <ScreePanel now={now} />
                <Deferred>
                  <ReconstructionPanel now={now} />
                  <DescriptionPanel now={now} />
                  <ComponentPanel now={now} />
                </Deferred>
              </div>
            </div>
            <Deferred>
              <TablePanel now={now} />
              <ExportPanel now={now} />
            </Deferred>
          </>
        )}
      </div>
    </div>
  );
}

/** A hint that is shown until a model is fitted. */
function EmptyState() {
  const [title, hint] = pendingQuery.value
    ? [
        'This link belongs to a local file',
        'The link holds the settings, but not the file. Open or paste the file to see it with these settings.',
      ]
    : isOutdated.value
      ? ['Not fitted', 'Change the settings, or open other data.']
      : settings.value?.chosen.columns.length === 0
        ? ['No column is chosen', 'Choose at least one.']
        : ['Nothing to show yet', 'Open a file, paste a table, or choose built-in data. A model is fitted at once.'];
  return (
    <div class="panel nothing">
      <h2>{title}</h2>
      <p class="hint">{hint}</p>
    </div>
  );
}
