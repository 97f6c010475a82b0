/**
 * A Python function for the executors, as the pickle (protocol 3; Python docs: pickletools) that Spark expects: a pair of the function and the type of its
 * rows. Unpickling runs a constant source text, which defines `make`, and calls make(parameters). Any version of Python can unpickle it.
 * Parameters, including names, are data and are never evaluated.
 */
export function pickledFunction(source: string, parameters: Uint8Array, returnType: string): Uint8Array {
  return Buffer.concat([
    PROTOCOL,
    // namespace = {}; exec(source, namespace)
    EMPTY_DICT,
    PUT_0,
    POP,
    global('builtins', 'exec'),
    text(source),
    GET_0,
    TUPLE_2,
    REDUCE,
    POP,
    // operator.getitem(namespace, 'make')(parameters)
    global('operator', 'getitem'),
    GET_0,
    text('make'),
    TUPLE_2,
    REDUCE,
    bytes(parameters),
    TUPLE_1,
    REDUCE,
    // Spark parses the type from its own JSON.
    global('pyspark.sql.types', '_parse_datatype_json_string'),
    text(returnType),
    TUPLE_1,
    REDUCE,
    TUPLE_2,
    STOP,
  ]);
}

const PROTOCOL = Buffer.from([0x80, 3]);
const EMPTY_DICT = Buffer.from('}');
const PUT_0 = Buffer.from([0x71, 0]);
const GET_0 = Buffer.from([0x68, 0]);
const POP = Buffer.from('0');
const TUPLE_1 = Buffer.from([0x85]);
const TUPLE_2 = Buffer.from([0x86]);
const REDUCE = Buffer.from('R');
const STOP = Buffer.from('.');

function global(module: string, name: string): Buffer {
  return Buffer.from(`c${module}\n${name}\n`);
}

function text(value: string): Buffer {
  return Buffer.concat([Buffer.from('X'), length(Buffer.byteLength(value)), Buffer.from(value)]);
}

function bytes(value: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from('B'), length(value.length), value]);
}

function length(count: number): Buffer {
  const out = Buffer.alloc(4);
  out.writeUInt32LE(count);
  return out;
}

/** Parameters for `make`: four bytes of length, JSON padded to a multiple of eight bytes, then float64 numbers. */
export function packParameters(head: object, numbers: readonly Float64Array[]): Uint8Array {
  const json = Buffer.from(JSON.stringify(head));
  const padded = Buffer.concat([json, Buffer.alloc((12 - (json.length % 8)) % 8, 0x20)]);
  const parts = numbers.map((each) => Buffer.from(each.buffer, each.byteOffset, each.byteLength));
  return Buffer.concat([length(padded.length), padded, ...parts]);
}
