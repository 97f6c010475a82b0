import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string): string => readFileSync(`${root}/${path}`, 'utf8');
const lock = JSON.parse(read('package-lock.json')) as {
  readonly packages: Readonly<
    Record<string, { readonly version?: string; readonly hasInstallScript?: boolean; readonly dev?: boolean }>
  >;
};
interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** What the published packages depend on, beside each other: the package, the dependency and its range. */
const published = ['files', 'scree'].flatMap((folder) => {
  const { dependencies, optionalDependencies } = JSON.parse(read(`packages/${folder}/package.json`)) as Manifest;
  return Object.entries({ ...dependencies, ...optionalDependencies })
    .filter(([name]) => !name.startsWith('@scree/'))
    .map(([name, range]) => ({ folder, name, range }));
});

describe('dependencies', () => {
  it('run nothing at installation: only koffi has an install script where scree is installed, and npm is told to run none', () => {
    const withScript = Object.keys(lock.packages).filter((path) => {
      const { hasInstallScript, dev } = lock.packages[path] ?? {};
      return hasInstallScript && !dev;
    });
    expect(withScript).toEqual(['node_modules/koffi']);
    expect(read('.npmrc')).toMatch(/^ignore-scripts=true$/m);
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
    for (const { name } of published) {
      expect(page, name).toContain(`| ${name}`);
      expect(
        listed.some((purl) => purl.startsWith(`pkg:npm/${name}@`)),
        name,
      ).toBe(true);
    }
  });
});
