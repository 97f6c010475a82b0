import { type Column, uniqueNames } from '@scree/files/platform';
import { callOf, castTo, column, type Encoded, literalText, type SchemaField } from './messages.js';

const NUMBERS = /^(byte|short|integer|long|float|double|boolean|decimal\(.*\))$/;
/** Types that become double on the server: Arrow's own would take conversions on every executor. */
const CAST = /^(boolean|decimal\(.*\))$/;
const VECTOR_CLASS = /VectorUDT$/;
/** A column of the relation, as it is read. */
export interface SparkColumn {
  readonly name: string;
  readonly kind: Column['kind'];
  readonly type: string;
  readonly encoded: Encoded;
  readonly json: unknown;
  /** What is read of it: itself, or what it is converted to on the server. */
  readonly expression: Encoded;
  /** −1 for a number, otherwise how long its arrays are. */
  length: number;
  readonly element: string;
}

/** What is read of each column of a relation, whose columns are c0, c1, …. */
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
