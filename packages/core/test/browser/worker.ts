import { digests } from '../conformance/digests.js';
import type { EngineSetup } from '../conformance/setups.js';

addEventListener('message', async ({ data }: MessageEvent<EngineSetup>) => {
  try {
    postMessage({ digests: await digests(data) });
  } catch (error) {
    postMessage({ failure: String(error) });
  }
});
