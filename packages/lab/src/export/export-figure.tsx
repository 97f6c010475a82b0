import type { RefObject } from 'preact';
import { reportProblem } from '../state/data.js';
import { fitted } from '../state/fit.js';
import { sheetPng, sheetSvg } from './picture-sheet.js';
import { save } from './save.js';
import { standalone, svgText, svgToPng } from './standalone-svg.js';

interface Props {
  /** The end of the file name, after the name of the data. */
  readonly name: string;
  readonly svg: () => SVGSVGElement | Promise<SVGSVGElement> | undefined;
  /** Makes the PNG, if it is not made from the SVG. */
  readonly png?: () => Promise<Blob> | undefined;
}

/** Buttons that save a figure as SVG or PNG. */
export function ExportFigure({ name, svg, png }: Props) {
  // The name of the data in the figure. Other data may be open already, without a fit yet.
  const file = (ending: string): string => `${fileStem(fitted.value?.data.info.name ?? 'scree')}-${name}.${ending}`;
  const figure = async (): Promise<SVGSVGElement> => {
    const drawn = await svg();
    if (!drawn) throw new Error('The figure is not drawn yet.');
    return drawn.isConnected ? standalone(drawn) : drawn;
  };
  return (
    <span class="export">
      <button
        type="button"
        class="small"
        aria-label={`Save ${name} as SVG`}
        onClick={() =>
          figure()
            .then((drawn) => save(new Blob([svgText(drawn)], { type: 'image/svg+xml' }), file('svg')))
            .catch(reportProblem)
        }
      >
        SVG
      </button>
      <button
        type="button"
        class="small"
        aria-label={`Save ${name} as PNG`}
        onClick={() =>
          (png?.() ?? figure().then(svgToPng)).then((blob) => save(blob, file('png'))).catch(reportProblem)
        }
      >
        PNG
      </button>
    </span>
  );
}

/** The name of the data without extension and without characters that file systems refuse. */
export function fileStem(name: string): string {
  return (
    name
      .replace(/\.[^.]*$/, '')
      .replace(/[^\p{L}\p{N}_-]+/gu, '-')
      .slice(0, 60) || 'scree'
  );
}

/** The same buttons for pictures side by side. */
export function ExportPictures({
  name,
  container,
}: {
  readonly name: string;
  readonly container: RefObject<HTMLElement | null>;
}) {
  return (
    <ExportFigure
      name={name}
      svg={() => (container.current ? sheetSvg(container.current) : undefined)}
      png={() => (container.current ? sheetPng(container.current) : undefined)}
    />
  );
}
