import { signal } from '@preact/signals';
import { render } from 'preact';
import { type CloudArrow, type CloudHandle, PointCloud } from '../../src/charts/point-cloud/point-cloud.js';
import { isDark, themeColour } from '../../src/theme.js';
import { at, type Example, fan, groups } from './clouds.js';
import { framesOfEmptyCanvas, framesWhileDragging } from './frames.js';
import '../../src/style/base.css';

/**
 * The point cloud alone on a page, for tests and for looking at it: `?count=60000&dimensions=3&arrows` shows such a cloud, and
 * tests control it through `cloudPage`.
 */
const query = new URLSearchParams(location.search);
const dimensions = query.get('dimensions') === '3' ? 3 : 2;
const example = signal<Example>(groups(Number(query.get('count') ?? 300), dimensions));
const arrows = signal<readonly CloudArrow[]>(query.has('arrows') ? fan(dimensions) : []);
const tool = signal<'move' | 'lasso'>('move');
const equal = signal(true);
const selected = signal<Uint32Array | undefined>(undefined);
const hovered = signal<number | undefined>(undefined);
let handle: CloudHandle | undefined;
const keepHandle = (given: CloudHandle | undefined): void => {
  handle = given;
};

const page = {
  at: (positions: readonly (readonly number[])[]) => {
    example.value = at(positions);
    selected.value = undefined;
  },
  groups: (count: number, dimensions: 2 | 3) => {
    example.value = groups(count, dimensions);
    selected.value = undefined;
  },
  arrows: (given: readonly CloudArrow[]) => {
    arrows.value = given;
  },
  tool: (chosen: 'move' | 'lasso') => {
    tool.value = chosen;
  },
  select: (rows: readonly number[] | undefined) => {
    selected.value = rows && Uint32Array.from(rows);
  },
  selected: () => selected.value && Array.from(selected.value),
  hovered: () => hovered.value,
  hover: (row: number | undefined) => {
    hovered.value = row;
  },
  handle: () => handle!,
  framesWhileDragging,
  framesOfEmptyCanvas,
  /** Violations of the Content-Security-Policy by the page. */
  refused: [] as string[],
  unmount: () => render(null, document.getElementById('app')!),
};

declare global {
  // The name by which tests find it.
  var cloudPage: typeof page;
}
globalThis.cloudPage = page;
document.addEventListener('securitypolicyviolation', ({ violatedDirective }) => page.refused.push(violatedDirective));

const palette = (): string[] => {
  isDark();
  return Array.from({ length: 10 }, (_, i) => themeColour(`--group-${i}`));
};

function Page() {
  const { points, colours } = example.value;
  const axes = ['PC1 (72.9 %)', 'PC2 (22.9 %)', 'PC3 (3.7 %)'].map((label) => ({ label }));
  return (
    <section class="panel">
      <PointCloud
        webgl
        points={points}
        colours={colours}
        palette={palette()}
        axes={points.z ? axes : axes.slice(0, 2)}
        arrows={arrows.value}
        selected={selected}
        hovered={hovered}
        equalUnits={equal.value}
        label={`${points.x.length} points`}
        height={Number(query.get('height') ?? 480)}
        tool={tool.value}
        handle={keepHandle}
      />
    </section>
  );
}

render(<Page />, document.getElementById('app')!);
