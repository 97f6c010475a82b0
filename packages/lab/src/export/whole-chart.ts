import { themeColour } from '../theme.js';
import { drawNotes, type FigureNotes } from './figure-notes.js';
import { standalone } from './standalone-svg.js';

/**
 * A chart that is drawn again for a file: names are not shortened, and its notes are below it. It is drawn inside the panel, because
 * the style sheet applies there, but out of sight.
 */
export async function wholeChart(
  container: HTMLElement,
  draw: (width: number) => Promise<Element>,
  notes: FigureNotes,
): Promise<SVGSVGElement> {
  const home = document.createElement('div');
  home.className = 'chart';
  home.inert = true;
  home.style.cssText = 'position: absolute; left: -100000px;';
  container.append(home);
  try {
    const figure = await draw(container.clientWidth);
    home.append(figure);
    const svg = figure instanceof SVGSVGElement ? figure : figure.querySelector<SVGSVGElement>(':scope > svg');
    if (!svg) throw new Error('The figure is not drawn yet.');
    return withNotes(standalone(svg), notes);
  } finally {
    home.remove();
  }
}

/** Makes room below a standalone figure, and draws its legend and captions there. */
function withNotes(svg: SVGSVGElement, notes: FigureNotes): SVGSVGElement {
  const [width, height] = ['width', 'height'].map((name) => Number(svg.getAttribute(name)));
  const colours = { text: themeColour('--text'), muted: themeColour('--muted') };
  const { group, height: more } = drawNotes(notes, width, colours);
  group.setAttribute('transform', `translate(0, ${height})`);
  svg.setAttribute('height', String(height + more));
  svg.setAttribute('viewBox', `0 0 ${width} ${height + more}`);
  svg.querySelector(':scope > rect')?.setAttribute('height', String(height + more));
  svg.append(group);
  return svg;
}
