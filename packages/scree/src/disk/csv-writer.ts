import { uniqueNames } from '@scree/files/platform';
import type { AtomicFile } from './atomic-file.js';
import type { Encoder, EncoderOptions } from './write-file.js';

/** Characters that are joined before they are encoded: few enough that their parts are garbage before V8 takes them for long-lived. */
const CHUNK = 1 << 16;

/** Writes numbers with the fewest digits that read back as the same number. A missing value is an empty cell. A label is the first cell. */
export async function csvWriter(
  file: AtomicFile,
  { cols, names, dtype, label, csvSafe }: EncoderOptions,
  delimiter: string,
): Promise<Encoder> {
  const show = dtype === 'float32' ? showFloat32 : showDouble;
  const cell = (text: string): string => quote(csvSafe ? escapeFormula(text) : text, delimiter);
  const header = label === undefined ? names : uniqueNames([label, ...names]);
  await file.append(Buffer.from(`${header.map(cell).join(delimiter)}\n`));
  // Rows without labels are ASCII, and latin1 gives the same bytes.
  const encoding = label === undefined ? 'latin1' : 'utf8';
  return {
    async write(data, rows, labels) {
      let text = '';
      for (let i = 0; i < rows; i++) {
        if (label !== undefined) text += `${cell(labels?.[i] ?? '')}${delimiter}`;
        for (let j = 0; j < cols; j++) text += `${show(data[i * cols + j])}${j + 1 < cols ? delimiter : '\n'}`;
        if (text.length < CHUNK) continue;
        await file.append(Buffer.from(text, encoding));
        text = '';
      }
      await file.append(Buffer.from(text, encoding));
    },
    end: async () => {},
  };
}

/** A small table of texts and numbers, written in the same way. */
export function csvText(
  lines: readonly (readonly (string | number)[])[],
  { delimiter, csvSafe }: { readonly delimiter: string; readonly csvSafe: boolean },
): string {
  const cell = (value: string | number): string =>
    typeof value === 'number' ? showDouble(value) : quote(csvSafe ? escapeFormula(value) : value, delimiter);
  return lines.map((line) => `${line.map(cell).join(delimiter)}\n`).join('');
}

/** The start of a cell that spreadsheets take for a formula, also after spaces and in full width (OWASP, CSV injection). */
const FORMULA = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** Text that no spreadsheet runs as a formula: an apostrophe in front makes it text. Numbers are left alone. */
function escapeFormula(text: string): string {
  return FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
}

function quote(name: string, delimiter: string): string {
  return name.includes(delimiter) || /["\r\n]|^\s|\s$/.test(name) ? `"${name.replaceAll('"', '""')}"` : name;
}

function showDouble(value: number): string {
  // String(-0) is "0".
  if (Number.isFinite(value)) return Object.is(value, -0) ? '-0' : String(value);
  return Number.isNaN(value) ? '' : value > 0 ? 'inf' : '-inf';
}

/** The fewest digits that identify a float32: at most nine. */
function showFloat32(value: number): string {
  if (!Number.isFinite(value) || value === 0) return showDouble(value);
  for (let digits = 7; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return String(short);
  }
  return String(Number(value.toPrecision(9)));
}
