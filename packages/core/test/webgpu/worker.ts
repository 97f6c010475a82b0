import fc from 'fast-check';
import { openForTests, quickChecks } from './grid.js';

addEventListener('message', async ({ data: name }: MessageEvent<string>) => {
  fc.configureGlobal({ numRuns: 3 });
  try {
    await quickChecks[name](await openForTests(navigator.gpu));
    postMessage({});
  } catch (error) {
    postMessage({ failure: String(error) });
  }
});
