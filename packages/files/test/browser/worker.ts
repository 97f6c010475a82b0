import { tellFile } from './tell-file.js';

addEventListener('message', async ({ data }: MessageEvent<File>) => {
  postMessage(await tellFile(data));
});
