import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** For tests against what others write and read in Python. */

const found = new Map<string, string | undefined>();

/** A Python that has these modules: SCREE_PYTHON, that of the benchmark, or the system's. Undefined, and said aloud, when there is none. */
export function pythonWith(...modules: string[]): string | undefined {
  const key = modules.join();
  if (!found.has(key)) {
    const venv = fileURLToPath(new URL('../bench/.venv/bin/python', import.meta.url));
    const candidates = [process.env.SCREE_PYTHON, existsSync(venv) ? venv : undefined, 'python3', 'python'];
    found.set(
      key,
      candidates.find((candidate) => candidate !== undefined && works(candidate, modules)),
    );
    if (found.get(key) === undefined)
      process.stderr.write(`SKIPPED: no Python with ${modules.join(', ')} for these tests\n`);
  }
  return found.get(key);
}

function works(python: string, modules: readonly string[]): boolean {
  try {
    execFileSync(python, ['-c', modules.map((name) => `import ${name}`).join('\n')], {
      stdio: 'ignore',
      timeout: 60_000,
    });
    return true;
  } catch {
    return false;
  }
}

/** Runs Python and returns what it prints, as JSON. */
export function runPython(python: string, program: string, ...parameters: string[]): unknown {
  const printed = execFileSync(python, ['-c', program, ...parameters], { encoding: 'utf8', maxBuffer: 64 << 20 });
  return printed.trim() === '' ? undefined : JSON.parse(printed);
}
