import type { Matrix } from '@scree/core';
import { type Random, random } from '@scree/core/learn';
import { useMemo } from 'preact/hooks';
import { type OwnCloud, ownCloud } from '../../state/own-cloud.js';

/** Centred points, each with a group, so that it can be followed from one picture to the next. */
export interface Cloud {
  readonly id: string;
  readonly name: string;
  readonly points: Matrix<Float64Array>;
  readonly groups: Uint8Array;
}

type Draw = (rng: Random, i: number) => { at: readonly number[]; group: number };

interface Recipe {
  readonly id: string;
  readonly name: string;
  readonly count: number;
  readonly draw: Draw;
}

/** Turns a plane figure by an angle. */
const turned = (x: number, y: number, degrees: number): number[] => {
  const [c, s] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
  return [c * x - s * y, s * x + c * y];
};

/** Tilts a figure in space, so that no coordinate axis is a principal axis. */
const tilted = (x: number, y: number, z: number): number[] => {
  const [a, b] = turned(x, y, 35);
  const [c, d] = turned(b, z, 25);
  return [a, c, d];
};

/** The quadrant of a point, from 0 to 3. */
const quarter = (x: number, y: number): number => (x < 0 ? 1 : 0) + (y < 0 ? 2 : 0);

const FLAT: readonly Recipe[] = [
  {
    id: 'tilted',
    name: 'Tilted ellipse',
    count: 110,
    draw: (rng) => {
      const [x, y] = [2 * rng.normal(), 0.7 * rng.normal()];
      return { at: turned(x, y, 32), group: 0 };
    },
  },
  {
    id: 'blobs',
    name: 'Three blobs',
    count: 120,
    draw: (rng, i) => {
      const group = i % 3;
      const [x, y] = [
        [-2.4, -0.9],
        [0.4, 1.5],
        [2.2, 0.1],
      ][group];
      return { at: [x + 0.5 * rng.normal(), y + 0.45 * rng.normal()], group };
    },
  },
  {
    id: 'banana',
    name: 'Banana',
    count: 110,
    draw: (rng) => {
      const t = 2 * rng.uniform() - 1;
      const at = turned(2.6 * t + 0.2 * rng.normal(), 1.9 * t * t + 0.3 * rng.normal(), -15);
      return { at, group: 0 };
    },
  },
  {
    id: 'round',
    name: 'Almost round',
    count: 110,
    draw: (rng) => ({ at: [1.25 * rng.normal(), 1.25 * rng.normal()], group: 0 }),
  },
];

const SOLID: readonly Recipe[] = [
  {
    id: 'pancake',
    name: 'Tilted pancake',
    count: 84,
    draw: (rng) => {
      const [x, y, z] = [2 * rng.normal(), 1.2 * rng.normal(), 0.45 * rng.normal()];
      return { at: tilted(x, y, z), group: quarter(x, y) };
    },
  },
  {
    id: 'blobs',
    name: 'Four blobs',
    count: 84,
    draw: (rng, i) => {
      const group = i % 4;
      const [x, y, z] = [
        [2.2, 0.2, 0.4],
        [-1.6, 1.6, 0.6],
        [-1.2, -1.8, 0.5],
        [0.3, 0.1, -1.5],
      ][group];
      const [dx, dy, dz] = [rng.normal(), rng.normal(), rng.normal()];
      return { at: tilted(x + 0.4 * dx, y + 0.4 * dy, z + 0.4 * dz), group };
    },
  },
  {
    id: 'roll',
    name: 'Swiss roll',
    count: 96,
    draw: (rng, i) => {
      const t = i / 96;
      const around = 1.5 * Math.PI * (1 + 1.6 * t);
      const radius = 0.2 * around;
      const at = tilted(radius * Math.cos(around), 2.6 * (rng.uniform() - 0.5), radius * Math.sin(around));
      return { at, group: Math.min(3, Math.floor(4 * t)) };
    },
  },
  {
    id: 'spring',
    name: 'Spring',
    count: 90,
    draw: (rng, i) => {
      const t = i / 90;
      const around = 5 * Math.PI * t;
      const noise = (): number => 0.08 * rng.normal();
      const at = tilted(5 * (t - 0.5) + noise(), 1.5 * Math.cos(around) + noise(), 0.9 * Math.sin(around) + noise());
      return { at, group: Math.min(3, Math.floor(4 * t)) };
    },
  },
  {
    id: 'ball',
    name: 'Almost a ball',
    count: 84,
    draw: (rng) => {
      const [x, y, z] = [1.4 * rng.normal(), 1.3 * rng.normal(), 1.2 * rng.normal()];
      return { at: tilted(x, y, z), group: quarter(x, y) };
    },
  },
];

