import { type TableColumn, uniqueNames } from '@scree/files/platform';
import { callOf, castTo, column, type Encoded, literalText, type SchemaField } from './messages.js';

const NUMBERS = /^(byte|short|integer|long|float|double|boolean|decimal\(.*\))$/;
/** Types that the server casts to double. Otherwise every executor would have to convert them from Arrow's types. */
const CAST = /^(boolean|decimal\(.*\))$/;
const VECTOR_CLASS = /VectorUDT$/;

/** A column of a relation, and how it is read. */
export interface SparkColumn {
  readonly name: string;
  readonly kind: TableColumn['kind'];
  readonly type: string;
  readonly encoded: Encoded;
  readonly json: unknown;
  /** The expression that is read: the column, or a conversion on the server. */
  readonly expression: Encoded;
  /** Length of the column's arrays; −1 for a single number. */
  length: number;
  readonly element: string;
}

/** The field that a column of the table is read from, and the entry of the field's arrays. */
export interface ColumnOrigin {
  readonly field: number;
  readonly entry: number;
}

/** Describes how to read each column of a relation whose columns are named c0, c1, … */
export function describeFields(schema: readonly SchemaField[]): SparkColumn[] {
  const names = uniqueNames(schema.map(({ name }) => name));
  return schema.map(({ type, encoded }, j): SparkColumn => {
    const self = column(`c${j}`);
    const one = { name: names[j], type: type.name, encoded, json: type.json, length: -1, element: type.name };
    const { element } = type;
    if (NUMBERS.test(type.name))
      return { ...one, kind: 'number', expression: CAST.test(type.name) ? castTo(self, 'double') : self };
    if (element && NUMBERS.test(element.name)) {
      const expression = CAST.test(element.name) ? castTo(self, 'array<double>') : self;
      return { ...one, kind: 'number', length: 0, element: element.name, expression };
    }
    if (type.udt !== undefined && VECTOR_CLASS.test(type.udt)) {
      const expression = callOf('vector_to_array', self, literalText('float64'));
      return { ...one, kind: 'number', type: 'vector', length: 0, element: 'double', expression };
    }
    return { ...one, kind: type.name === 'string' ? 'text' : 'other', expression: self };
  });
}
