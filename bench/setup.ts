import { execFileSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';

/**
 * scikit-learn in a virtual environment of its own, bench/.venv. Made when it is not there; `node bench/dist/setup.js`
 * makes it anew, with the newest release.
 */
const folder = fileURLToPath(new URL('../.venv', import.meta.url));
export const python = `${folder}/bin/python`;

/** Undefined when scikit-learn is ready; otherwise why it is not. */
export function setUp(): string | undefined {
  if (existsSync(python)) return undefined;
  try {
    console.log('setting up scikit-learn in bench/.venv (once)');
    execFileSync('python3', ['-m', 'venv', folder], { stdio: 'inherit' });
    execFileSync(python, ['-m', 'pip', 'install', '--quiet', '--upgrade', 'scikit-learn', 'threadpoolctl', 'pyarrow'], {
      stdio: 'inherit',
    });
    return undefined;
  } catch (error) {
    // Half an environment would be taken for a whole one the next time.
    rmSync(folder, { recursive: true, force: true });
    return `scikit-learn could not be set up: ${error instanceof Error ? error.message : error}`;
  }
}

/** Adds a package where it is not there yet; undefined when it is there, otherwise why not. */
export function needsPython(name: string): string | undefined {
  try {
    execFileSync(python, ['-c', `import ${name}`], { stdio: 'ignore' });
    return undefined;
  } catch {
    console.log(`adding ${name} to bench/.venv (once)`);
  }
  try {
    execFileSync(python, ['-m', 'pip', 'install', '--quiet', name], { stdio: 'inherit' });
    return undefined;
  } catch (error) {
    return `${name} could not be set up: ${error instanceof Error ? error.message : error}`;
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  rmSync(folder, { recursive: true, force: true });
  const problem = setUp();
  if (problem) {
    console.error(problem);
    process.exitCode = 1;
  }
}
