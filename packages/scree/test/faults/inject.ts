import fs from 'node:fs';
import promises, { type FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { resolve } from 'node:path';

/**
 * Fault injection: counts every call of Node's file system that concerns one folder, and makes one of them fail.
 *
 * All of node:fs/promises, the methods of its file handles, and the synchronous and callback functions of node:fs are replaced
 * for as long as `withFaults` runs. Calls about other paths pass through, so modules can be loaded meanwhile. Native code is out of
 * reach: DuckDB opens and reads files itself. node-sqlite3-wasm uses node:fs and is covered.
 */

/**
 * The fault of a call. `short`: half of the bytes are read or written. `end`: a read finds no more bytes, as in a truncated file. The
 * others are errors of the operating system; a failed write has written half of its bytes, and a failed close has closed the file.
 */
export type FaultKind = 'EIO' | 'ENOSPC' | 'EACCES' | 'EMFILE' | 'short' | 'end';

export interface Fault {
  /** Which call fails, counted from 0. */
  readonly call: number;
  readonly kind: FaultKind;
  /** If true, all later calls that this kind applies to fail too: the disk stays full, or the device was removed. */
  readonly lasting?: boolean;
}

export interface Call {
  /** `rename`, `handle.read`, `openSync`, … */
  readonly name: string;
  readonly path: string;
}

export interface Observed<Result> {
  readonly result: Result;
  readonly calls: readonly Call[];
  /** True if a call failed. */
  readonly failed: boolean;
  /** Paths of files that were opened and not closed. */
  readonly unclosed: readonly string[];
}

const FUNCTIONS =
  'access appendFile chmod copyFile link lstat mkdir mkdtemp open readFile readdir readlink realpath rename rm rmdir stat symlink truncate unlink utimes writeFile'.split(
    ' ',
  );
const ON_DESCRIPTORS = 'close fchmod fdatasync fstat fsync ftruncate read readv write writev'.split(' ');
const ON_HANDLES =
  'appendFile chmod close datasync read readFile readv stat sync truncate utimes write writeFile writev'.split(' ');

const PARTIAL_READS = /^(handle\.)?read(Sync)?$/;
const WRITES = /^(handle\.)?(write|writev|writeFile|appendFile)(Sync)?$/;
const PARTIAL_WRITES = /^(handle\.)?write(Sync)?$/;
const NEEDS_SPACE = /^(mkdir|mkdtemp|copyFile|symlink|link|open|rename|fsync|fdatasync)(Sync)?$|^handle\.(data)?sync$/;
const PERMISSION = /^(open|access|mkdir|mkdtemp|readFile|rename|rm|unlink|stat|readdir)(Sync)?$/;

/** The faults that are possible for a call of this name. */
export function faultsOf({ name }: Call): readonly FaultKind[] {
  const kinds: FaultKind[] = ['EIO'];
  if (WRITES.test(name) || NEEDS_SPACE.test(name)) kinds.push('ENOSPC');
  if (PERMISSION.test(name)) kinds.push('EACCES');
  if (/^open/.test(name)) kinds.push('EMFILE');
  if (PARTIAL_READS.test(name) || PARTIAL_WRITES.test(name)) kinds.push('short');
  if (PARTIAL_READS.test(name)) kinds.push('end');
  return kinds;
}

type Any = (...args: unknown[]) => unknown;
type Functions = Record<string, Any>;

/** Runs `work` while file system calls that concern `folder` are counted; the call that `fault` names fails. */
export async function withFaults<Result>(
  folder: string,
  fault: Fault | undefined,
  work: () => Promise<Result>,
): Promise<Observed<Result>> {
  const inside = `${resolve(folder)}/`;
  const calls: Call[] = [];
  const descriptors = new Map<number, string>();
  const handles = new WeakMap<object, string>();
  let failed = false;

  /** Counts a call, and says what goes wrong with it. */
  const count = (name: string, path: string): FaultKind | undefined => {
    const call = calls.push({ name, path }) - 1;
    const hit = fault && (call === fault.call || (fault.lasting && call > fault.call));
    if (!hit || !faultsOf({ name, path }).includes(fault.kind)) return undefined;
    failed = true;
    return fault.kind;
  };
  const pathIn = (args: readonly unknown[]): string | undefined =>
    args
      .slice(0, 2)
      .filter((arg) => typeof arg === 'string' || arg instanceof URL)
      .map((arg) => (arg instanceof URL ? arg.pathname : (arg as string)))
      .find((path) => `${resolve(path)}/`.startsWith(inside));

  const onHandle = (name: string, original: Any): Any =>
    async function (this: FileHandle, ...args: unknown[]) {
      const path = handles.get(this);
      if (path === undefined) return original.apply(this, args);
      const kind = count(`handle.${name}`, path);
      if (name === 'close') descriptors.delete(this.fd);
      if (kind === 'end') return { bytesRead: 0, buffer: args[0] };
      if (kind === 'short') return original.apply(this, halfLength(args));
      if (kind && name === 'close') await original.apply(this, args);
      if (kind && name.startsWith('write')) await original.apply(this, [half(args[0])]);
      if (kind) throw systemError(kind, name, path);
      return original.apply(this, args);
    };

  const undo: (() => void)[] = [];
  const replace = (object: object, name: string, make: (real: Any) => Any): void => {
    const functions = object as Functions;
    const real = functions[name];
    if (typeof real !== 'function') return;
    functions[name] = make(real);
    undo.push(() => {
      functions[name] = real;
    });
  };

  const prototype = await handlePrototype(folder);
  const real = { closeSync: fs.closeSync, writeFileSync: fs.writeFileSync };
  for (const name of FUNCTIONS) {
    replace(promises, name, (original) => async (...args) => {
      const path = pathIn(args);
      if (path === undefined) return original(...args);
      const kind = count(name, path);
      if (kind) {
        if (name === 'writeFile') real.writeFileSync(path, half(args[1]));
        throw systemError(kind, name, path);
      }
      const result = await original(...args);
      if (name === 'open') {
        handles.set(result as object, path);
        descriptors.set((result as FileHandle).fd, path);
        // In some versions of Node close is a property of each handle, not of their class.
        if (Object.hasOwn(result as object, 'close'))
          replace(result as object, 'close', (close) => onHandle('close', close));
      }
      return result;
    });
    replace(fs, `${name}Sync`, (original) => (...args) => {
      const path = pathIn(args);
      if (path === undefined) return original(...args);
      const kind = count(`${name}Sync`, path);
      if (kind) throw systemError(kind, name, path);
      const result = original(...args);
      if (name === 'open') descriptors.set(result as number, path);
      return result;
    });
  }
  for (const name of ON_HANDLES) replace(prototype, name, (original) => onHandle(name, original));
  for (const name of ON_DESCRIPTORS) {
    replace(fs, `${name}Sync`, (original) => (...args) => {
      const path = descriptors.get(args[0] as number);
      if (path === undefined) return original(...args);
      const kind = count(`${name}Sync`, path);
      if (name === 'close') descriptors.delete(args[0] as number);
      if (kind === 'end') return 0;
      if (kind === 'short') return original(args[0], ...halfLength(args.slice(1)));
      if (kind && name === 'close') original(...args);
      if (kind) throw systemError(kind, name, path);
      return original(...args);
    });
    // With a callback: the functions of threads that share a descriptor.
    replace(fs, name, (original) => (...args) => {
      const path = descriptors.get(args[0] as number);
      if (path === undefined) return original(...args);
      const kind = count(name, path);
      if (name === 'close') descriptors.delete(args[0] as number);
      const callback = args.at(-1) as (error: Error | null, count?: number) => void;
      if (kind === 'end') return process.nextTick(callback, null, 0);
      if (kind === 'short') return original(args[0], ...halfLength(args.slice(1)));
      if (kind) return process.nextTick(callback, systemError(kind, name, path));
      return original(...args);
    });
  }
  syncBuiltinESMExports();
  try {
    const result = await work();
    return { result, calls, failed, unclosed: [...descriptors.values()] };
  } finally {
    for (const one of undo.reverse()) one();
    syncBuiltinESMExports();
  }
}

let cached: object | undefined;

/** Node does not export the class of its file handles. */
async function handlePrototype(folder: string): Promise<object> {
  if (cached) return cached;
  const handle = await promises.open(folder, 'r');
  cached = Object.getPrototypeOf(handle) as object;
  await handle.close();
  return cached;
}

/** Half of the bytes of a write. */
function half(content: unknown): Uint8Array {
  const bytes = typeof content === 'string' ? Buffer.from(content) : (content as Uint8Array);
  return bytes.subarray(0, bytes.length >> 1);
}

/** (buffer, offset, length, position) or (buffer, { offset, length, position }) with half of the length, and at least one byte. */
function halfLength(args: readonly unknown[]): unknown[] {
  const [buffer, first, length, ...rest] = args as [Uint8Array, unknown, unknown];
  const fewer = (count: number): number => Math.max(1, count >> 1);
  if (typeof first === 'object' && first !== null) {
    const { offset = 0, length: asked = buffer.length - offset } = first as { offset?: number; length?: number };
    return [buffer, { ...first, offset, length: fewer(asked) }, length, ...rest];
  }
  const offset = typeof first === 'number' ? first : 0;
  const asked = typeof length === 'number' ? length : buffer.length - offset;
  return [buffer, offset, asked === 0 ? 0 : fewer(asked), ...rest];
}

const MEANING: Partial<Record<FaultKind, string>> = {
  EIO: 'i/o error',
  ENOSPC: 'no space left on device',
  EACCES: 'permission denied',
  EMFILE: 'too many open files',
};

function systemError(code: FaultKind, syscall: string, path: string): Error {
  const message = `${code}: ${MEANING[code]}, ${syscall} '${path}'`;
  return Object.assign(new Error(message), { code, errno: -1, syscall, path });
}
