import { readFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import type { Peer, PythonVersions } from './sklearn.js';

/** Where and with what something was measured. */
export interface Environment {
  readonly date: string;
  readonly machine: string;
  readonly cores: number;
  readonly threads: number;
  readonly node: string;
  readonly scree: string;
  readonly mlPca: string;
  readonly druidjs: string;
  readonly python?: PythonVersions;
}

export async function environment(threads: number, peer: Peer | undefined): Promise<Environment> {
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: `${cpus()[0].model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GB`,
    cores: cpus().length,
    threads,
    node: process.version,
    scree: version('packages/scree'),
    mlPca: version('node_modules/ml-pca'),
    druidjs: version('node_modules/@saehrimnir/druidjs'),
    ...(peer ? { python: await peer.versions() } : {}),
  };
}

function version(folder: string): string {
  const file = new URL(`../../${folder}/package.json`, import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
