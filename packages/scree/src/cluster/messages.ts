import { Fields, message } from './protobuf.js';

/**
 * Messages of Spark Connect, by the numbers of their fields (Spark: sql/connect/common/src/main/protobuf/spark/connect).
 * Nothing has to be quoted: table names and queries are in fields of their own, and columns are renamed to c0, c1, …
 */

/** A relation, an expression, a type or a plan, as bytes. */
export type Encoded = Uint8Array;

/** Eval type of `mapInArrow`. */
const MAP_IN_ARROW = 207;
const SERVICE = '/spark.connect.SparkConnectService';
export const METHODS = {
  execute: `${SERVICE}/ExecutePlan`,
  analyze: `${SERVICE}/AnalyzePlan`,
  config: `${SERVICE}/Config`,
  interrupt: `${SERVICE}/Interrupt`,
  reattach: `${SERVICE}/ReattachExecute`,
  releaseExecute: `${SERVICE}/ReleaseExecute`,
  releaseSession: `${SERVICE}/ReleaseSession`,
} as const;

// Relations.
/** The field `common` must have a relation number, as Spark's own clients send it, because errors about columns name it. */
const relation = (number: number, body: Encoded): Encoded => message([1, message([2, 0])], [number, body]);
export const namedTable = (name: string): Encoded => relation(2, message([1, message([1, name])]));
export const sqlQuery = (query: string): Encoded => relation(10, message([1, query]));
export const projection = (input: Encoded, expressions: readonly Encoded[]): Encoded =>
  relation(3, message([1, input], [3, expressions]));
export const limit = (input: Encoded, count: number): Encoded => relation(8, message([1, input], [2, count]));
export const renamed = (input: Encoded, names: readonly string[]): Encoded =>
  relation(18, message([1, input], [2, names.map((name) => Buffer.from(name))]));
/** Sends rows with the same value of `column` to the same task. */
export const partitionedBy = (input: Encoded, column: Encoded, tasks: number): Encoded =>
  relation(27, message([1, input], [2, column], [3, tasks]));
export const countRows = (input: Encoded): Encoded =>
  relation(9, message([1, input], [2, 1], [4, alias(callOf('count', literalInteger(1)), 'rows')]));
/** Applies a Python function to the named columns of a relation. */
export const mapInArrow = (
  input: Encoded,
  names: readonly string[],
  { type, command, python }: PythonFunction,
): Encoded => {
  const udf = message([1, type], [2, MAP_IN_ARROW], [3, command], [4, python]);
  const called = message([1, 'scree'], [2, true], [3, names.map(column)], [4, udf]);
  return relation(28, message([1, input], [2, called]));
};

export interface PythonFunction {
  /** The type of the rows that it returns. */
  readonly type: Encoded;
  /** The function, pickled. */
  readonly command: Uint8Array;
  /** Version of Python on the executors, such as 3.11. */
  readonly python: string;
}

// Expressions.
export const column = (name: string): Encoded => message([2, message([1, name])]);
export const alias = (expression: Encoded, name: string): Encoded =>
  message([6, message([1, expression], [2, [Buffer.from(name)]])]);
export const castTo = (expression: Encoded, type: string): Encoded => message([7, message([1, expression], [3, type])]);
export const callOf = (name: string, ...parameters: readonly Encoded[]): Encoded =>
  message([3, message([1, name], [2, parameters])]);
export const literalText = (text: string): Encoded => message([1, message([13, text])]);
export const literalInteger = (value: number): Encoded => message([1, message([6, value])]);

// Types.
const empty = new Uint8Array(0);
export const LONG: Encoded = message([7, empty]);
export const DOUBLE: Encoded = message([9, empty]);
export const arrayOf = (type: Encoded): Encoded => message([20, message([1, type], [2, true])]);
export const structOf = (fields: readonly { readonly name: string; readonly type: Encoded }[]): Encoded =>
  message([21, message([1, fields.map(({ name, type }) => message([1, name], [2, type], [3, true]))])]);

/** A type as in Spark's JSON schema. `json` is undefined if a part of the type is unknown here. */
export interface TypeName {
  readonly name: string;
  readonly json: unknown;
  /** Type of the elements of an array. */
  readonly element?: TypeName | undefined;
  /** Class of a user-defined type. */
  readonly udt?: string | undefined;
}

const PLAIN: Readonly<Record<number, string>> = {
  2: 'binary',
  3: 'boolean',
  4: 'byte',
  5: 'short',
  6: 'integer',
  7: 'long',
  8: 'float',
  9: 'double',
  11: 'string',
  12: 'string',
  13: 'string',
  14: 'date',
  15: 'timestamp',
  16: 'timestamp_ntz',
};

export function typeOf(bytes: Encoded): TypeName {
  const fields = new Fields(bytes);
  const [number] = fields.numbers();
  const inner = fields.message(number ?? 1);
  if (PLAIN[number]) return { name: PLAIN[number], json: PLAIN[number] };
  if (number === 10 && inner) {
    const name = `decimal(${inner.number(2)},${inner.number(1)})`;
    return { name, json: name };
  }
  if (number === 20 && inner) {
    const element = typeOf(inner.bytes(1) ?? empty);
    const json = element.json && { type: 'array', elementType: element.json, containsNull: inner.number(2) === 1 };
    return { name: `array<${element.name}>`, json, element };
  }
  if (number === 21) return { name: 'struct', json: undefined };
  if (number === 22) return { name: 'map', json: undefined };
  if (number === 23 && inner) return { name: 'udt', json: undefined, udt: inner.text(2) || inner.text(3) };
  return { name: 'another type', json: undefined };
}

export interface SchemaField {
  readonly name: string;
  readonly type: TypeName;
  readonly encoded: Encoded;
}

/** The fields of a schema, which is a struct. */
export function schemaOf(bytes: Encoded): SchemaField[] {
  const struct = new Fields(bytes).message(21);
  return (struct?.messages(1) ?? []).map((field) => {
    const encoded = field.bytes(2) ?? empty;
    return { name: field.text(1), type: typeOf(encoded), encoded };
  });
}

// Plans and commands.
export const planOf = (root: Encoded): Encoded => message([1, root]);
/** Saves rows as a new table; an existing one is an error. */
export const saveAsTable = (input: Encoded, table: string): Encoded =>
  message([2, message([2, message([1, input], [4, message([1, table], [2, 1])], [5, 3])])]);
export const runSql = (sql: string): Encoded => message([2, message([5, message([1, sql], [6, sqlQuery(sql)])])]);
