import { expect, it } from 'vitest';
import { watch } from '../lab-site.js';
import { describeExplore } from './explore-page.js';

describeExplore('the scree plot', (explore) => {
  it('sets k by dragging the handle and by keyboard', async () => {
    const box = (await explore.page.locator('.scree-chart').boundingBox())!;
    await explore.page.mouse.move(box.x + 0.5 * box.width, box.y + 80);
    await explore.page.mouse.down();
    await explore.page.mouse.move(box.x + box.width - 10, box.y + 80, { steps: 8 });
    await explore.page.mouse.up();
    await expect.poll(() => explore.kept().textContent()).toContain('k = 4');
    await explore.page.getByText('Nothing is lost with k = 4').waitFor();
    await explore.page.getByLabel('Components kept (k)').focus();
    await explore.page.keyboard.press('ArrowLeft');
    await explore.page.keyboard.press('ArrowLeft');
    await explore.page.keyboard.press('ArrowLeft');
    await expect.poll(() => explore.kept().textContent()).toContain('k = 1');
    await expect.poll(() => explore.page.url()).toContain('k=1');
  });

  it('keeps k while a finger scrolls past the chart, and sets it by a horizontal drag or a tap', async () => {
    const phone = await watch(explore.browser, `${explore.url}#/explore?data=iris&k=2`, {
      viewport: { width: 390, height: 700 },
      hasTouch: true,
    });
    const chart = phone.page.locator('.scree-chart svg');
    await chart.waitFor();
    await phone.page.getByText('How it was computed').waitFor();
    // The chart is drawn again when the bootstrap has ended, which may detach it while it is scrolled to.
    await expect
      .poll(() =>
        chart.scrollIntoViewIfNeeded().then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    const devtools = await phone.page.context().newCDPSession(phone.page);
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...points: { x: number; y: number }[]) =>
      devtools.send('Input.dispatchTouchEvent', { type, touchPoints: points });
    const draw = async (dx: number, dy: number): Promise<void> => {
      const box = (await chart.boundingBox())!;
      const [x, y] = [box.x + 0.85 * box.width, box.y + 0.5 * box.height];
      await touch('touchStart', { x, y });
      for (let step = 1; step <= 10; step++) await touch('touchMove', { x: x + dx * step, y: y + dy * step });
      await touch('touchEnd');
    };
    const told = () => phone.page.locator('.kept').textContent();
    const before = await phone.page.evaluate(() => scrollY);
    await draw(0.4, -8);
    await expect.poll(() => phone.page.evaluate(() => scrollY)).toBeGreaterThan(before + 20);
    expect(await told()).toContain('k = 2');
    await draw(-22, 0.4);
    await expect.poll(told).toContain('k = 1');
    const box = (await chart.boundingBox())!;
    await phone.page.touchscreen.tap(box.x + box.width - 10, box.y + 80);
    await expect.poll(told).toContain('k = 4');
    await chart.click({ button: 'right', position: { x: 100, y: 80 } });
    expect(await told()).toContain('k = 4');
    phone.check();
    await phone.close();
  });
});
