/// <reference types="node" />
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { closePages, sharedChromium } from '../../../test/chromium.js';
import { frames, labSite, serve, violations, type Watched, watch } from './lab-site.js';

const executablePath = inject('chromium');
/** Options of a context for tests with reduced motion and with axe in the page. */
const STILL: BrowserContextOptions = { bypassCSP: true, reducedMotion: 'reduce' };
const SCREENS = ['variance', 'forces', 'autoencoder', 'charges', 'race', 'uniqueness'] as const;

describe.skipIf(!executablePath)('Learn, in Chromium', () => {
  let browser: Browser;
  let server: { url: string; close(): Promise<void> };
  /** The page of the current test. */
  let watched: Watched | undefined;
  /** Pages that tests share, by their options. */
  const shared = new Map<string, Watched>();

  beforeAll(async () => {
    server = await serve(await labSite());
    browser = await sharedChromium(executablePath);
  });
  afterAll(async () => {
    await closePages(browser);
    await server?.close();
  });
  afterEach(async ({ task }) => {
    const used = watched;
    watched = undefined;
    used?.check();
    const key = [...shared].find(([, page]) => page === used)?.[0];
    if (key !== undefined && task.result?.state !== 'fail') return;
    if (key !== undefined) shared.delete(key);
    await used?.close();
  });

  /**
   * Opens a screen. The page is loaded once for each set of options; afterwards another screen is opened in between, because
   * a screen that is left loses its state.
   */
  async function open(address: string, options: BrowserContextOptions = {}): Promise<Page> {
    const key = JSON.stringify(options);
    const screen = address.split('?')[0];
    watched = shared.get(key);
    if (watched) {
      const { page } = watched;
      await page.emulateMedia({ colorScheme: 'light' });
      await page.setViewportSize({ width: 1280, height: 900 });
      await goTo(page, screen === 'variance' ? 'uniqueness' : 'variance');
      await goTo(page, address);
      return page;
    }
    watched = await watch(browser, `${server.url}#/learn/${address}`, options);
    shared.set(key, watched);
    await watched.page.locator(`[data-screen=${screen}]`).waitFor();
    return watched.page;
  }

  /** Follows a link to a screen of Learn, without loading the page again. */
  async function goTo(page: Page, address: string): Promise<void> {
    await page.evaluate((hash) => {
      location.hash = hash;
    }, `/learn/${address}`);
    await page.locator(`[data-screen=${address.split('?')[0]}]`).waitFor();
  }

  /** The state of a screen, as its attributes tell tests. */
  async function state(page: Page) {
    const { epoch, reached, angle, converged, playing } = await page
      .locator('.screen')
      .evaluate((screen) => ({ ...(screen as HTMLElement).dataset }));
    return {
      epoch: Number(epoch),
      reached: Number(reached),
      angle: Number(angle),
      converged: converged === 'true',
      playing: playing === 'true',
    };
  }

  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

  async function toTheEnd(page: Page): Promise<void> {
    await button(page, 'To the end').click();
    await page.locator('.screen[data-playing=false]').waitFor();
  }

  /** The settings in the address. */
  const query = (page: Page): string => new URL(page.url()).hash.split('?')[1] ?? '';

  describe.each(SCREENS)('%s', (screen) => {
    it('runs to the exact answer', async () => {
      const page = await open(screen);
      await toTheEnd(page);
      const { converged, angle, epoch } = await state(page);
      expect(converged).toBe(true);
      expect(epoch).toBeGreaterThan(5);
      // On the last screen noise keeps the plane wandering; how far is in its own tests.
      expect(angle).toBeLessThan(screen === 'uniqueness' ? 0.2 : 1e-4);
    });

    it('does not play with reduced motion, returns to earlier states, and ends at the same state again', async () => {
      const page = await open(screen, STILL);
      await frames(page, 5);
      expect(await state(page)).toMatchObject({ epoch: 0, playing: false });
      const picture = () =>
        page
          .locator('.picture svg path, .picture svg circle')
          .evaluateAll((all) => all.map((one) => one.outerHTML).join());
      const before = { ...(await state(page)), drawn: await picture() };
      await toTheEnd(page);
      const end = { ...(await state(page)), drawn: await picture() };
      expect(end.drawn).not.toBe(before.drawn);
      const seek = page.getByRole('slider', { name: /^Go to/ });
      await seek.fill('0');
      expect({ ...(await state(page)), reached: before.reached, drawn: await picture() }).toEqual(before);
      await seek.fill(String(end.reached));
      expect({ ...(await state(page)), drawn: await picture() }).toEqual(end);
      // Going back is instant, because moments are recorded and no new run is made.
      expect(end.reached).toBe((await state(page)).reached);
    });

    it('plays nothing by itself; plays, pauses and steps with keys', async () => {
      const page = await open(screen);
      await frames(page, 5);
      expect(await state(page)).toMatchObject({ epoch: 0, reached: 0, playing: false });
      // Where formulas and tries are, nothing is said about the texts behind them.
      expect(await page.locator('.screen').innerText()).not.toMatch(/\bnotes?\b|\bsources?\b|TODO|Corrections/i);
      await page.locator('.screen[data-epoch="0"][data-playing=false]').waitFor();
      await page.keyboard.press('ArrowRight');
      await page.locator('.screen[data-epoch="1"]').waitFor();
      await page.keyboard.press('ArrowLeft');
      await page.locator('.screen[data-epoch="0"]').waitFor();
      await page.keyboard.press(' ');
      await page.locator('.screen[data-playing=true]').waitFor();
      await page.locator('.screen:not([data-epoch="0"])').waitFor();
      await page.keyboard.press(' ');
      await page.locator('.screen[data-playing=false]').waitFor();
      await page.keyboard.press('End');
      await page.locator('.screen[data-converged=true]').waitFor();
    });

    it('passes axe in both themes, and fits a phone', async () => {
      const page = await open(screen, STILL);
      await button(page, 'One step on').click();
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        expect(await violations(page), colorScheme).toEqual([]);
      }
      const summary = await page.locator('[data-announced]').textContent();
      expect(summary).toMatch(/\d/);
      for (const width of [1280, 390]) {
        await page.setViewportSize({ width, height: 844 });
        await frames(page, 3);
        const beyond = await page.evaluate(() => {
          const edge = document.documentElement.clientWidth;
          const wide = [...document.querySelectorAll('.learn *')].filter((one) => {
            const { right, width: across } = one.getBoundingClientRect();
            return across > 1 && right > edge + 1 && !one.closest('svg');
          });
          const text = (one: Element) => `${one.tagName} ${one.className} ${one.textContent?.slice(0, 30)}`;
          return wide
            .map(text)
            .concat(scrollX > 0 || document.documentElement.scrollWidth > innerWidth ? ['scrolls'] : []);
        });
        expect(beyond).toEqual([]);
      }
    });
  });

  describe('variance', () => {
    it('turns the line with the mouse, and turns it to the axis when it is released', async () => {
      const page = await open('variance');
      const box = (await page.locator('.picture .stage svg').boundingBox())!;
      const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
      await page.mouse.move(x + 10, y - 120);
      await page.mouse.down();
      await page.mouse.move(x - 60, y - 100, { steps: 4 });
      const held = await state(page);
      expect(held.angle).toBeGreaterThan(0.3);
      expect(held.converged).toBe(false);
      await page.mouse.up();
      await page.locator('.screen[data-converged=true]').waitFor();
      expect((await state(page)).angle).toBeLessThan(1e-6);
    });

    it('turns the line with keys and with its slider, and shows parts that add up at every angle', async () => {
      const page = await open('variance');
      const line = page.getByRole('slider', { name: /^Line/ });
      await line.focus();
      const before = await state(page);
      for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowLeft');
      await expect
        .poll(async () => Math.abs((await state(page)).angle - before.angle))
        .toBeCloseTo((3 * Math.PI) / 180, 6);
      for (const degrees of ['-80', '0', '45']) {
        await page.getByRole('slider', { name: /^Angle/ }).fill(degrees);
        const [kept, lost, total] = await page
          .locator('.formula math:last-of-type .live')
          .evaluateAll((all) => all.map((one) => Number(one.textContent)));
        expect(kept + lost).toBeCloseTo(total, 1);
      }
      await line.focus();
      await page.keyboard.press('ArrowLeft');
      await page.keyboard.press('Enter');
      await page.locator('.screen[data-converged=true]').waitFor();
    });
  });

  describe('a step that is too long', () => {
    it.each(['forces?step=1.5', 'autoencoder?step=1'])(
      'is explained, and shortened on request: %s',
      async (address) => {
        const page = await open(address);
        await button(page, 'Play').click();
        const trouble = page.locator('[data-problem=DIVERGED]');
        await trouble.waitFor();
        expect(await trouble.textContent()).toContain('too long');
        // The run is back at its lowest point, and the screen shows it: no earlier moment has a lower loss.
        const loss = async () => {
          const summary = (await page.locator('.summary').textContent()) ?? '';
          return Number(/loss ([\d.]+)/.exec(summary)?.[1]);
        };
        const back = await loss();
        const { epoch } = await state(page);
        for (let at = 0; at < epoch; at++) {
          await page.getByRole('slider', { name: /^Go to/ }).fill(String(at));
          expect(await loss()).toBeGreaterThanOrEqual(back);
        }
        await page.getByRole('button', { name: /^Continue with a step/ }).click();
        await trouble.waitFor({ state: 'detached' });
        await page.keyboard.press('Escape');
        await toTheEnd(page);
        expect((await state(page)).converged).toBe(true);
      },
    );
  });

  describe('forces', () => {
    it('shows the pull and push on the chosen point, which balance at rest', async () => {
      const page = await open('forces');
      await toTheEnd(page);
      const read = () => page.locator('.formula .live').evaluateAll((all) => all.map((one) => Number(one.textContent)));
      for (const point of ['5', '40']) {
        await page.getByRole('slider', { name: /^Chosen point/ }).fill(point);
        await expect.poll(() => query(page)).toContain(`point=${point}`);
        const [, pull, push, together] = await read();
        expect(Math.abs(pull - push)).toBeLessThan(0.0011);
        expect(together).toBeLessThan(0.005);
        expect(pull).toBeGreaterThan(0);
      }
      // A click chooses a point too.
      await page.locator('.pickable svg').click({ position: { x: 200, y: 170 } });
      await expect.poll(() => query(page)).toMatch(/point=\d+/);
    });

    it('counts nearest neighbours that attract and farthest ones that repel, with both centrings', async () => {
      const page = await open('forces');
      const shares = await page.locator('.figures td').allTextContents();
      expect(shares).toHaveLength(4);
      for (const share of shares) expect(share).toMatch(/^[\d.]+\s%$/);
    });
  });

  describe('autoencoder', () => {
    it.each(['rule=oja', 'rule=subspace&k=2', 'rule=sanger&k=2', 'k=2&start=long', 'cloud=blobs&alpha=0.6'])(
      'converges with %s',
      async (chosen) => {
        const page = await open(`autoencoder?${chosen}`);
        await toTheEnd(page);
        expect(await state(page)).toMatchObject({ converged: true });
      },
    );

    it('applies a new α and step during a run', async () => {
      const page = await open('autoencoder');
      await button(page, 'Play').click();
      await page.getByRole('slider', { name: /^Weight/ }).fill('0.5');
      await page.getByRole('slider', { name: /^Step η/ }).fill('0.05');
      await expect.poll(() => page.locator('.formula .live').first().textContent()).toBe('0.50');
      await expect.poll(() => query(page)).toContain('alpha=0.5');
      await toTheEnd(page);
      expect((await state(page)).converged).toBe(true);
    });
  });

  describe('charges', () => {
    it('rotates the sphere with keys and with the mouse', async () => {
      const page = await open('charges');
      const sphere = page.getByRole('application', { name: /sphere/ });
      const yaw = async () => Number(await sphere.getAttribute('data-yaw'));
      const first = await yaw();
      await sphere.focus();
      await page.keyboard.press('ArrowLeft');
      await expect.poll(yaw).not.toBe(first);
      const second = await yaw();
      await sphere.hover();
      await page.mouse.down();
      await page.mouse.move(100, 400, { steps: 3 });
      await page.mouse.up();
      await expect.poll(yaw).not.toBe(second);
    });

    it.each([
      ['k=3', '1.000.000.000.001.000.000.000.001.00'],
      ['k=3&law=coulomb', '1.00−0.50−0.50−0.501.00−0.50−0.50−0.501.00'],
      ['k=2&alpha=0.3', '1.000.000.001.00'],
    ])('ends at the right WWᵀ: %s', async (chosen, numbers) => {
      const page = await open(`charges?${chosen}`);
      await toTheEnd(page);
      expect((await state(page)).converged).toBe(true);
      expect((await page.locator('.gram tbody td').allTextContents()).join('')).toBe(numbers);
    });
  });

  describe('the race', () => {
    it('ends with every rule in the exact subspace, for few and for many columns', async () => {
      for (const chosen of ['', '?cloud=spring&k=1&time=milliseconds']) {
        const page = await open(`race${chosen}`);
        await toTheEnd(page);
        expect((await state(page)).converged).toBe(true);
        const ends = await page
          .locator('[data-lane]')
          .evaluateAll((all) => all.map((one) => (one as HTMLElement).dataset.end));
        expect(new Set(ends)).toEqual(new Set(['arrived']));
      }
    });

    it('does not slow down the frames of the page', async () => {
      const page = await open('race');
      await button(page, 'Play').click();
      const gaps = await page.evaluate(
        () =>
          new Promise<number[]>((resolve) => {
            const times: number[] = [];
            const tick = (now: number): void => {
              times.push(now);
              if (times.length < 60) requestAnimationFrame(tick);
              else resolve(times.slice(1).map((time, i) => time - times[i]));
            };
            requestAnimationFrame(tick);
          }),
      );
      // The median, because the machine may be busy with other work.
      expect(gaps.sort((a, b) => a - b)[30]).toBeLessThan(50);
    });
  });

  describe('uniqueness', () => {
    it.each([
      ['', 'true', 'true', 'Axes and plane are determined.'],
      ['second=4', 'true', 'false', 'The axes spin, the plane stays fixed.'],
      ['third=2', 'false', 'true', 'The plane is not determined.'],
      ['second=4&k=1', 'false', 'false', 'The axis is not determined.'],
    ])('describes what is determined: %s', async (chosen, subspace, axis, words) => {
      const page = await open(`uniqueness?${chosen}`);
      const verdict = page.locator('[data-verdict]');
      await expect.poll(() => verdict.getAttribute('data-verdict')).toBe(subspace);
      expect(await verdict.getAttribute('data-axis')).toBe(axis);
      expect(await page.locator('.summary').textContent()).toContain(words);
    });

    it('follows its sliders, and plays on if it was playing', async () => {
      const page = await open('uniqueness');
      await button(page, 'Play').click();
      await page.getByRole('slider', { name: /^λ₂/ }).fill('4');
      await expect.poll(() => page.locator('.summary').textContent()).toContain('The axes spin');
      await page.getByRole('button', { name: 'λ₃ = λ₂' }).click();
      await expect.poll(() => page.locator('.summary').textContent()).toContain('not determined');
      expect((await state(page)).playing).toBe(true);
    });
  });

  it('keeps its settings in the address, and reads them from there', async () => {
    const page = await open('forces');
    await page.getByLabel('Points', { exact: true }).selectOption('roll');
    await page.getByLabel('Steps').selectOption('momentum');
    await expect.poll(() => query(page)).toBe('cloud=roll&how=momentum');
    await page.reload();
    await page.locator('.screen').waitFor();
    expect(await page.getByLabel('Points', { exact: true }).inputValue()).toBe('roll');
    expect(await page.getByLabel('Steps').inputValue()).toBe('momentum');
    await toTheEnd(page);
    expect((await state(page)).converged).toBe(true);
  });

  it("shows the user's own data on every screen that takes points", async () => {
    watched = await watch(browser, server.url);
    const { page } = watched;
    await page
      .locator('.status [role=status]')
      .filter({ hasText: /components? of/ })
      .waitFor();
    await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Learn' }).click();
    for (const [screen, label] of [
      ['variance', 'Points'],
      ['forces', 'Points'],
      ['autoencoder', 'Points'],
      ['race', 'Data'],
    ]) {
      await page
        .getByRole('navigation', { name: 'Topics' })
        .getByRole('link', { name: new RegExp(screen, 'i') })
        .click();
      await page.locator(`[data-screen=${screen}]`).waitFor();
      const choice = page.getByLabel(label, { exact: true });
      expect(await choice.locator('option').last().textContent()).toMatch(/^Your data: /);
      await choice.selectOption('own');
      await expect.poll(() => query(page)).toContain('cloud=own');
      await toTheEnd(page);
      const { converged, angle } = await state(page);
      expect(converged, screen).toBe(true);
      expect(angle, screen).toBeLessThan(1e-4);
    }
  });

  describe('data that do not determine the answer', () => {
    const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => [i & 1, (i >> 1) & 1, i >> 2].map((bit) => 2 * bit - 1));
    const waves = Array.from({ length: 40 }, (_, i) => [2 * Math.sin(i), Math.cos(2.1 * i)]);
    const tables: Record<string, number[][]> = {
      'round.csv': [...corners, ...corners],
      'flat.csv': waves.map(([a, b]) => [a, b, -a - b]),
      'line.csv': waves.map(([a]) => [a, 2 * a, 3 * a]),
      'small.csv': waves.map(([a, b], i) => [1e-4 * a, 1e-4 * b, 2e-5 * Math.sin(7 * i)]),
      'large.csv': waves.map(([a, b], i) => [1e6 * a, 1e6 * b, 2e5 * Math.sin(7 * i)]),
    };

    /** A screen of Learn with the user's own table. */
    async function own(name: string): Promise<Page> {
      watched = await watch(browser, server.url);
      const { page } = watched;
      const text = ['a,b,c', ...tables[name].map((row) => row.join())].join('\n');
      await page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) });
      await page.locator('.facts').filter({ hasText: name }).waitFor();
      await page
        .locator('.status [role=status]')
        .filter({ hasText: /components? of/ })
        .waitFor();
      await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Learn' }).click();
      await page.locator('.screen').waitFor();
      return page;
    }

    async function ended(page: Page, address: string): Promise<string> {
      await goTo(page, address);
      const over = page.getByRole('button', { name: 'To the end', exact: true });
      // A run may come to its end by itself, at any moment: a click on what is disabled by then does nothing.
      const click = () => over.evaluate((control) => (control as HTMLButtonElement).click());
      const converged = async () => {
        await click();
        return (await state(page)).converged;
      };
      await expect.poll(converged, { timeout: 30_000, message: address }).toBe(true);
      expect(await page.locator('[data-problem]').count()).toBe(0);
      return (await page.locator('.summary').textContent()) ?? '';
    }

    it('are reported on every screen if variances are equal', async () => {
      const page = await own('round.csv');
      expect(await ended(page, 'variance?cloud=own')).toContain('not determined');
      expect(await ended(page, 'forces?cloud=own')).toContain('every plane is as good. At rest');
      expect(await ended(page, 'autoencoder?cloud=own')).toContain('every axis is as good. Arrived');
      expect(await ended(page, 'charges?cloud=own&k=2&alpha=0.5')).toContain('every plane is as good. At rest');
      const summary = await ended(page, 'race?cloud=own');
      expect(summary).toMatch(/6 of 6 rules have arrived, none is more than 0° away.*not determined/);
      const exact = page.locator('.figures tr', { hasText: 'exact' }).locator('td').last();
      await expect.poll(() => exact.textContent()).toMatch(/10⁻¹.$/);
    });

    it('converge in a plane and on a line', async () => {
      const flat = await own('flat.csv');
      expect(await ended(flat, 'forces?cloud=own')).toContain('no pair pulls or pushes');
      const [loss, ...forces] = await flat
        .locator('.formula .live')
        .evaluateAll((all) => all.map((one) => Number.parseFloat(one.textContent ?? '')));
      expect(loss).toBeLessThan(10);
      for (const force of forces) expect(force).toBeLessThan(0.01);
      await watched?.close();
      const line = await own('line.csv');
      expect(await ended(line, 'forces?cloud=own')).toContain('Almost at rest: the data lie on a line');
      expect(await ended(line, 'autoencoder?cloud=own&k=2')).toContain('the length of W across it is not determined');
      expect(await ended(line, 'race?cloud=own')).toContain('6 of 6');
    });

    it.each(['small.csv', 'large.csv'])('are shown with digits in any units: %s', async (name) => {
      const page = await own(name);
      await page.setViewportSize({ width: 390, height: 844 });
      for (const screen of ['variance', 'forces', 'autoencoder']) {
        await ended(page, `${screen}?cloud=own`);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        expect(wide, screen).toBeLessThanOrEqual(0);
        if (screen !== 'variance') continue;
        const sum = page.locator('.formula math:last-of-type .live');
        const [kept, lost, total] = await sum.evaluateAll((all) => all.map((one) => Number(one.textContent)));
        expect(total).toBeGreaterThan(0.5);
        expect(kept + lost).toBeCloseTo(total, 1);
      }
    });
  });

  it('uses the defaults instead of invalid values in the address', async () => {
    const page = await open('autoencoder?cloud=%3Cimg%3E&rule=x&k=99&alpha=NaN&step=-1e9&seed=');
    await toTheEnd(page);
    expect((await state(page)).converged).toBe(true);
  });

  it('links each screen to the next, which starts at its top', async () => {
    const page = await open('variance');
    for (const screen of SCREENS.slice(1)) {
      await page.getByRole('link', { name: /^Next/ }).click();
      await page.locator(`[data-screen=${screen}]`).waitFor();
      expect(await page.evaluate(() => scrollY)).toBe(0);
      expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H1');
    }
    await page.getByRole('link', { name: 'Next: your own data' }).click();
    await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Explore' }).waitFor();
  });
});
