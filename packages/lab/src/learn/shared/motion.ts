import { signal } from '@preact/signals';

const query = matchMedia('(prefers-reduced-motion: reduce)');

/** Whether the user has asked for stills instead of motion. */
export const reducedMotion = signal(query.matches);

query.addEventListener('change', () => {
  reducedMotion.value = query.matches;
});