/** The clouds that can be chosen; the user's own data are last, if they have enough dimensions. */
export function cloudChoices(dimensions: 2 | 3): readonly { readonly id: string; readonly name: string }[] {
  const own = ownCloud.value;
  const known = (dimensions === 2 ? FLAT : SOLID).map(({ id, name }) => ({ id, name }));
  return own && fits(own, dimensions) ? [...known, { id: 'own', name: `Your data: ${own.name}` }] : known;
}

/** The cloud of that name, or the first one if the name is unknown. */
export function cloudOf(id: string, dimensions: 2 | 3, seed = 1): Cloud {
  const own = ownCloud.value;
  if (id === 'own' && own && fits(own, dimensions)) return ownPoints(own, dimensions);
  const recipes = dimensions === 2 ? FLAT : SOLID;
  return drawn(recipes.find((recipe) => recipe.id === id) ?? recipes[0], dimensions, seed);
}

/** `cloudOf` for a component. The user's own data may change while a screen is open. */
export function useCloud(id: string, dimensions: 2 | 3): Cloud {
  const own = ownCloud.value;
  return useMemo(() => cloudOf(id, dimensions), [id, dimensions, own]);
}

/** True if the data have enough dimensions, rows and variance to be shown. */
function fits({ points }: OwnCloud, dimensions: number): boolean {
  return points.cols >= dimensions && points.rows > dimensions && points.data.some((value) => value !== points.data[0]);
}

function drawn({ id, name, count, draw }: Recipe, cols: number, seed: number): Cloud {
  const rng = random(seed);
  const data = new Float64Array(count * cols);
  const groups = new Uint8Array(count);
  for (let i = 0; i < count; i++) {
    const { at, group } = draw(rng, i);
    data.set(at.slice(0, cols), i * cols);
    groups[i] = group;
  }
  return { id, name, points: centred({ rows: count, cols, data }), groups };
}

function ownPoints({ name, points }: OwnCloud, cols: number): Cloud {
  const stride = points.stride ?? points.cols;
  const data = new Float64Array(points.rows * cols);
  for (let i = 0; i < points.rows; i++) data.set(points.data.subarray(i * stride, i * stride + cols), i * cols);
  const about = centred({ rows: points.rows, cols, data });
  // The groups are unknown. Quadrants of the first two components are as easy to follow.
  const groups = Uint8Array.from({ length: points.rows }, (_, i) =>
    quarter(about.data[i * cols], about.data[i * cols + 1]),
  );
  return { id: 'own', name: `Your data: ${name}`, points: about, groups: cols === 2 ? groups.fill(0) : groups };
}

/** Subtracts the mean: all screens show centred points. */
export function centred({ rows, cols, data }: Matrix<Float64Array>): Matrix<Float64Array> {
  const out = data.slice();
  for (let j = 0; j < cols; j++) {
    let mean = 0;
    for (let i = 0; i < rows; i++) mean += data[i * cols + j] / rows;
    for (let i = 0; i < rows; i++) out[i * cols + j] -= mean;
  }
  return { rows, cols, data: out };
}

/** The largest distance from the mean: the extent of a stage in space. */
export function reachOf({ rows, cols, data }: Matrix<Float64Array>): number {
  let most = 0;
  for (let i = 0; i < rows; i++) most = Math.max(most, Math.hypot(...data.subarray(i * cols, i * cols + cols)));
  return most || 1;
}

/** The largest distances along the first two axes: the extent of a plane stage. */
export function boxOf({ rows, cols, data }: Matrix<Float64Array>): { readonly x: number; readonly y: number } {
  let [x, y] = [0, 0];
  for (let i = 0; i < rows; i++) {
    x = Math.max(x, Math.abs(data[i * cols]));
    y = Math.max(y, Math.abs(data[i * cols + 1]));
  }
  const least = 1e-3 * Math.max(x, y) || 1;
  return { x: Math.max(x, least), y: Math.max(y, least) };
}
