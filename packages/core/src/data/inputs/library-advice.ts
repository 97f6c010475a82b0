import { findLibraryObject, type LibraryObjectName } from './library-kind.js';

/** The expression to pass instead of an object of another library. */
const PASS: Readonly<Record<LibraryObjectName, string>> = {
  'a TensorFlow.js tensor': 'tensor.arraySync()',
  'a nodejs-polars DataFrame': 'frame.toRecords()',
  'a nodejs-polars LazyFrame': 'await frame.collect()',
  'an Apache Arrow table or record batch': 'table.toArray().map((row) => row.toJSON())',
  'an Apache Arrow vector': 'vector.toArray()',
  'an Arquero table': 'table.objects()',
  'a Danfo.js DataFrame': 'frame.values',
  'a DuckDB result': 'await result.getRowObjectsJS()',
  'a math.js matrix': 'matrix.toArray()',
  'a NumJs array': 'array.tolist()',
  'an OpenCV.js Mat':
    '{ rows: mat.rows, cols: mat.cols, data: mat.data32F }, with the array of the type that the Mat has',
  'a sparse matrix of ml-sparse-matrix': 'a sparse matrix { rows, cols, indptr, indices, data }, or matrix.to2DArray()',
  'an ndarray': '{ rows: array.shape[0], cols: array.shape[1], data } with its numbers row by row in a typed array',
};

/** For data of other libraries: describes the value, and names the value to pass, as the end of a sentence. */
export function libraryAdvice(value: object): string | undefined {
  const found = findLibraryObject(value);
  return found && `${found.name}, which is not read as it is. Pass ${PASS[found.name]}.`;
}
