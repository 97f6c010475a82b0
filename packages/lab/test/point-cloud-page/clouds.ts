import type { CloudArrow, CloudPoints } from '../../src/charts/point-cloud/point-cloud.js';

export interface Example {
  readonly points: CloudPoints;
  readonly colours: Uint8Array;
}

/** Reproducible random numbers between 0 and 1. */
export function* uniform(seed = 1): Generator<number> {
  for (let state = seed >>> 0; ; ) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    yield state / 2 ** 32;
  }
}

/** Groups of normal points, stretched along the first axis like scores. */
export function groups(count: number, dimensions: 2 | 3, groupCount = 5): Example {
  const numbers = uniform(7);
  const next = (): number => numbers.next().value;
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
  const centres = Array.from({ length: groupCount }, () => [
    6 * (next() - 0.5),
    4 * (next() - 0.5),
    4 * (next() - 0.5),
  ]);
  const [x, y, z] = [new Float32Array(count), new Float32Array(count), new Float32Array(count)];
  const colours = new Uint8Array(count);
  for (let i = 0; i < count; i++) {
    const group = Math.floor((i * groupCount) / count);
    x[i] = centres[group][0] + 0.7 * normal();
    y[i] = centres[group][1] + 0.4 * normal();
    z[i] = centres[group][2] + 0.4 * normal();
    colours[i] = group;
  }
  return { points: dimensions === 3 ? { x, y, z } : { x, y }, colours };
}

/** Points at given positions, each with its own colour. */
export function at(positions: readonly (readonly number[])[]): Example {
  const side = (i: number): Float32Array => Float32Array.from(positions, (position) => position[i]);
  const inSpace = positions[0].length === 3;
  return {
    points: inSpace ? { x: side(0), y: side(1), z: side(2) } : { x: side(0), y: side(1) },
    colours: Uint8Array.from(positions, (_, i) => i),
  };
}

export function fan(dimensions: 2 | 3): CloudArrow[] {
  const names = [
    'sepal length',
    'sepal width',
    'petal length',
    'petal width',
    'Murder',
    'Assault',
    'UrbanPop',
    'Rape',
    'a name that is much too long to fit',
    '<img src=x onerror=alert(1)>',
    'flipper_length_mm',
    'bill_depth_mm',
  ];
  return names.map((label, i) => {
    const angle = 0.2 + (i % 4) * 0.12 + Math.floor(i / 4) * 2;
    const length = 2.6 - 0.1 * i;
    return {
      x: length * Math.cos(angle),
      y: length * Math.sin(angle),
      z: dimensions === 3 ? (i % 3) - 1 : undefined,
      label,
    };
  });
}
