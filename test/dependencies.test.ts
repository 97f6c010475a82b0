import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string): string => readFileSync(`${root}/${path}`, 'utf8');
const lock = JSON.parse(read('package-lock.json')) as {
  readonly packages: Readonly<
    Record<
      string,
      {
        readonly version?: string;
        readonly hasInstallScript?: boolean;
        readonly dev?: boolean;
        readonly devOptional?: boolean;
      }
    >
  >;
};
interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional: boolean }>>;
}

const manifests = ['files', 'scree'].map((folder) => ({
  folder,
  ...(JSON.parse(read(`packages/${folder}/package.json`)) as Manifest),
}));

/** Dependencies of the published packages on other packages than each other: the package, the dependency and its range. */
const published = manifests.flatMap(({ folder, dependencies }) =>
  Object.entries(dependencies)
    .filter(([name]) => !name.startsWith('@scree/'))
    .map(([name, range]) => ({ folder, name, range })),
);
const peers = manifests.flatMap(({ peerDependencies = {} }) => Object.entries(peerDependencies));

describe('dependencies', () => {
  it('run nothing at installation: no package that scree needs has an install script, and npm is told to run none', () => {
    const withScript = Object.keys(lock.packages).filter((path) => {
      const { hasInstallScript, dev, devOptional } = lock.packages[path] ?? {};
      return hasInstallScript && !dev && !devOptional;
    });
    expect(withScript).toEqual([]);
    expect(read('.npmrc')).toMatch(/^ignore-scripts=true$/m);
  });

  it('that are large or for few users are optional peers, installed here with the lowest version that they may have', () => {
    const { devDependencies } = JSON.parse(read('package.json')) as {
      readonly devDependencies: Record<string, string>;
    };
    const optional = manifests.flatMap(({ peerDependenciesMeta = {} }) => Object.keys(peerDependenciesMeta));
    expect(peers.map(([name]) => name)).toEqual(optional);
    // The tests use a GPU of the machine, or none.
    for (const [name, range] of peers.filter(([each]) => each !== 'webgpu')) {
      // Every release of DuckDB is a prerelease for npm (1.5.5-r.5), and a range does not match the next of them.
      expect(range, name).toBe(name === '@duckdb/node-api' ? '*' : devDependencies[name]);
      expect(lock.packages[`node_modules/${name}`]?.version, name).toBe(devDependencies[name]?.replace('^', ''));
    }
  });

  it('of published packages are pinned, or allow later fixes of the version that the tests run with', () => {
    for (const { folder, name, range } of published) {
      expect(range, name).toMatch(/^\^?\d+\.\d+\.\d+(-r\.\d+)?$/);
      const locked = lock.packages[`packages/${folder}/node_modules/${name}`] ?? lock.packages[`node_modules/${name}`];
      expect(locked?.version, name).toBe(range.replace('^', ''));
    }
  });

  it('of published packages are explained, and listed in the bill of materials', () => {
    const page = read('docs/dependencies.md');
    const { scripts } = JSON.parse(read('package.json')) as { readonly scripts: { readonly sbom: string } };
    const [command = ''] = scripts.sbom.split(' > ');
    const bill = JSON.parse(execFileSync(command, { cwd: root, encoding: 'utf8', shell: true, stdio: 'pipe' })) as {
      readonly bomFormat: string;
      readonly components: readonly { readonly purl: string }[];
    };
    expect(bill.bomFormat).toBe('CycloneDX');
    const listed = bill.components.map(({ purl }) => decodeURIComponent(purl));
    for (const [name] of peers) expect(page, name).toContain(`| ${name}`);
    for (const { name } of published) {
      expect(page, name).toContain(`| ${name}`);
      expect(
        listed.some((purl) => purl.startsWith(`pkg:npm/${name}@`)),
        name,
      ).toBe(true);
    }
  });
});
