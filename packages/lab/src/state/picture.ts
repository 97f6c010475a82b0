import { computed, signal } from '@preact/signals';
import { fitted } from './fit.js';

/** Whether rows that could be pictures are shown as such: the user's word, or undefined for what the data say. */
export const wantsPictures = signal<boolean | undefined>(undefined);

/** Smallest square that is worth being looked at. */
const SMALLEST = 7;

/** Height and width that rows of the fit have as pictures, if they can be any. */
export const possiblePicture = computed((): readonly [height: number, width: number] | undefined => {
  const now = fitted.value;
  if (!now) return undefined;
  const { picture: declared } = now.data.facts;
  const d = now.columns.length;
  if (declared && declared[0] * declared[1] === d) return declared;
  const side = Math.round(Math.sqrt(d));
  return side * side === d && side >= SMALLEST ? [side, side] : undefined;
});

/** The size of the pictures that rows are; undefined where they are none. */
export const picture = computed(() => {
  const size = possiblePicture.value;
  if (!size) return undefined;
  const declared = fitted.value?.data.facts.picture !== undefined;
  return (wantsPictures.value ?? declared) ? size : undefined;
});
