/**
 * The type declarations of a package, without those that no entry reaches. They are written twice: as the types of the ES modules,
 * and below `dist/cjs`, where TypeScript takes them as the types of the CommonJS build.
 */
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** The declaration files that these import, and those that they import, with themselves. */
function reachable(entries) {
  const found = new Set(entries);
  for (const file of found) {
    for (const [, path] of readFileSync(file, 'utf8').matchAll(/(?:from |import\()['"](\.[^'"]+)\.js['"]/g)) {
      found.add(join(dirname(file), `${path}.d.ts`));
    }
  }
  return found;
}

/** Copies the declarations that `entries` (paths within `dist`, without extension) reach to `dist/types` and `dist/cjs/types`. */
export function writeDeclarations(dist, entries) {
  const files = reachable(entries.map((entry) => join(dist, `${entry}.d.ts`)));
  for (const folder of [join(dist, 'types'), join(dist, 'cjs', 'types')]) {
    rmSync(folder, { recursive: true, force: true });
    for (const file of files) {
      const target = join(folder, relative(dist, file));
      mkdirSync(dirname(target), { recursive: true });
      const text = readFileSync(file, 'utf8')
        // The map leads to sources that are not published.
        .replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n')
        // Before TypeScript 5.7 typed arrays had no type of buffer.
        .replace(/\b(\w+Array)<ArrayBuffer(?:Like)?>/g, '$1');
      writeFileSync(target, text);
    }
  }
}

/** Says that the scripts below `dist/cjs` are CommonJS, whatever the package says. */
export function markCommonJs(dist) {
  mkdirSync(join(dist, 'cjs'), { recursive: true });
  writeFileSync(join(dist, 'cjs', 'package.json'), '{ "type": "commonjs" }\n');
}

/** The licence of the repository, which every package carries. */
export function copyLicence(folder) {
  copyFileSync(new URL('../LICENSE', import.meta.url), join(folder, 'LICENSE'));
}
