import { describe, expect, it } from 'vitest';
import { cieLab, closest, contrast, deltaE, linearRgb, VISIONS } from '../../../core/test/support/colour-vision.js';
import {
  CATEGORY_COLOURS,
  NEGATIVE_COLOUR,
  NEGATIVE_FILL,
  OTHER_COLOUR,
  POSITIVE_COLOUR,
  POSITIVE_FILL,
  RAMP_COLOURS,
} from '../../src/describe/palette.js';

/** Backgrounds of the report and of the lab, and the ink on them. */
const PAPER = { light: ['#ffffff', '#f5f6f8'], dark: ['#16181d', '#1f2229', '#1a1e24', '#111418'] };
const INK = { light: '#1d2127', dark: '#e6e8ec' };
const THEMES = ['light', 'dark'] as const;

describe('the simulation of colour vision', () => {
  it('computes CIEDE2000 as in the test data of Sharma, Wu and Dalal', () => {
    expect(deltaE([50, 2.6772, -79.7751], [50, 0, -82.7485])).toBeCloseTo(2.0425, 4);
    expect(deltaE([50, 2.49, -0.001], [50, -2.49, 0.0011])).toBeCloseTo(7.2195, 4);
    expect(deltaE([50, 2.5, 0], [58, 24, 15])).toBeCloseTo(19.4535, 4);
    expect(deltaE([60.2574, -34.0099, 36.2677], [60.4626, -34.1751, 39.4387])).toBeCloseTo(1.2644, 4);
    expect(deltaE([2.0776, 0.0795, -1.135], [0.9033, -0.0636, -0.5514])).toBeCloseTo(0.9082, 4);
  });

  it.each(Object.entries(VISIONS))('leaves greys alone: %s', (_, vision) => {
    for (const hex of ['#000000', '#808080', '#ffffff']) {
      expect(deltaE(cieLab(vision(linearRgb(hex))), cieLab(linearRgb(hex)))).toBeLessThan(0.1);
    }
  });

  it('confuses the red and green that each kind of colour blindness confuses', () => {
    expect(closest(['#d4373b', '#6b7a00'], VISIONS.normal)).toBeGreaterThan(30);
    expect(closest(['#d4373b', '#6b7a00'], VISIONS['deuteranopia (Machado)'])).toBeLessThan(12);
    expect(contrast('#ffffff', '#000000')).toBeCloseTo(21, 5);
  });
});

describe.each(THEMES)('the palette on a %s background', (theme) => {
  const categories = CATEGORY_COLOURS.map((colour) => colour[theme]);

  it.each(Object.entries(VISIONS))('has ΔE ≥ 15 between any two of the first eight categories: %s', (_, vision) => {
    expect(closest(categories.slice(0, 8), vision)).toBeGreaterThanOrEqual(15);
  });

  it.each(Object.entries(VISIONS))('has ΔE ≥ 11 between any two categories, and the rest: %s', (_, vision) => {
    expect(closest([...categories, OTHER_COLOUR[theme]], vision)).toBeGreaterThanOrEqual(11);
  });

  it.each(Object.entries(VISIONS))('shows the sign of a number by colour: %s', (_, vision) => {
    expect(closest([POSITIVE_COLOUR[theme], NEGATIVE_COLOUR[theme]], vision)).toBeGreaterThanOrEqual(15);
    expect(closest([POSITIVE_FILL[theme], NEGATIVE_FILL[theme]], vision)).toBeGreaterThanOrEqual(15);
  });

  it('has a contrast of 3:1 to the background, and 4.5:1 between areas and the text on them', () => {
    for (const paper of PAPER[theme]) {
      for (const hex of [...categories, POSITIVE_COLOUR[theme], NEGATIVE_COLOUR[theme]]) {
        expect(contrast(hex, paper), `${hex} on ${paper}`).toBeGreaterThanOrEqual(3);
      }
      for (const { [theme]: hex } of RAMP_COLOURS) expect(contrast(hex, paper), hex).toBeGreaterThanOrEqual(3);
    }
    for (const { [theme]: hex } of [POSITIVE_FILL, NEGATIVE_FILL]) {
      expect(contrast(hex, INK[theme]), hex).toBeGreaterThanOrEqual(4.5);
    }
  });

  it('rises in lightness along the ramp for everybody', () => {
    for (const [name, vision] of Object.entries(VISIONS)) {
      const lightness = RAMP_COLOURS.map((colour) => cieLab(vision(linearRgb(colour[theme])))[0]);
      expect(lightness, name).toEqual([...lightness].sort((a, b) => a - b));
    }
  });
});
