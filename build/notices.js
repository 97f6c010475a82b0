/**
 * The licences of third-party code that a build has put into its own files: one entry per package, with the text that the package
 * ships. A package that ships no text may declare the ISC licence, whose text is the same for all. Any other is an error, because its code may
 * then not be passed on.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const modules = fileURLToPath(new URL('../node_modules/', import.meta.url));

/** The folder of the package that a module came from; undefined for modules of this repository. */
function packageOf(id) {
  // Helpers that a bundler writes into its output: "\0rolldown/runtime.js", "\0vite/preload-helper.js".
  const virtual = /^\0(rolldown|vite)\//.exec(id);
  if (virtual) return join(modules, virtual[1]);
  // Written by packages/files/build-zstd.js.
  if (/[\\/]archive[\\/]zstd-wasm\.[jt]s$/.test(id)) return join(modules, 'zstddec');
  const path = id.replace(/^\0/, '').replace(/[?#].*$/, '');
  if (!/[\\/]node_modules[\\/]/.test(path)) return undefined;
  let folder = dirname(path);
  while (!isPackage(folder)) folder = dirname(folder);
  return folder;
}

/** Folders below a package may have a package.json of their own, without a name and version. */
function isPackage(folder) {
  const file = join(folder, 'package.json');
  return existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).version !== undefined;
}

/** The ISC licence (https://spdx.org/licenses/ISC.html). */
const isc = (author) => `Copyright (c) ${author}

Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted, provided that the
above copyright notice and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF
MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT, INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY
DAMAGES WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION,
ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF THIS SOFTWARE.`;

function noticeOf(folder) {
  const { name, version, license, author, homepage, repository } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  );
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  const source = homepage ?? (typeof repository === 'string' ? repository : repository?.url);
  const by = typeof author === 'string' ? author : author?.name;
  // What a bundler bundles itself is not in our files.
  const shipped =
    file &&
    readFileSync(join(folder, file), 'utf8')
      .split(/^#+ Licenses of bundled/m)[0]
      .trim();
  const text = shipped ?? (license === 'ISC' && by ? isc(by) : undefined);
  if (!license || !text) throw new Error(`${name} ${version} is bundled, but has no licence text in ${folder}.`);
  const facts = [`${name} ${version}`, `License: ${license}`, by && `Author: ${by}`, source && `Source: ${source}`];
  return { name, version, text: `${facts.filter(Boolean).join('\n')}\n\n${text}` };
}

/** THIRD-PARTY-NOTICES for the modules of a build, or undefined where all of them are our own. */
export function noticesFor(ids) {
  const folders = new Set(Array.from(ids, packageOf).filter((folder) => folder !== undefined));
  const notices = new Map(Array.from(folders, noticeOf).map((each) => [`${each.name} ${each.version}`, each]));
  if (notices.size === 0) return undefined;
  const sorted = [...notices.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  const list = sorted.map(({ name, version }) => `- ${name} ${version}`).join('\n');
  const rule = `\n\n${'-'.repeat(80)}\n\n`;
  return `Files of this package contain code of these packages. Their licences follow.\n\n${list}${sorted.map(({ text }) => rule + text).join('')}\n`;
}

/** A plugin that collects the modules that end up in the output, for `noticesFor`. */
export function collectModules(ids) {
  return {
    name: 'collect-modules',
    generateBundle(_, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type === 'chunk') for (const id of Object.keys(file.modules)) ids.add(id);
      }
    },
  };
}
