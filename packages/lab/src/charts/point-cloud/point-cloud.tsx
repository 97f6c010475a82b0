import { effect } from '@preact/signals';
import type { JSX, RefObject } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { usesWebgl } from './canvas-painter.js';
import { cloudPng, cloudSvg } from './export-cloud.js';
import { type Layers, Scene } from './scene.js';
import type { PointCloudProps } from './types.js';
import '../../style/point-cloud.css';

export type { CloudArrow, CloudHandle, CloudOutline, CloudPoints, PointCloudProps } from './types.js';

const KEYS =
  'plus and minus zoom, 0 shows everything, Escape ends the selection. Click a point to select it, with shift to add it.';

/** A scatter plot of up to a million points in two dimensions, or 100,000 in three. */
export function PointCloud(props: PointCloudProps): JSX.Element {
  // A canvas cannot change between 2-D and WebGL, so another kind needs another element.
  return <Cloud key={String(usesWebgl(props))} {...props} />;
}

function Cloud(props: PointCloudProps): JSX.Element {
  const container = useRef<HTMLDivElement>(null);
  const below = useRef<SVGSVGElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const above = useRef<SVGSVGElement>(null);
  const note = useRef<HTMLParagraphElement>(null);
  const scene = useRef<Scene>(undefined);
  const instructions = useId();
  const { selected, hovered, handle, tool, label, height = 480 } = props;

  // Created once; the effects below pass on later changes.
  useLayoutEffect(() => {
    const layers = layersOf({ container, below, canvas, above, note });
    const made = new Scene(layers, props);
    scene.current = made;
    return () => made.dispose();
  }, []);
  useLayoutEffect(() => scene.current?.update(props));
  useLayoutEffect(() => effect(() => scene.current?.selectionChanged(selected.value)), [selected]);
  useLayoutEffect(
    () =>
      effect(() => {
        hovered.value;
        scene.current?.marksChanged();
      }),
    [hovered],
  );
  const shown = (): Scene => {
    if (!scene.current) throw new Error('The figure is not drawn yet.');
    return scene.current;
  };
  useLayoutEffect(() => {
    handle?.({
      toSvg: async () => cloudSvg(shown().snapshot),
      toPng: async () => cloudPng(shown().snapshot),
      resetView: () => scene.current?.resetView(),
    });
    return () => handle?.(undefined);
  }, [handle]);

  return (
    <div class="point-cloud" style={{ height: `${height}px` }} ref={container}>
      <svg class="below" aria-hidden="true" ref={below} />
      {/* biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: keys move the picture, which "application" says. */}
      <canvas
        class={tool}
        tabIndex={0}
        role="application"
        aria-roledescription="scatter plot"
        aria-label={label}
        aria-describedby={instructions}
        ref={canvas}
      />
      <svg class="above" aria-hidden="true" ref={above} />
      <p class="visually-hidden" id={instructions}>
        {props.captions?.map((caption) => `${caption} `)}
        {props.points.z ? 'Arrow keys turn the cloud, with shift they move it; ' : 'Arrow keys move the picture; '}
        {KEYS}
      </p>
      <p class="note hint" ref={note} />
      <p class="touch-hint hint" aria-hidden="true">
        Tap to move it with one finger
      </p>
    </div>
  );
}

/** The elements of the refs, which all exist once the component is mounted. */
function layersOf(refs: { readonly [Name in keyof Layers]: RefObject<Layers[Name] | null> }): Layers {
  const { container, below, canvas, above, note } = refs;
  if (!container.current || !below.current || !canvas.current || !above.current || !note.current) {
    throw new Error('The elements of the figure are not in the page.');
  }
  return {
    container: container.current,
    below: below.current,
    canvas: canvas.current,
    above: above.current,
    note: note.current,
  };
}
