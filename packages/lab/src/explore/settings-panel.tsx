import { count, plural } from '@scree/analysis/describe';
import { shorten } from '../shorten.js';
import { picture, possiblePicture, showPictures } from '../state/picture.js';
import { changeSettings, type FitSettings, SCALE_CHOICES, SOLVER_CHOICES, settings } from '../state/settings.js';
import type { ColumnInfo } from '../worker/messages.js';

const SCALE_NAMES: Record<FitSettings['scale'], string> = {
  none: 'nothing: same units',
  unit: 'standard deviation (unit)',
  pareto: 'its square root (pareto)',
  range: 'range',
};

/** Columns offered for naming rows. */
const MAX_LABEL_COLUMNS = 200;

/** Columns that can name or colour rows. Columns that are not measurements come first, because there may be hundreds of pixels. */
export function namingColumns(columns: readonly ColumnInfo[]): readonly number[] {
  const candidates = columns.flatMap(({ kind }, j) => (kind === 'other' ? [] : [j]));
  const [others, measured] = [false, true].map((usable) => candidates.filter((j) => columns[j].usable === usable));
  return [...others, ...measured].slice(0, MAX_LABEL_COLUMNS);
}

/** The settings of the fit: scaling, missing values, solver, and the column that names rows. */
export function SettingsPanel() {
  const now = settings.value;
  if (!now) return null;
  const { chosen, data } = now;
  const { columns } = data.info;
  const possible = possiblePicture.value;
  return (
    <section class="panel" aria-labelledby="settings-title">
      <h2 id="settings-title">Fit</h2>
      <div class="field">
        <label for="scale">Divide columns by</label>
        <select
          id="scale"
          value={chosen.scale}
          onChange={({ currentTarget: { value } }) => changeSettings({ scale: value as FitSettings['scale'] })}
        >
          {SCALE_CHOICES.map((scale) => (
            <option key={scale} value={scale}>
              {SCALE_NAMES[scale]}
            </option>
          ))}
        </select>
      </div>
      <div class="field">
        <label for="label">Rows are named by</label>
        <select
          id="label"
          value={chosen.label === undefined ? '' : String(chosen.label)}
          onChange={({ currentTarget: { value } }) =>
            changeSettings({ label: value === '' ? undefined : Number(value) })
          }
        >
          <option value="">their number</option>
          {namingColumns(columns).map((j) => (
            <option key={j} value={String(j)}>
              {shorten(columns[j].name, 40)}
            </option>
          ))}
        </select>
      </div>
      <MissingValues chosen={chosen} columns={columns} />
      {possible && (
        <label class="check">
          <input
            type="checkbox"
            checked={picture.value !== undefined}
            onChange={({ currentTarget }) => (showPictures.value = currentTarget.checked)}
          />
          <span>{`Rows are pictures of ${possible[0]} × ${possible[1]}`}</span>
        </label>
      )}
      <SolverChoice chosen={chosen} />
    </section>
  );
}

/** The choice of how missing values are handled, if values of the fitted columns are missing. */
function MissingValues({ chosen, columns }: { readonly chosen: FitSettings; readonly columns: readonly ColumnInfo[] }) {
  const missing = chosen.columns.filter((j) => columns[j].missing > 0);
  if (missing.length === 0) return null;
  return (
    <div class="field">
      <label for="missing">Rows with missing values</label>
      <select
        id="missing"
        value={chosen.missing}
        aria-describedby="missing-hint"
        onChange={({ currentTarget: { value } }) => changeSettings({ missing: value === 'mean' ? 'mean' : 'drop' })}
      >
        <option value="drop">leave out</option>
        <option value="mean">fill with the column's mean</option>
      </select>
      <p class="hint" id="missing-hint">
        {`Missing in ${missing
          .slice(0, 4)
          .map((j) => `${shorten(columns[j].name, 24)} (${count(columns[j].missing)})`)
          .join(', ')}${missing.length > 4 ? ` and ${plural(missing.length - 4, 'more column')}` : ''}.`}
      </p>
    </div>
  );
}

/** The choice of the solver, and of the GPU. */
function SolverChoice({ chosen }: { readonly chosen: FitSettings }) {
  return (
    <details>
      <summary>Solver</summary>
      <div class="field">
        <label for="solver" class="visually-hidden">
          Solver
        </label>
        <select
          id="solver"
          value={chosen.solver}
          onChange={({ currentTarget: { value } }) => changeSettings({ solver: value as FitSettings['solver'] })}
        >
          {SOLVER_CHOICES.map((solver) => (
            <option key={solver} value={solver}>
              {solver === 'auto' ? 'let the plan choose' : solver}
            </option>
          ))}
        </select>
      </div>
      {'gpu' in navigator && (
        <label class="check">
          <input
            type="checkbox"
            checked={chosen.gpu}
            onChange={({ currentTarget }) => changeSettings({ gpu: currentTarget.checked })}
          />
          <span>Use the graphics card for large tables</span>
        </label>
      )}
    </details>
  );
}
