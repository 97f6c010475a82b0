import type { Page } from 'playwright-core';

/** Reads the cloud as a user sees it: the pixels of the screen, and positions by the axes. */

export type Rgb = readonly [number, number, number];

/** Colours of a picture at some positions, as the browser itself reads it. */
export function coloursIn(page: Page, png: Buffer, positions: readonly (readonly [number, number])[]): Promise<Rgb[]> {
  return page.evaluate(
    async ([base64, positions]) => {
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
      const context = new OffscreenCanvas(image.width, image.height).getContext('2d')!;
      context.drawImage(image, 0, 0);
      return positions.map(([x, y]) => {
        const [red, green, blue] = context.getImageData(Math.floor(x), Math.floor(y), 1, 1).data;
        return [red, green, blue] as const;
      });
    },
    [png.toString('base64'), positions] as const,
  );
}

/** Colours on the screen, after the page has drawn everything. */
export async function coloursAt(page: Page, positions: readonly (readonly [number, number])[]): Promise<Rgb[]> {
  await settled(page);
  return coloursIn(page, await page.screenshot(), positions);
}

/** Waits until two consecutive frames are the same. */
export async function settled(page: Page): Promise<void> {
  for (let before: Buffer = Buffer.alloc(0), tries = 0; tries < 50; tries++) {
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    const now = await page.screenshot();
    if (now.equals(before)) return;
    before = now;
  }
  throw new Error('The picture does not come to rest.');
}

export interface Axis {
  /** The pixel of 0, and the pixels per unit. */
  readonly zero: number;
  readonly unit: number;
}

/** Reads the axes as a person would, from two ticks. Positions are in pixels of the page. */
export async function readAxes(page: Page): Promise<{ x: Axis; y: Axis }> {
  const ticks = await page.evaluate(() => {
    const { left, top } = document.querySelector('.point-cloud')!.getBoundingClientRect();
    const read = (name: string, attribute: 'x' | 'y', offset: number): [number, number][] =>
      Array.from(document.querySelectorAll(`.point-cloud .${name} text`), (text) => [
        Number(text.textContent!.replace('−', '-')),
        Number(text.getAttribute(attribute)) + offset,
      ]);
    return { x: read('ticks-x', 'x', left), y: read('ticks-y', 'y', top - 4) };
  });
  const axis = (all: readonly (readonly [number, number])[]): Axis => {
    const [first, last] = [all[0], all[all.length - 1]];
    const unit = (last[1] - first[1]) / (last[0] - first[0]);
    return { unit, zero: first[1] - first[0] * unit };
  };
  return { x: axis(ticks.x), y: axis(ticks.y) };
}

/** Positions of the data on the screen, by the axes. */
export async function onScreen(page: Page, positions: readonly (readonly number[])[]): Promise<[number, number][]> {
  const { x, y } = await readAxes(page);
  return positions.map((position) => [x.zero + position[0] * x.unit, y.zero + position[1] * y.unit]);
}

/** Positions of the first rows on the screen, by the ring that marks a row. Works in 3-D too. */
export function ringsAt(page: Page, count: number): Promise<[number, number][]> {
  return page.evaluate(async (count) => {
    const { left, top } = document.querySelector('.point-cloud .above')!.getBoundingClientRect();
    const positions: [number, number][] = [];
    for (let row = 0; row < count; row++) {
      cloudPage.hover(row);
      await new Promise((resolve) => requestAnimationFrame(resolve));
      await new Promise((resolve) => requestAnimationFrame(resolve));
      const ring = document.querySelector('.point-cloud .rings circle')!;
      positions.push([left + Number(ring.getAttribute('cx')), top + Number(ring.getAttribute('cy'))]);
    }
    cloudPage.hover(undefined);
    return positions;
  }, count);
}
