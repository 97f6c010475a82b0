import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Peer } from './sklearn.js';
import type { JavaScriptPeer } from './workloads.js';

/** Whose memory one-fit.ts measures: scree's engine, or another library for JavaScript. */
export interface Subject {
  readonly k: number;
  readonly engine?: string;
  readonly threads?: number;
  readonly peer?: JavaScriptPeer;
}

/** Bytes that one fit takes beyond the data, in a fresh process; undefined where the system does not tell. */
export async function memoryInNode(folder: string, subject: Subject): Promise<number | undefined> {
  const program = fileURLToPath(new URL('one-fit.js', import.meta.url));
  try {
    const argv = ['--expose-gc', program, folder, JSON.stringify(subject)];
    return Number((await promisify(execFile)(process.execPath, argv)).stdout);
  } catch {
    return undefined;
  }
}

export async function memoryInPython(
  folder: string,
  solver: string,
  k: number,
  threads: number,
): Promise<number | undefined> {
  const peer = Peer.start(threads);
  try {
    await peer?.load(folder);
    return await peer?.memory(solver, k);
  } catch {
    return undefined;
  } finally {
    peer?.close();
  }
}
