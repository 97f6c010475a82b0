import { readFileSync } from 'node:fs';
import {
  CATEGORY_COLOURS,
  type Colour,
  NEGATIVE_COLOUR,
  NEGATIVE_FILL,
  OTHER_COLOUR,
  POSITIVE_COLOUR,
  POSITIVE_FILL,
} from '@scree/analysis/describe';
import { expect, it } from 'vitest';

const style = readFileSync(new URL('../../src/style/base.css', import.meta.url), 'utf8');

it.each([
  ...CATEGORY_COLOURS.map((colour, i) => [`group-${i}`, colour] as [string, Colour]),
  ['group-other', OTHER_COLOUR],
  ['accent', POSITIVE_COLOUR],
  ['warm', NEGATIVE_COLOUR],
  ['field-positive', POSITIVE_FILL],
  ['field-negative', NEGATIVE_FILL],
] as [string, Colour][])('the style sheet has the library’s colour as --%s', (name, { light, dark }) => {
  expect(style).toContain(`--${name}: light-dark(${light}, ${dark});`);
});
