import { signal } from '@preact/signals';

const query = matchMedia('(prefers-reduced-motion: reduce)');

/** True if the user has asked for reduced motion. */
export const reducedMotion = signal(query.matches);

query.addEventListener('change', () => {
  reducedMotion.value = query.matches;
});
