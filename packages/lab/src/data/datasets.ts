import type { DataOrigin } from '../worker/messages.js';
import irisTable from './iris.csv?raw';
import mnistImages from './mnist-images.gz?url';
import mnistLabels from './mnist-labels.gz?url';
import penguins from './penguins.csv?url';
import usarrests from './usarrests.csv?url';
import wine from './wine.csv?url';

/** Built-in data, with good initial settings. */
export interface Dataset {
  readonly title: string;
  /** One line about the data. */
  readonly about: string;
  readonly origin: DataOrigin;
  readonly scale?: 'unit';
  /** Columns that are not measurements. */
  readonly exclude?: readonly string[];
  /** The column whose groups colour the points. */
  readonly colour?: string;
  /** The column that names rows. Its texts are all different. */
  readonly label?: string;
}

const at = (name: string, url: string): DataOrigin => ({ kind: 'url', name, url });

export const DATASETS = {
  iris: {
    title: 'Iris',
    about: '150 flowers of three species, four measurements (Anderson, 1935)',
    // The table is part of the page, so that the first figure needs no request.
    origin: { kind: 'text', name: 'iris.csv', text: irisTable },
    colour: 'species',
  },
  usarrests: {
    title: 'US arrests',
    about: '50 states, arrests for three crimes and urban population (1973)',
    origin: at('usarrests.csv', usarrests),
    scale: 'unit',
    label: 'state',
  },
  penguins: {
    title: 'Penguins',
    about: '344 penguins of three species; two penguins were not measured (Palmer Station, 2007–2009)',
    origin: at('penguins.csv', penguins),
    scale: 'unit',
    exclude: ['year'],
    colour: 'species',
  },
  wine: {
    title: 'Wine',
    about: '178 wines of three cultivars, thirteen chemical measurements',
    origin: at('wine.csv', wine),
    scale: 'unit',
    colour: 'cultivar',
  },
  mnist: {
    title: 'MNIST digits',
    about: '10,000 handwritten digits, pictures of 28 × 28 pixels',
    origin: { ...at('mnist-images', mnistImages), labels: { name: 'digit', url: mnistLabels } } as DataOrigin,
    colour: 'digit',
  },
} as const satisfies Record<string, Dataset>;

export type DatasetName = keyof typeof DATASETS;

export function isDataset(name: string | null): name is DatasetName {
  return name !== null && Object.hasOwn(DATASETS, name);
}
