import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect } from 'vitest';
import { ServedCommand } from './served-command.js';

/** The real binary. */
export const PROGRAM = fileURLToPath(new URL('../../dist/command/scree.js', import.meta.url));

export interface Outcome {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Settings {
  readonly input?: string | Uint8Array;
  readonly uid?: number;
  readonly env?: NodeJS.ProcessEnv;
  /** A shell's words before the program: limits. */
  readonly before?: string;
}

/** The binary in a folder of its own, which is removed afterwards. */
export interface Binary {
  readonly folder: string;
  path(name: string): string;
  /** Writes a file and returns its name. */
  write(name: string, content: string | Uint8Array): string;
  /** Runs it and returns what it printed. */
  run(args: readonly string[], settings?: Settings): Outcome;
  /** Runs it without notes, expects success, and returns its output. `json` returns the parsed output of --json. */
  text(args: readonly string[], settings?: Settings): string;
  json<Json>(args: readonly string[], settings?: Settings): Json;
  /** Runs it and expects exit 1 with one clear line, no stack, and no file but those that were there. The line. */
  refused(args: readonly string[], settings?: Settings): string;
}

/** True if every command line gets a process of its own. Otherwise one process runs most of them, which is faster. */
const ALWAYS_SPAWN = process.env.SCREE_FULL !== undefined || process.platform === 'win32';

/** Commands that have had a process of their own, and the process that runs the others. Test files of one process share both. */
const started = new Set<string>();
let served: ServedCommand | undefined;
process.once('exit', () => served?.close());

/**
 * A command line gets a process of its own if that is what it is about: standard input, limits, another user or environment. So do the
 * first lines of every command, which show that it starts and ends by itself. One process runs the others.
 */
export function useBinary(name: string): Binary {
  const folder = mkdtempSync(join(tmpdir(), `scree-${name}-`));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const path = (file: string): string => join(folder, file);
  const run = (args: readonly string[], settings: Settings = {}): Outcome => {
    const [command = ''] = args;
    if (ALWAYS_SPAWN || !started.has(command) || args.includes('-') || Object.keys(settings).length > 0) {
      started.add(command);
      return spawned(args, settings);
    }
    served ??= new ServedCommand();
    const outcome = served.run(args, folder);
    // A process that was killed takes no further commands.
    if (outcome.code === null) {
      served.close();
      served = undefined;
    }
    return outcome;
  };
  const spawned = (args: readonly string[], { input, uid, env, before }: Settings): Outcome => {
    const words = [process.execPath, PROGRAM, ...args];
    const [program, ...rest] = before ? ['bash', '-c', `${before}; exec "$@"`, 'bash', ...words] : words;
    const { status, stdout, stderr } = spawnSync(program, rest, {
      cwd: folder,
      encoding: 'utf8',
      timeout: 60_000,
      maxBuffer: 1 << 28,
      ...(input === undefined ? {} : { input }),
      ...(uid === undefined ? {} : { uid, gid: uid }),
      ...(env === undefined ? {} : { env: { ...process.env, ...env } }),
    });
    return { code: status, out: stdout, err: stderr };
  };
  const text = (args: readonly string[], settings?: Settings): string => {
    const { code, out, err } = run([...args, '-q'], settings);
    expect(code, err).toBe(0);
    return out;
  };
  return {
    folder,
    path,
    text,
    json: (args, settings) => JSON.parse(text([...args, '--json'], settings)),
    write: (file, content) => {
      writeFileSync(path(file), content);
      return file;
    },
    run,
    refused: (args, settings) => {
      const before = readdirSync(folder, { recursive: true }).sort();
      const { code, out, err } = run(args, settings);
      expect({ code, out, err }).toMatchObject({ code: 1, out: '' });
      const lines = err.split('\n').filter((line) => line.startsWith('scree: '));
      expect(lines).toHaveLength(1);
      expect(err).not.toMatch(/ {4}at |node:internal|should not have happened/);
      expect(readdirSync(folder, { recursive: true }).sort()).toEqual(before);
      return lines[0];
    },
  };
}

/** A .npy file with any header, for files that lie. */
export function npyWith(header: string, data: Uint8Array): Buffer {
  const text = Buffer.from(`${header.padEnd(117)}\n`, 'latin1');
  const start = Buffer.from('\x93NUMPY\x01\x00\x00\x00', 'latin1');
  start.writeUInt16LE(text.length, 8);
  return Buffer.concat([start, text, data]);
}

export function npyHeader(descr: string, shape: string): string {
  return `{'descr': ${descr}, 'fortran_order': False, 'shape': ${shape}, }`;
}

export function npy(rows: number, cols: number, value: (at: number) => number): Buffer {
  const numbers = Float64Array.from({ length: rows * cols }, (_, at) => value(at));
  return npyWith(npyHeader("'<f8'", `(${rows}, ${cols})`), new Uint8Array(numbers.buffer));
}
