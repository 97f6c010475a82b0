import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { placeCard, type ScreenBox } from '../../src/explore/place-card.js';

const between = (min: number, max: number) => fc.double({ min, max, noNaN: true });
const card = fc.record({ width: between(120, 272), height: between(60, 240) });
const screens = fc.constantFrom({ width: 390, height: 844 }, { width: 1440, height: 900 });
/** A position on a screen, as shares of its width and height. */
const shares = fc.tuple(between(0, 1), between(0, 1));

const covers = (box: ScreenBox, x: number, y: number): boolean =>
  x > box.x && x < box.x + box.width && y > box.y && y < box.y + box.height;

describe('the card of a row', () => {
  it('is inside the screen and next to the pointer, never under it, on phones and desktops', () => {
    fc.assert(
      fc.property(card, screens, shares, (size, screen, [across, down]) => {
        const pointer = { x: across * screen.width, y: down * screen.height };
        const box = { ...size, ...placeCard(size, pointer, screen) };
        expect(box.x).toBeGreaterThanOrEqual(0);
        expect(box.y).toBeGreaterThanOrEqual(0);
        expect(box.x + box.width).toBeLessThanOrEqual(screen.width);
        expect(box.y + box.height).toBeLessThanOrEqual(screen.height);
        expect(covers(box, pointer.x, pointer.y)).toBe(false);
        const nearest = {
          x: Math.max(box.x, Math.min(box.x + box.width, pointer.x)),
          y: Math.max(box.y, Math.min(box.y + box.height, pointer.y)),
        };
        expect(Math.hypot(nearest.x - pointer.x, nearest.y - pointer.y)).toBeLessThan(32);
      }),
    );
  });

  it('does not cover the point that it describes', () => {
    fc.assert(
      fc.property(card, screens, shares, between(-12, 12), (size, screen, [across, down], off) => {
        const pointer = { x: across * screen.width, y: down * screen.height };
        const point = { x: pointer.x + off - 8, y: pointer.y - 8, width: 16, height: 16 };
        const box = { ...size, ...placeCard(size, pointer, screen, point) };
        expect(covers(box, pointer.x + off, pointer.y)).toBe(false);
      }),
    );
  });
});
