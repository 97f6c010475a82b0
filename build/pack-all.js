import { execSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Packs the published packages into a folder, as `npm publish` would. Returns the files, by the names of their packages. */
export function packAll(folder) {
  const files = ['core', 'analysis', 'files', 'scree'].map((name) => {
    // .npmrc turns scripts off, and prepack is one.
    const printed = execSync(`npm pack --json --ignore-scripts=false --pack-destination "${folder}"`, {
      cwd: fileURLToPath(new URL(`../packages/${name}`, import.meta.url)),
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    // A build that prepack starts prints too.
    const [packed] = Object.values(JSON.parse(printed.slice(printed.search(/^[[{]\s*$/m))));
    return [packed.name, packed.filename];
  });
  return Object.fromEntries(files);
}
