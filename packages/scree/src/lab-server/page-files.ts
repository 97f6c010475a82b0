import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FileError } from '@scree/files';

export interface PageFile {
  readonly type: string;
  readonly content: Uint8Array;
}

/** The files of the built page, by their relative addresses. */
export type PageFiles = ReadonlyMap<string, PageFile>;

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.csv': 'text/csv; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.woff2': 'font/woff2',
};

/** The folder of the page, written by `npm run build`. The path is the same for the compiled and for the bundled module. */
export const PAGE = fileURLToPath(new URL('../lab-server/page', import.meta.url));

/**
 * Reads the whole page, a few MB, into memory. Requests can only name files of this list, and no path is ever built from a
 * request. Files are not compressed, because that would take longer than sending them on this machine.
 */
export async function readPage(folder = PAGE): Promise<PageFiles> {
  const files = new Map<string, PageFile>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const address = relative(folder, path).split(sep).map(encodeURIComponent).join('/');
    const type = TYPES[extname(entry.name)] ?? 'application/octet-stream';
    files.set(address, { type, content: await readFile(path) });
  }
  if (!files.has('index.html')) throw new FileError('NO_FILE', folder, 'The lab is not built: npm run build.');
  return files;
}
