/** The Learn screens in order. */
export const SCREENS = [
  { id: 'variance', title: 'Variance and projection error', short: 'Variance' },
  { id: 'forces', title: 'Forces between points', short: 'Forces' },
  { id: 'autoencoder', title: 'The autoencoder and Oja’s rule', short: 'Autoencoder' },
  { id: 'charges', title: 'Charges on a sphere', short: 'Charges' },
  { id: 'race', title: 'The race', short: 'Race' },
  { id: 'uniqueness', title: 'Uniqueness', short: 'Uniqueness' },
] as const;

export type ScreenId = (typeof SCREENS)[number]['id'];

export function screenOf(text: string | undefined): ScreenId {
  return SCREENS.find(({ id }) => id === text)?.id ?? SCREENS[0].id;
}

export function titleOf(id: ScreenId): string {
  return SCREENS.find((screen) => screen.id === id)?.title ?? '';
}

export function nextOf(id: ScreenId): ScreenId | undefined {
  return SCREENS[SCREENS.findIndex((screen) => screen.id === id) + 1]?.id;
}
