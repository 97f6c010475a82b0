import { effect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { isDark } from '../theme.js';

interface PictureProps {
  readonly size: readonly [height: number, width: number];
  readonly label: string;
  readonly paint: (context: CanvasRenderingContext2D) => void;
  /** The picture is painted again when one of these or the theme changes. */
  readonly deps: readonly unknown[];
}

/** Numbers as a picture, one pixel each; the style sheet enlarges it. */
export function PixelPicture({ size: [height, width], label, paint, deps }: PictureProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(
    () =>
      effect(() => {
        isDark();
        const context = canvas.current?.getContext('2d');
        if (context) paint(context);
      }),
    deps,
  );
  return <canvas ref={canvas} width={width} height={height} role="img" aria-label={label} />;
}
