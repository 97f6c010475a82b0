import { digests } from '../conformance/digests.js';
import type { Way } from '../conformance/roads.js';

addEventListener('message', async ({ data }: MessageEvent<Way>) => {
  try {
    postMessage({ digests: await digests(data) });
  } catch (error) {
    postMessage({ failure: String(error) });
  }
});
