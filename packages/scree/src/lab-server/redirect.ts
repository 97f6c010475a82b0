import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeAtExit, settled } from '../disk/temporary-files.js';

/** A page that leads to an address by itself. The address must need no escaping in HTML. */
export function redirectPage(address: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${address}">
<title>scree lab</title>
<p><a href="${address}">Open the lab</a></p>
`;
}

/**
 * Writes such a page into a folder of its own that only this user can read (0700, and 0600 for the file): a browser that
 * is started with its path learns an address that is not on the browser's command line, which every user can read.
 * It is removed at exit at the latest.
 */
export function writeRedirect(address: string): { readonly path: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'scree-lab-'));
  removeAtExit(folder);
  const path = join(folder, 'open.html');
  writeFileSync(path, redirectPage(address), { flag: 'wx', mode: 0o600 });
  return {
    path,
    remove() {
      try {
        rmSync(folder, { recursive: true, force: true });
        settled(folder);
      } catch {
        // Windows does not remove a file that is being read; it is tried again at exit.
      }
    },
  };
}
