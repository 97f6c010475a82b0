import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FileError } from '@scree/files';

export interface PageFile {
  readonly type: string;
  readonly content: Uint8Array;
}

/** The built page: files by their addresses below it, `index.html` among them. */
export type PageFiles = ReadonlyMap<string, PageFile>;

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.csv': 'text/csv; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
  '.woff2': 'font/woff2',
};

/** Where `npm run build` puts it, seen from this module as it is compiled and as it is bundled. */
export const PAGE = fileURLToPath(new URL('../lab-server/page', import.meta.url));

/**
 * Reads the whole page into memory, some MB at most: afterwards a request can only name what is in this list, and no path
 * is ever made of what it says. Nothing is packed: on this machine that would cost more time than it saves.
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
