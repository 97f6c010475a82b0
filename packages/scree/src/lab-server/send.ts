import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { readRange } from './range.js';
import type { SharedFile } from './shared-file.js';

/** Sends one line of text. */
export function sendText(
  response: ServerResponse,
  status: number,
  line: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  const body = `${line}\n`;
  response.writeHead(status, {
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    ...headers,
  });
  response.end(body);
}

/** Sends the data file or a range of it, a few chunks in memory at a time. */
export async function sendFile(response: ServerResponse, file: SharedFile): Promise<void> {
  const { method, headers } = response.req;
  const handle = await file.open();
  if (!handle)
    return sendText(response, 409, 'The file has changed or gone since the lab was started. Start it again.');
  try {
    // Ranges apply only to GET. With If-Range they apply to a named version of the file, and this server names no versions.
    const asked = method === 'GET' && !('if-range' in headers) ? headers.range : undefined;
    const range = readRange(asked, file.size);
    if (!range) {
      const size = { 'Content-Range': `bytes */${file.size}` };
      return sendText(response, 416, 'One range of bytes, please, inside the file.', size);
    }
    const { start, end } = range;
    response.writeHead(range.whole ? 200 : 206, {
      // The browser should not display it, whatever it is.
      'Content-Type': 'application/octet-stream',
      'Content-Length': end - start,
      'Accept-Ranges': 'bytes',
      ...(range.whole ? {} : { 'Content-Range': `bytes ${start}-${end - 1}/${file.size}` }),
    });
    // If the file changes now, the connection is closed. The browser gets fewer bytes than Content-Length and reports an error.
    if (method === 'HEAD') response.end();
    else await pipeline(file.read(handle, range), response);
  } finally {
    await handle.close();
  }
}
