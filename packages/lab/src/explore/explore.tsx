import { useEffect } from 'preact/hooks';
import { keepAddress } from '../state/address.js';
import { beginAddress, goTo, waiting } from '../state/open.js';
import { busy } from '../state/data.js';
import { fitted, outdated } from '../state/fit.js';
import { settings } from '../state/settings.js';
import { ColumnsPanel } from './columns-panel.js';
import { ComponentPictures } from './component-pictures.js';
import { DataPanel } from './data-panel.js';
import { Later } from './deferred.js';
import { RebuiltPanel } from './reconstruction-panel.js';
import { ScoresPanel } from './scores-panel.js';
import { ScreePanel } from './scree-panel.js';
import { SettingsPanel } from './settings-panel.js';
import { Status } from './status.js';
import { TablePanel } from './table-panel.js';
import { TakePanel } from './export-panel.js';
import { ComponentPanel, WeightsPanel } from './weights-panel.js';
import { WordsPanel } from './description-panel.js';
import '../style/explore.css';

/** One's own data and what PCA finds in them: what is chosen on the left, linked views of the model on the right. */
export function Explore() {
  useEffect(() => {
    beginAddress();
    return keepAddress(goTo);
  }, []);
  return (
    <div class="explore">
      <h1 class="visually-hidden">Explore data by their principal components</h1>
      <aside class="side" aria-label="Data and settings">
        <DataPanel />
        <SettingsPanel />
        <ColumnsPanel />
      </aside>
      <div class="views">
        <Status />
        {!fitted.value && !busy.value && <Nothing />}
        {fitted.value && (
          <>
            <div class="row first">
              <div class="stack">
                <ScoresPanel />
                <Later>
                  <ComponentPictures />
                  <WeightsPanel />
                </Later>
              </div>
              <div class="stack">
                <ScreePanel />
                <Later>
                  <RebuiltPanel />
                  <WordsPanel />
                  <ComponentPanel />
                </Later>
              </div>
            </div>
            <Later>
              <TablePanel />
              <TakePanel />
            </Later>
          </>
        )}
      </div>
    </div>
  );
}

/** Before there is a model, or where there can be none. */
function Nothing() {
  const [title, hint] = waiting.value
    ? [
        'This link is about a file',
        'The link holds how the file was looked at, and nothing of the file. Open it, or paste it, and it is shown so.',
      ]
    : outdated.value
      ? ['Not fitted', 'Change how these data are fitted, or open others.']
      : settings.value?.chosen.columns.length === 0
        ? ['No column is chosen', 'Choose at least one.']
        : ['Nothing to show yet', 'Open a file, paste a table, or choose built-in data: a model is fitted at once.'];
  return (
    <div class="panel nothing">
      <h2>{title}</h2>
      <p class="hint">{hint}</p>
    </div>
  );
}
