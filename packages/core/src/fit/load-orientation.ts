import type { FitFacts } from '../model/finish.js';
import type { Settings } from '../options.js';

/** The part of `FitFacts` that chooses signs. Its code is loaded only if the options `signs` or `axes` ask for it. */
export async function loadOrientation(settings: Settings, d: number): Promise<Pick<FitFacts, 'orient'>> {
  if (!settings.signs && !settings.axes) return {};
  const { orientation } = await import('../model/orient.js');
  return { orient: orientation(settings, d) };
}
