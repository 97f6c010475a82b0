import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { closePages, sharedChromium } from '../../../test/chromium.js';
import { serve } from '../../../test/serve.js';
import { bundlePage } from './point-cloud-page/bundle.js';
import {
  coloursAt,
  coloursIn,
  onScreen,
  type Rgb,
  readAxes,
  ringsAt,
  settled,
} from './point-cloud-page/read-pixels.js';

const executablePath = inject('chromium');

/** No code from text and no style in attributes: stricter than the policy of the lab. */
const POLICY = "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; object-src 'none'";

/** Points with different colours, far from each other and from the lines of the grid. Row 4 is near the middle. */
const CORNERS = [
  [-3.7, -1.7],
  [3.7, -1.7],
  [-3.7, 1.7],
  [3.7, 1.7],
  [0.3, 0.3],
];

describe.skipIf(!executablePath)('the point cloud, in Chromium', () => {
  let browser: Browser;
  let server: Awaited<ReturnType<typeof serve>>;
  let page: Page;
  const complaints: string[] = [];

  async function open(query = '', options: BrowserContextOptions = {}, before?: () => void): Promise<Page> {
    const context = await browser.newContext({
      viewport: { width: 900, height: 560 },
      reducedMotion: 'reduce',
      ...options,
    });
    const opened = await context.newPage();
    if (before) await opened.addInitScript(before);
    opened.on('pageerror', (error) => complaints.push(String(error)));
    opened.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    await opened.goto(`${server.url}${query}`);
    await settled(opened);
    return opened;
  }

  beforeAll(async () => {
    const [site, launched] = await Promise.all([bundlePage(), sharedChromium(executablePath)]);
    browser = launched;
    server = await serve(site, { 'Content-Security-Policy': POLICY });
    page = await open();
  });
  afterAll(async () => {
    await closePages(browser);
    await server?.close();
  });
  afterEach(async () => {
    complaints.push(...(await page.evaluate(() => cloudPage.refused.splice(0))));
    await page.mouse.move(2, 2);
    expect(complaints.splice(0)).toEqual([]);
  });

  const palette = (on = page): Promise<Rgb[]> =>
    on.evaluate(() => {
      const probe = document.body.appendChild(document.createElement('span'));
      const colours = Array.from({ length: 10 }, (_, i) => {
        probe.style.color = `var(--group-${i})`;
        const [red, green, blue] = getComputedStyle(probe).color.match(/\d+/g)!.map(Number);
        return [red, green, blue] as const;
      });
      probe.remove();
      return colours;
    });
  const distance = (a: Rgb, b: Rgb): number => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
  /** Dots are translucent on a white ground, and more so if they are far away in 3-D. The difference from white tells their colour. */
  const expectColours = (seen: readonly Rgb[], expected: readonly Rgb[], leastShare = 0.75): void => {
    for (const [i, colour] of seen.entries()) {
      const [taken, most] = [colour, expected[i]].map((of) => of.map((part) => 255 - part));
      const length = Math.hypot(...most);
      const along = taken.reduce((sum, part, side) => sum + part * most[side], 0) / length;
      const what = `dot ${i} is ${colour}, should be ${expected[i]}`;
      expect(along / length, what).toBeGreaterThan(leastShare);
      expect(along / Math.hypot(...taken), what).toBeGreaterThan(0.97);
    }
  };
  const expectGround = (seen: readonly Rgb[]): void => {
    for (const colour of seen) expect(distance(colour, [255, 255, 255])).toBeLessThan(3);
  };
  const show = async (positions: readonly (readonly number[])[]): Promise<void> => {
    await page.evaluate((positions) => {
      cloudPage.tool('move');
      cloudPage.arrows([]);
      cloudPage.at(positions);
      cloudPage.handle().resetView();
    }, positions);
    await settled(page);
  };
  const selected = () => page.evaluate(() => cloudPage.selected());

  it('draws points at their coordinates in their colours, and nothing elsewhere', async () => {
    await show(CORNERS);
    const positions = await onScreen(page, CORNERS);
    expectColours(await coloursAt(page, positions), await palette());
    const beside = positions.map(([x, y]) => [x + 9, y + 9] as const);
    expectGround(await coloursAt(page, beside));
  });

  it('hovers the point under the pointer, and nothing on the background', async () => {
    await show(CORNERS);
    const positions = await onScreen(page, CORNERS);
    for (const [row, [x, y]] of positions.entries()) {
      await page.mouse.move(x + 4, y - 4);
      await expect.poll(() => page.evaluate(() => cloudPage.hovered())).toBe(row);
    }
    await page.mouse.move(positions[0][0] + 60, positions[0][1] - 30);
    await expect.poll(() => page.evaluate(() => cloudPage.hovered())).toBeUndefined();
  });

  it('pans when dragged', async () => {
    await show(CORNERS);
    const before = await readAxes(page);
    await page.mouse.move(500, 300);
    await page.mouse.down();
    await page.mouse.move(560, 270, { steps: 4 });
    await page.mouse.up();
    const after = await readAxes(page);
    expect(after.x.zero - before.x.zero).toBeCloseTo(60, -0.5);
    expect(after.y.zero - before.y.zero).toBeCloseTo(-30, -0.5);
    // The other points have left the picture.
    const [left, middle] = await onScreen(page, [CORNERS[0], CORNERS[4]]);
    const colours = await palette();
    expectColours(await coloursAt(page, [left, middle]), [colours[0], colours[4]]);
    expect(await selected()).toBeUndefined();
  });

  it('zooms about the pointer with the wheel, and resets the view', async () => {
    await show(CORNERS);
    const before = await readAxes(page);
    const [[x, y]] = await onScreen(page, [[1, 0.5]]);
    await page.mouse.move(x, y);
    await page.mouse.wheel(0, -300);
    await settled(page);
    const after = await readAxes(page);
    expect(after.x.unit / before.x.unit).toBeGreaterThan(1.3);
    expect((x - after.x.zero) / after.x.unit).toBeCloseTo(1, 1);
    expect((y - after.y.zero) / after.y.unit).toBeCloseTo(0.5, 1);
    expectColours(await coloursAt(page, await onScreen(page, [CORNERS[4]])), [(await palette())[4]]);
    await page.evaluate(() => cloudPage.handle().resetView());
    await settled(page);
    expect((await readAxes(page)).x.unit).toBeCloseTo(before.x.unit, 0);
  });

  it('pans, zooms and resets with keys', async () => {
    await show(CORNERS);
    const canvas = page.getByRole('application');
    await canvas.focus();
    const before = await readAxes(page);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowUp');
    await settled(page);
    const moved = await readAxes(page);
    expect(moved.x.zero - before.x.zero).toBeCloseTo(-40, -0.5);
    expect(moved.y.zero - before.y.zero).toBeCloseTo(40, -0.5);
    await page.keyboard.press('+');
    await settled(page);
    expect((await readAxes(page)).x.unit).toBeGreaterThan(1.2 * before.x.unit);
    await page.keyboard.press('0');
    await settled(page);
    expect((await readAxes(page)).x.unit).toBeCloseTo(before.x.unit, 0);
    expect(await canvas.getAttribute('aria-label')).toBe('5 points');
  });

  it('selects with a click, adds with shift, and clears with Escape or a click on the background', async () => {
    await show(CORNERS);
    const positions = await onScreen(page, CORNERS);
    await page.mouse.click(...positions[3]);
    expect(await selected()).toEqual([3]);
    await page.keyboard.down('Shift');
    await page.mouse.click(...positions[0]);
    expect(await selected()).toEqual([0, 3]);
    await page.mouse.click(...positions[3]);
    expect(await selected()).toEqual([0]);
    await page.keyboard.up('Shift');
    await page.keyboard.press('Escape');
    expect(await selected()).toBeUndefined();
    await page.mouse.click(...positions[1]);
    await page.mouse.click(positions[1][0] - 50, positions[1][1] - 50);
    expect(await selected()).toBeUndefined();
  });

  it('fades points that are not selected', async () => {
    await show(CORNERS);
    const positions = await onScreen(page, CORNERS);
    await page.evaluate(() => cloudPage.select([1]));
    const colours = await palette();
    const seen = await coloursAt(page, positions);
    expect(distance(seen[1], colours[1])).toBeLessThan(40);
    for (const row of [0, 2, 3, 4]) {
      expect(distance(seen[row], [255, 255, 255])).toBeLessThan(distance(seen[row], colours[row]) / 2.5);
    }
  });

  it.each([2, 3] as const)('selects exactly the points inside the lasso, in %i dimensions', async (dimensions) => {
    await page.evaluate((dimensions) => {
      cloudPage.groups(60, dimensions);
      cloudPage.tool('lasso');
    }, dimensions);
    await settled(page);
    const positions = await ringsAt(page, 60);
    const centre = [300, 240];
    const inside = ([x, y]: readonly number[]): boolean =>
      Math.abs(x - centre[0]) < 150 &&
      Math.abs(y - centre[1]) < 110 &&
      Math.abs(x - centre[0]) + Math.abs(y - centre[1]) < 200;
    // A square with its corners cut off, by its eight corners.
    const corners = [
      [-150, -50],
      [-90, -110],
      [90, -110],
      [150, -50],
      [150, 50],
      [90, 110],
      [-90, 110],
      [-150, 50],
    ];
    const draw = async (dx = 0): Promise<void> => {
      await page.mouse.move(centre[0] + corners[0][0] + dx, centre[1] + corners[0][1]);
      await page.mouse.down();
      for (const [x, y] of [...corners, corners[0]])
        await page.mouse.move(centre[0] + x + dx, centre[1] + y, { steps: 3 });
      await page.mouse.up();
    };
    await draw();
    const expected = [...positions.keys()].filter((row) => inside(positions[row]));
    expect(expected.length).toBeGreaterThan(3);
    await expect.poll(selected).toEqual(expected);
    await page.keyboard.down('Shift');
    await draw(260);
    await page.keyboard.up('Shift');
    const both = [...positions.keys()].filter(
      (row) => inside(positions[row]) || inside([positions[row][0] - 260, positions[row][1]]),
    );
    await expect.poll(selected).toEqual(both);
  });

  it('rotates in 3-D, and hovers points there', async () => {
    await show([
      [-3, -2, 0],
      [3, -2, 1],
      [-3, 2, -1],
      [3, 2, 0.5],
    ]);
    const before = await ringsAt(page, 4);
    expectColours(await coloursAt(page, before), await palette(), 0.4);
    await page.mouse.move(450, 260);
    await page.mouse.down();
    await page.mouse.move(520, 290, { steps: 5 });
    await page.mouse.up();
    await page.mouse.move(2, 2);
    const after = await ringsAt(page, 4);
    for (const [row, [x, y]] of before.entries())
      expect(Math.hypot(after[row][0] - x, after[row][1] - y)).toBeGreaterThan(10);
    expectColours(await coloursAt(page, after), await palette(), 0.4);
    for (const [row, position] of after.entries()) {
      await page.mouse.move(...position);
      await expect.poll(() => page.evaluate(() => cloudPage.hovered())).toBe(row);
    }
    expect(await page.locator('.point-cloud .axis-names text').allTextContents()).toEqual([
      'PC1 (72.9 %)',
      'PC2 (22.9 %)',
      'PC3 (3.7 %)',
    ]);
  });

  it('draws again after the WebGL context was lost and restored', async () => {
    await show(CORNERS);
    const positions = await onScreen(page, CORNERS);
    await page.evaluate(async () => {
      const canvas = document.querySelector<HTMLCanvasElement>('.point-cloud canvas')!;
      const loss = canvas.getContext('webgl2')!.getExtension('WEBGL_lose_context')!;
      const next = (name: string) => new Promise((resolve) => canvas.addEventListener(name, resolve, { once: true }));
      const lost = next('webglcontextlost');
      loss.loseContext();
      await lost;
      // Changes in the meantime must not be lost.
      cloudPage.select([2]);
      await new Promise((resolve) => setTimeout(resolve, 50));
      const restored = next('webglcontextrestored');
      loss.restoreContext();
      await restored;
    });
    expect(await selected()).toEqual([2]);
    expectColours(await coloursAt(page, [positions[2]]), [(await palette())[2]]);
    await page.evaluate(() => cloudPage.select(undefined));
    expectColours(await coloursAt(page, positions), await palette());
  });

  describe('exports the figure', () => {
    const hostile = '<img src=x onerror=alert(1)> \u0001 & "quotes"';

    it('as standalone SVG with circles, axes, arrows, and names as text', async () => {
      await show(CORNERS);
      await page.evaluate((label) => cloudPage.arrows([{ x: 2, y: 1, label }]), hostile.slice(0, 24));
      await settled(page);
      const { text, facts } = await page.evaluate(async () => {
        const svg = await cloudPage.handle().toSvg();
        const text = new XMLSerializer().serializeToString(svg);
        const parsed = new DOMParser().parseFromString(text, 'image/svg+xml');
        const all = (name: string) => Array.from(parsed.querySelectorAll(name));
        return {
          text,
          facts: {
            root: parsed.documentElement.tagName,
            circles: all('circle').length,
            images: all('image, img').length,
            paths: all('path').length,
            texts: all('text').map((element) => element.textContent),
          },
        };
      });
      expect(facts).toMatchObject({ root: 'svg', circles: 5, images: 0, paths: 2 });
      expect(facts.texts).toEqual(
        expect.arrayContaining(['PC1 (72.9 %) →', '↑ PC2 (22.9 %)', '−2', '<img src=x onerror=alert']),
      );
      expect(text).not.toMatch(/var\(|class=|currentColor|light-dark/);
    });

    it('as SVG with a bitmap of the points if there are many', async () => {
      await page.evaluate(() => cloudPage.groups(6000, 2));
      await settled(page);
      const facts = await page.evaluate(async () => {
        const svg = await cloudPage.handle().toSvg();
        const href = svg.querySelector('image')!.getAttribute('href')!;
        return { circles: svg.querySelectorAll('circle').length, href: href.slice(0, 22), long: href.length > 20_000 };
      });
      expect(facts).toEqual({ circles: 0, href: 'data:image/png;base64,', long: true });
    });

    it.each([2, 3] as const)('as PNG at twice the size, in %i dimensions', async (dimensions) => {
      await show(dimensions === 2 ? CORNERS : CORNERS.map(([x, y], i) => [x, y, i]));
      await page.evaluate((label) => cloudPage.arrows([{ x: 2, y: 1, label }]), hostile);
      // The arrow may cover row 4.
      const positions = await ringsAt(page, 4);
      const base64 = await page.evaluate(async () => {
        const bytes = new Uint8Array(await (await cloudPage.handle().toPng()).arrayBuffer());
        return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
      });
      const png = Buffer.from(base64, 'base64');
      const box = (await page.locator('.point-cloud').boundingBox())!;
      expect(png.readUInt32BE(16)).toBe(2 * Math.floor(box.width));
      expect(png.readUInt32BE(20)).toBe(960);
      const seen = positions.map(([x, y]) => [2 * (x - box.x), 2 * (y - box.y)] as const);
      expectColours(await coloursIn(page, png, seen), await palette(), 0.4);
    });
  });

  it('draws on a 2-D canvas without WebGL2, and says how many points it leaves out', async () => {
    const plain = await open('?count=200100', {}, () => {
      const original = HTMLCanvasElement.prototype.getContext;
      HTMLCanvasElement.prototype.getContext = function (this: HTMLCanvasElement, kind: string, ...rest: unknown[]) {
        return kind === 'webgl2' ? null : Reflect.apply(original, this, [kind, ...rest]);
      } as typeof original;
    });
    expect(await plain.locator('.point-cloud .note').textContent()).toBe(
      'Drawn without WebGL: 200,000 of 200,100 points, evenly chosen.',
    );
    await plain.evaluate((positions) => cloudPage.at(positions), CORNERS);
    await settled(plain);
    const positions = await onScreen(plain, CORNERS);
    expectColours(await coloursAt(plain, positions), await palette(plain));
    expect(await plain.locator('.point-cloud .note').textContent()).toBe('');
    await plain.mouse.move(...positions[3]);
    await expect.poll(() => plain.evaluate(() => cloudPage.hovered())).toBe(3);
    await plain.context().close();
  });

  it('scrolls with one finger until it is tapped, then pans; two fingers always zoom', async () => {
    const phone = await open('?height=700', {
      viewport: { width: 390, height: 600 },
      deviceScaleFactor: 2,
      hasTouch: true,
      isMobile: true,
    });
    const devtools = await phone.context().newCDPSession(phone);
    const touch = (type: string, ...points: number[][]) =>
      devtools.send('Input.dispatchTouchEvent', {
        type: type as 'touchStart',
        touchPoints: points.map(([x, y], id) => ({ x, y, id })),
      });
    const swipe = async (): Promise<void> => {
      await touch('touchStart', [200, 400]);
      for (let y = 390; y >= 340; y -= 10) await touch('touchMove', [200, y]);
      await touch('touchEnd');
      await phone.waitForTimeout(100);
      await settled(phone);
    };
    const scrolled = () => phone.evaluate(() => scrollY);

    const before = await readAxes(phone);
    await touch('touchStart', [150, 300], [250, 300]);
    for (let step = 1; step <= 5; step++) await touch('touchMove', [150 - 8 * step, 300], [250 + 8 * step, 300]);
    await touch('touchEnd');
    await settled(phone);
    const zoomed = await readAxes(phone);
    expect(zoomed.x.unit / before.x.unit).toBeGreaterThan(1.5);
    expect((200 - zoomed.x.zero) / zoomed.x.unit).toBeCloseTo((200 - before.x.zero) / before.x.unit, 0);

    await swipe();
    expect(await scrolled()).toBeGreaterThan(20);
    expect((await readAxes(phone)).y.zero + (await scrolled())).toBeCloseTo(zoomed.y.zero, -1);

    await phone.evaluate(() => scrollTo(0, 0));
    await phone.touchscreen.tap(100, 100);
    await settled(phone);
    const tapped = await readAxes(phone);
    await swipe();
    expect(await scrolled()).toBe(0);
    expect((await readAxes(phone)).y.zero - tapped.y.zero).toBeLessThan(-20);
    await phone.context().close();
  });

  it('pans a million points nearly as smoothly as an empty figure, and blocks the page only briefly', async ({
    annotate,
  }) => {
    const many = await open('?count=1000000', { viewport: { width: 1280, height: 560 } });
    const measured = await many.evaluate(async () => {
      const million = await cloudPage.framesWhileDragging(60);
      cloudPage.groups(60_000, 2);
      await new Promise((resolve) => setTimeout(resolve, 500));
      const sixty = await cloudPage.framesWhileDragging(60);
      return { empty: await cloudPage.framesOfEmptyCanvas(60), sixty, million };
    });
    await annotate(JSON.stringify(measured));
    // The frame rate depends on other work of the machine. The time of the page's own thread depends on it much less.
    expect(measured.million.script).toBeLessThan(12);
    expect(measured.sixty.script).toBeLessThan(12);
    expect(measured.million.interval / measured.empty.interval).toBeLessThan(6);
    await many.context().close();
  });

  it('is removed without errors', async () => {
    await page.evaluate(() => cloudPage.unmount());
    await page.mouse.move(300, 300);
    await page.mouse.wheel(0, 100);
    expect(await page.locator('canvas').count()).toBe(0);
  });
});
