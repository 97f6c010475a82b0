/// <reference types="node" />
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { toRows } from '@scree/core';
import { openBlob } from '@scree/files';
import type { Truth } from './expected.js';

/** The complete rows of a table, as numbers, with the names of their columns and what stands beside them. */
export interface Numbers {
  readonly rows: number[][];
  readonly columns: readonly string[];
  readonly groups: Record<string, string[]>;
  readonly supplementary: Record<string, number[]>;
}

export async function numbersOf({ path, exclude, groups = [], supplementary = [] }: Truth): Promise<Numbers> {
  const text = readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)));
  const file = await openBlob(new Blob([text]), {
    name: basename(path),
    missing: 'drop',
    groups: [...groups],
    supplementary: [...supplementary],
    ...(exclude ? { exclude: exclude.filter((name) => firstLine(text).includes(name)) } : {}),
  });
  const found: Numbers = {
    rows: [],
    columns: [],
    groups: Object.fromEntries(groups.map((name) => [name, []])),
    supplementary: Object.fromEntries(supplementary.map((name) => [name, []])),
  };
  for await (const part of file.withSupplementary()) {
    found.rows.push(...toRows(part.block as never));
    for (const [g, name] of groups.entries()) found.groups[name].push(...part.groups[g].map(String));
    for (const [s, name] of supplementary.entries()) {
      for (let i = 0; i < part.block.rows; i++)
        found.supplementary[name].push(part.columns[i * supplementary.length + s]);
    }
  }
  return { ...found, columns: file.columns };
}

function firstLine(text: Buffer): string {
  return text.subarray(0, text.indexOf(10)).toString();
}
