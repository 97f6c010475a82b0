import type { AtomicFile } from './atomic-file.js';
import type { Encoder, EncoderOptions } from './write-file.js';

/** Characters that are joined before they are encoded: few enough that their parts are garbage before V8 takes them for long-lived. */
const CHUNK = 1 << 16;

/** Writes numbers with the fewest digits that read back as the same number. A missing value is an empty cell. */
export async function csvWriter(
  file: AtomicFile,
  { cols, columns, dtype, csvSafe }: EncoderOptions,
  delimiter: string,
): Promise<Encoder> {
  const show = dtype === 'float32' ? showFloat32 : showDouble;
  const cell = (text: string): string => quote(csvSafe ? escapeFormula(text) : text, delimiter);
  await file.append(Buffer.from(`${columns.map(({ name }) => cell(name)).join(delimiter)}\n`));
  const isText = columns.map(({ kind }) => kind === 'text');
  // Rows without texts are ASCII, and latin1 gives the same bytes.
  const encoding = columns.length === cols ? 'latin1' : 'utf8';
  return {
    async write(data, rows, texts) {
      let text = '';
      let at = 0;
      for (let i = 0; i < rows; i++) {
        let column = 0;
        for (let j = 0; j < isText.length; j++) {
          if (j > 0) text += delimiter;
          text += isText[j] ? cell(texts[column++]?.[i] ?? '') : show(data[at++]);
        }
        text += '\n';
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
