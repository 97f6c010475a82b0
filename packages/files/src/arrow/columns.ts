import type { TableColumn } from '@scree/core/data';
import { checkColumns } from '../table/most-columns.js';
import { pandasIndex } from '../table/pandas-index.js';
import { uniqueNames } from '../table/unique-names.js';
import { type ArrowFile, type Field, isNumber, isText } from './format.js';
import type { Survey } from './survey.js';

/** The position of a column: the field, and the index in its vectors or lists. */
export interface ColumnLocation {
  readonly field: number;
  readonly entry?: number;
}

/** The columns of a file: numbers, vectors and lists of them side by side, texts, and what is only listed. */
export function describeColumns(
  { fields, pandas }: ArrowFile,
  { rows, missing, lists }: Survey,
  path: string,
  memory: number,
): { columns: TableColumn[]; sources: ColumnLocation[] } {
  const columns: TableColumn[] = [];
  const sources: ColumnLocation[] = [];
  const isIndex = pandasIndex(pandas);
  const names = uniqueNames(fields.map(({ name }) => name));
  fields.forEach((each, field) => {
    const [name, empty] = [names[field], rows > 0 && missing[field] === rows];
    const length = empty ? undefined : vectorLength(each, lists.get(field));
    checkColumns(columns.length + (length ?? 1), memory, path);
    for (let entry = 0; entry < (length ?? 0); entry++) {
      columns.push({ name: `${name}[${entry}]`, kind: 'number', type: each.children[0].type.name });
      sources.push({ field, entry });
    }
    if (length !== undefined) return;
    columns.push({ name, ...kindOf(each, empty), index: isIndex(name) });
    sources.push({ field });
  });
  return { columns, sources };
}

/** The number of columns that a field's vectors or lists become; undefined if it has none. */
export function vectorLength({ type, dictionary }: Field, list: number | undefined): number | undefined {
  if (dictionary) return undefined;
  return type.kind === 'vector' ? type.size : type.kind === 'list' ? list : undefined;
}

function kindOf({ type, dictionary }: Field, empty: boolean): Pick<TableColumn, 'kind' | 'type'> {
  if (isText(type)) return { kind: 'text', type: 'text' };
  if (empty || type.name === 'null') return { kind: 'other', type: 'empty' };
  if (isNumber(type)) return { kind: 'number', type: type.name };
  return { kind: 'other', type: dictionary ? 'dictionary' : type.name };
}
