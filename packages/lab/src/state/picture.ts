import { computed, signal } from '@preact/signals';
import { fitted } from './fit.js';

/** Whether rows that could be pictures are shown as such: the user's word, or undefined for what the data say. */
export const showPictures = signal<boolean | undefined>(undefined);

/** Smallest square that is worth being looked at. */
const MIN_SIDE = 7;

/** Height and width that rows of the fit have as pictures, if they can be any. */
export const possiblePicture = computed((): readonly [height: number, width: number] | undefined => {
  const now = fitted.value;
  if (!now) return undefined;
  const { picture: declared } = now.data.info;
  const d = now.columns.length;
  if (declared && declared[0] * declared[1] === d) return declared;
  const side = Math.round(Math.sqrt(d));
  return side * side === d && side >= MIN_SIDE ? [side, side] : undefined;
});

/** The size of the pictures that rows are; undefined where they are none. */
export const picture = computed(() => {
  const size = possiblePicture.value;
  if (!size) return undefined;
  const declared = fitted.value?.data.info.picture !== undefined;
  return (showPictures.value ?? declared) ? size : undefined;
});
