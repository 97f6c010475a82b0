import type { Encoding } from '../data/encoding/encoding.js';
import { protobufMessage as message } from '../data/storage/protobuf.js';
import { ModelError, OptionError } from '../errors.js';
import { checkMean } from '../model/check-numbers.js';
import type { ModelRecord } from '../model/record.js';
import { type StoredNumbers, transformOf } from '../model/transform-record.js';

/** Options of `toOnnx`. */
export interface OnnxOptions {
  /** The type of rows, scores and constants. Default `'float32'`. */
  readonly dtype?: StoredNumbers | undefined;
}

/** Numbers of the ONNX format (onnx.proto3): element types, and the versions of the format and of the operators, of 2020. */
const ELEMENT = { float32: 1, float64: 11 } as const;
const IR_VERSION = 7;
const OPERATORS_VERSION = 13;

/**
 * The transform of a model as an ONNX file, for onnxruntime and other runtimes: scores = MatMul(Div(Sub(x, mean), scale), W). W is
 * Vᵀ (d × k); with whitening `'pca'` its columns are divided by √λ, and with `'zca'` it is Vᵀ·diag(1/√λ)·V. Div is left out if no
 * column is scaled. The input is `x` (n × d), the output `scores`. Throws if the model encodes columns.
 */
export function toOnnx(model: ModelRecord, { dtype = 'float32' }: OnnxOptions = {}): Uint8Array {
  if (!Object.hasOwn(ELEMENT, dtype)) {
    throw new OptionError('BAD_OPTION', `dtype is 'float32' or 'float64', not ${JSON.stringify(dtype)}.`, {
      option: 'dtype',
      value: dtype,
    });
  }
  if (model.coding) throw encodingError(model.coding);
  const { components, mean, scale, deviations, whiten, columnNames } = transformOf(model);
  checkMean(mean);
  const { rows: k, cols: d, data: v } = components;
  const inverse = deviations.map((deviation) => (!whiten ? 1 : deviation > 0 ? 1 / deviation : 0));
  const width = whiten === 'zca' ? d : k;
  const weights = new Float64Array(d * width);
  for (let j = 0; j < d; j++) {
    for (let c = 0; c < k; c++) {
      const weight = v[c * d + j] * inverse[c];
      if (whiten === 'zca') for (let i = 0; i < d; i++) weights[j * d + i] += weight * v[c * d + i];
      else weights[j * k + c] = weight;
    }
  }
  const scaled = scale.some((divisor) => divisor !== 1);
  const nodes = [
    node('Sub', ['x', 'mean'], 'centred'),
    ...(scaled ? [node('Div', ['centred', 'scale'], 'scaled')] : []),
    node('MatMul', [scaled ? 'scaled' : 'centred', 'weights'], 'scores'),
  ];
  const constants = [
    tensor('mean', [d], mean, dtype),
    ...(scaled ? [tensor('scale', [d], scale, dtype)] : []),
    tensor('weights', [d, width], weights, dtype),
  ];
  const graph = message(
    [1, nodes],
    [2, 'pca'],
    [5, constants],
    [11, rowsOf('x', d, dtype)],
    [12, rowsOf('scores', width, dtype)],
  );
  const metadata = columnNames && message([1, 'columnNames'], [2, JSON.stringify(columnNames)]);
  return message(
    [1, IR_VERSION],
    [2, 'scree'],
    [7, graph],
    [8, message([1, ''], [2, OPERATORS_VERSION])],
    [14, metadata],
  );
}

/** NodeProto: an operator with its inputs and its output. */
function node(operator: string, inputs: readonly string[], output: string): Uint8Array {
  return message([1, inputs.map((name) => new TextEncoder().encode(name))], [2, output], [3, operator], [4, operator]);
}

/** TensorProto: a constant. Its numbers are little-endian. */
function tensor(name: string, shape: readonly number[], values: Float64Array, dtype: StoredNumbers): Uint8Array {
  const size = dtype === 'float32' ? 4 : 8;
  const bytes = new Uint8Array(values.length * size);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < values.length; i++) {
    if (dtype === 'float32') view.setFloat32(4 * i, values[i], true);
    else view.setFloat64(8 * i, values[i], true);
  }
  return message(...shape.map((length) => [1, length] as const), [2, ELEMENT[dtype]], [8, name], [9, bytes]);
}

/** ValueInfoProto: a matrix with any number of rows. */
function rowsOf(name: string, cols: number, dtype: StoredNumbers): Uint8Array {
  const shape = message([1, [message([2, 'n']), message([1, cols])]]);
  return message([1, name], [2, message([1, message([1, ELEMENT[dtype]], [2, shape])])]);
}

/** Says which part of an encoding the operators cannot express. */
function encodingError({ columns, regression }: Encoding): ModelError {
  const category = columns.find(({ kind }) => kind === 'category');
  const transformed = columns.find((column) => column.kind === 'number' && column.transform !== 'none');
  const what = regression
    ? `subtracts the covariates ${regression.covariates.map(({ name }) => name).join(', ')}`
    : category
      ? `encodes categories (${category.name})`
      : transformed?.kind === 'number'
        ? `applies ${transformed.transform} to ${transformed.name}`
        : 'fills missing values in';
  return new ModelError(
    'BAD_MODEL',
    `This model ${what}, and toOnnx writes models of plain numbers only. Encode the columns before the fit, or use loadModel.`,
  );
}
