import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { readRange } from './range.js';
import type { SharedFile } from './shared-file.js';

/** An answer in one line. */
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

/** The data file or a slice of it, in as much memory as a few chunks take. */
export async function sendFile(response: ServerResponse, file: SharedFile): Promise<void> {
  const { method, headers } = response.req;
  const handle = await file.open();
  if (!handle)
    return sendText(response, 409, 'The file has changed or gone since the lab was started. Start it again.');
  try {
    // Ranges are for GET alone; with If-Range, of a version that it names, and there are none here.
    const asked = method === 'GET' && !('if-range' in headers) ? headers.range : undefined;
    const range = readRange(asked, file.size);
    if (!range) {
      const size = { 'Content-Range': `bytes */${file.size}` };
      return sendText(response, 416, 'One range of bytes, please, inside the file.', size);
    }
    const { start, end } = range;
    response.writeHead(range.whole ? 200 : 206, {
      // Whatever it is, it is not for the browser to show.
      'Content-Type': 'application/octet-stream',
      'Content-Length': end - start,
      'Accept-Ranges': 'bytes',
      ...(range.whole ? {} : { 'Content-Range': `bytes ${start}-${end - 1}/${file.size}` }),
    });
    // If the file changes now, the connection breaks: the browser sees fewer bytes than Content-Length says, and fails.
    if (method === 'HEAD') response.end();
    else await pipeline(file.read(handle, range), response);
  } finally {
    await handle.close();
  }
}
