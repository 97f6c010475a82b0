import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FOLDER_PREFIX } from '../disk/abandoned-folders.js';
import { removeAtExit, settled } from '../disk/temporary-files.js';

/** A page that redirects to an address. The address must not need escaping in HTML. */
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
 * Writes such a page into a temporary folder that only this user can read (0700, and 0600 for the file). The browser is started
 * with the path of the file, so the address is not on its command line, which every user can see. The file is removed at exit
 * at the latest.
 */
export function writeRedirect(address: string): { readonly path: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), FOLDER_PREFIX));
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
        // Windows cannot remove a file while it is read. It is tried again at exit.
      }
    },
  };
}
