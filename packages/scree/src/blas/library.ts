import { existsSync } from 'node:fs';
import { availableParallelism, release } from 'node:os';
import { loadOptional } from '../optional-package.js';

/** The functions of koffi that the engine uses. Koffi's own types are mostly `any`. */
export interface Koffi {
  /** If the path is null, opens the libraries that this process has loaded already, such as the C library. */
  load(path: string | null): Handle;
  config(): Record<string, number>;
  config(settings: Record<string, number>): unknown;
}

export interface Handle {
  func(name: string, result: string, parameters: readonly string[]): Native;
}

/** A native function. `async` calls it on another thread, with a callback as its last argument. */
export interface Native {
  // biome-ignore lint/suspicious/noExplicitAny: any C value
  (...values: any[]): any;
  async(...values: unknown[]): void;
}

/** A loaded BLAS library that is known to be fast. */
export interface Library {
  readonly kind: 'OpenBLAS' | 'MKL' | 'Accelerate';
  readonly version: string;
  /** The path or name of the loaded file. */
  readonly path: string;
  readonly handle: Handle;
  /** Prefix and suffix of its function names. */
  readonly prefix: string;
  readonly suffix: string;
  /** Size of its integers in bytes. */
  readonly integers: 4 | 8;
  threads(): number;
  setThreads(count: number): void;
}

/** Stack size of an asynchronous call. OpenBLAS built for many cores needs 2 MB. */
const STACK = 4 * 2 ** 20;

/** File names of the fast libraries, by platform. Libraries that use all cores come first. */
const NAMES: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  linux: [
    'libopenblasp.so.0',
    'libopenblas.so.0',
    'libopenblas.so',
    'libmkl_rt.so.2',
    'libmkl_rt.so.3',
    'libmkl_rt.so',
    'libcblas.so.3',
    'libblas.so.3',
  ],
  darwin: [
    '/System/Library/Frameworks/Accelerate.framework/Accelerate',
    'libopenblas.dylib',
    '/opt/homebrew/opt/openblas/lib/libopenblas.dylib',
    '/usr/local/opt/openblas/lib/libopenblas.dylib',
  ],
  win32: ['libopenblas.dll', 'openblas.dll', 'mkl_rt.2.dll', 'mkl_rt.3.dll', 'mkl_rt.dll'],
};

const INSTALL: Partial<Record<NodeJS.Platform, string>> = {
  linux:
    'Install OpenBLAS (Debian, Ubuntu: apt-get install libopenblas0-pthread; Fedora: dnf install openblas-threads)',
  darwin: 'Accelerate comes with macOS; or install OpenBLAS (brew install openblas)',
  win32: 'Put libopenblas.dll on the PATH',
};

/** Returns how to install a library: a sentence without the full stop. */
export function howToInstall(): string {
  const install = INSTALL[process.platform] ?? 'Install OpenBLAS';
  return `${install}, or set SCREE_BLAS to the path of one`;
}

/** Returns koffi, or a sentence with the reason why it is not available. */
export async function loadKoffi(): Promise<Koffi | string> {
  const loaded = await loadOptional<{ readonly default: Koffi }>('koffi');
  if (typeof loaded === 'string') return `the package koffi ${loaded}`;
  const { default: koffi } = loaded;
  const settings = koffi.config();
  if (settings.async_stack_size >= STACK) return koffi;
  try {
    koffi.config({ ...settings, async_stack_size: STACK });
    return koffi;
  } catch {
    return `koffi was set up by another package with a stack of ${settings.async_stack_size} bytes, too small for BLAS. Import scree and fit once before that package, or have it set async_stack_size to ${STACK}`;
  }
}

