import { computed, signal } from '@preact/signals';
import { fitted } from './fit.js';

/** True to show rows as pictures. Undefined until the user chooses: then the data decide. */
export const showPictures = signal<boolean | undefined>(undefined);

/** Rows are offered as square pictures from this side length on. */
const MIN_SIDE = 7;

/** Height and width of rows as pictures, if they can be pictures. */
export const possiblePicture = computed((): readonly [height: number, width: number] | undefined => {
  const now = fitted.value;
  if (!now) return undefined;
  const { picture: declared } = now.data.info;
  const d = now.columns.length;
  if (declared && declared[0] * declared[1] === d) return declared;
  const side = Math.round(Math.sqrt(d));
  return side * side === d && side >= MIN_SIDE ? [side, side] : undefined;
});

/** Height and width of rows if they are shown as pictures. */
export const picture = computed(() => {
  const size = possiblePicture.value;
  if (!size) return undefined;
  const declared = fitted.value?.data.info.picture !== undefined;
  return (showPictures.value ?? declared) ? size : undefined;
});
