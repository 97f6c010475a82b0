import type { Stats } from 'node:fs';
import { lstat, opendir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROCESS_ID, PROCESS_ID_PATTERN, processState } from './process-id.js';

/** Prefix of the names of temporary folders. It has the id of the process, so that a later process can tell whether it still runs. */
export const FOLDER_PREFIX = `scree-${PROCESS_ID}-`;

const FOLDER_NAME = new RegExp(`^scree-(${PROCESS_ID_PATTERN})-[A-Za-z0-9]{6}$`);

/** The removal of abandoned folders, which runs once. Cached for the process. */
let collected: Promise<void> | undefined;

/** Calls `removeAbandonedFolders` once per process. */
export function collectAbandonedFolders(): Promise<void> {
  collected ??= removeAbandonedFolders(tmpdir());
  return collected;
}

/**
 * Removes temporary folders that killed processes left. Folders of other users, machines and containers stay, because their processes may
 * still run. Links are not followed.
 */
export async function removeAbandonedFolders(parent: string): Promise<void> {
  try {
    for await (const { name } of await opendir(parent)) {
      const [, owner] = FOLDER_NAME.exec(name) ?? [];
      if (owner === undefined || processState(owner) !== 'ended') continue;
      const path = join(parent, name);
      if (isOwnFolder(await lstat(path))) await rm(path, { recursive: true, force: true });
    }
  } catch {
    // The folder cannot be listed, or another process removed it at the same time. The next one tries again.
  }
}

function isOwnFolder(stats: Stats): boolean {
  const user = process.getuid?.();
  return stats.isDirectory() && (user === undefined || stats.uid === user);
}
