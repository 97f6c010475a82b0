import { uniqueNames } from '@scree/files/internal';
import type { AtomicFile } from './atomic-file.js';
import type { Encoder, EncoderOptions } from './write-file.js';

/** Characters joined before they are encoded. */
const CHUNK = 1 << 20;

/** Numbers as text, in the fewest digits that read back as the same; a missing value is an empty cell. A label comes first. */
export async function csvWriter(
  file: AtomicFile,
  { cols, names, dtype, label, csvSafe }: EncoderOptions,
  delimiter: string,
): Promise<Encoder> {
  const show = dtype === 'float32' ? showSingle : showDouble;
  const cell = (text: string): string => quote(csvSafe ? defused(text) : text, delimiter);
  const head = label === undefined ? names : uniqueNames([label, ...names]);
  await file.append(Buffer.from(`${head.map(cell).join(delimiter)}\n`));
  // Numbers alone are plain letters.
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

/** Beginnings that spreadsheets take for a formula, also after blanks and in full width (OWASP, CSV injection). */
const FORMULA = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** Text that no spreadsheet runs: the apostrophe makes it text. A number can do no harm. */
function defused(text: string): string {
  return FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
}

function quote(name: string, delimiter: string): string {
  return name.includes(delimiter) || /["\r\n]|^\s|\s$/.test(name) ? `"${name.replaceAll('"', '""')}"` : name;
}

function showDouble(value: number): string {
  // String() forgets the sign of zero.
  if (Number.isFinite(value)) return Object.is(value, -0) ? '-0' : String(value);
  return Number.isNaN(value) ? '' : value > 0 ? 'inf' : '-inf';
}

/** Nine digits always tell two float32 apart; often fewer do. */
function showSingle(value: number): string {
  if (!Number.isFinite(value) || value === 0) return showDouble(value);
  for (let digits = 7; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return String(short);
  }
  return String(Number(value.toPrecision(9)));
}