/** Returns the library that SCREE_BLAS names, or the first library found under the usual names, or a sentence with the reason why none was found. */
export function findLibrary(koffi: Koffi, named: string | undefined = process.env.SCREE_BLAS): Library | string {
  if (named !== undefined && named !== '') {
    const found = open(koffi, named);
    if (typeof found !== 'string') return found;
    return `SCREE_BLAS is ${JSON.stringify(named)}, and ${found}. ${howToInstall()}`;
  }
  for (const name of NAMES[process.platform] ?? []) {
    const found = open(koffi, name);
    if (typeof found !== 'string') return found;
  }
  return `no OpenBLAS, MKL or Accelerate was found. ${howToInstall()}`;
}

function open(koffi: Koffi, path: string): Library | string {
  if (/[\\/]/.test(path) && !path.startsWith('/System/') && !existsSync(path)) return 'there is no such file';
  let handle: Handle;
  try {
    handle = koffi.load(path);
  } catch (error) {
    return `it cannot be loaded (${(error as Error).message})`;
  }
  const library = openBlas(path, handle) ?? mkl(path, handle) ?? accelerate(path, handle);
  return library ?? 'it is not OpenBLAS, MKL or Accelerate: a plain reference BLAS is slower than the wasm engine';
}

/** Returns a function of the library, or undefined if there is no function of this name. */
export function lookUp(
  handle: Handle,
  name: string,
  result: string,
  parameters: readonly string[],
): Native | undefined {
  try {
    return handle.func(name, result, parameters);
  } catch {
    return undefined;
  }
}

/**
 * OpenBLAS. Its functions have the usual names, the names of 64-bit builds (…64_), or the names of the Python wheels scipy-openblas32 and
 * scipy-openblas64.
 */
function openBlas(path: string, handle: Handle): Library | undefined {
  for (const prefix of ['', 'scipy_']) {
    for (const suffix of ['', '64_', '_64']) {
      const config = lookUp(handle, `${prefix}openblas_get_config${suffix}`, 'str', []);
      const get = lookUp(handle, `${prefix}openblas_get_num_threads${suffix}`, 'int', []);
      const set = lookUp(handle, `${prefix}openblas_set_num_threads${suffix}`, 'void', ['int']);
      if (!config || !get || !set) continue;
      const words = String(config());
      return {
        kind: 'OpenBLAS',
        version: words.match(/OpenBLAS (\S+)/)?.[1] ?? words,
        path,
        handle,
        prefix,
        suffix,
        integers: suffix !== '' || words.includes('USE64BITINT') ? 8 : 4,
        threads: () => Number(get()),
        setThreads: (count) => void set(count),
      };
    }
  }
  return undefined;
}

function mkl(path: string, handle: Handle): Library | undefined {
  const version = lookUp(handle, 'MKL_Get_Version_String', 'void', ['void *', 'int']);
  const get = lookUp(handle, 'MKL_Get_Max_Threads', 'int', []);
  const set = lookUp(handle, 'MKL_Set_Num_Threads', 'void', ['int']);
  if (!version || !get || !set) return undefined;
  const text = Buffer.alloc(256);
  version(text, text.length);
  const words = text.toString('latin1').split('\0')[0].trim();
  return {
    kind: 'MKL',
    version: words.match(/Version ([\d.]+)/)?.[1] ?? words,
    path,
    handle,
    prefix: '',
    suffix: '',
    // mkl_rt uses 32-bit integers by default.
    integers: /^ILP64/i.test(process.env.MKL_INTERFACE_LAYER ?? '') ? 8 : 4,
    threads: () => Number(get()),
    setThreads: (count) => void set(count),
  };
}

/** Apple's Accelerate. Its number of threads cannot be set. */
function accelerate(path: string, handle: Handle): Library | undefined {
  if (process.platform !== 'darwin' || !path.includes('Accelerate')) return undefined;
  return {
    kind: 'Accelerate',
    version: `of Darwin ${release()}`,
    path,
    handle,
    prefix: '',
    suffix: '',
    integers: 4,
    threads: () => availableParallelism(),
    setThreads: () => {},
  };
}
