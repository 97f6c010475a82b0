/** The parts of Node's `process` and `fs` that this module uses. */
interface NodeProcess {
  readonly platform?: string;
  getBuiltinModule?(name: 'fs'): { readFileSync(path: string, encoding: 'utf8'): string } | undefined;
}

/**
 * Returns how many bytes of address space this process may still use; Infinity if memory is unlimited or the limit is unknown. Only Linux
 * reports a limit, and only `ulimit -v` and similar tools set one. V8 aborts the process if the address space is too small for a new
 * thread, so callers check this first.
 */
export function addressSpaceLeft(): number {
  const { process } = globalThis as { process?: NodeProcess };
  if (process?.platform !== 'linux') return Number.POSITIVE_INFINITY;
  try {
    const fs = process?.getBuiltinModule?.('fs');
    const limit = fs?.readFileSync('/proc/self/limits', 'utf8').match(/^Max address space +(\d+)/m)?.[1];
    const used = limit && fs?.readFileSync('/proc/self/status', 'utf8').match(/^VmSize:\s+(\d+) kB/m)?.[1];
    return used ? Number(limit) - Number(used) * 1024 : Number.POSITIVE_INFINITY;
  } catch {
    // Node's permission model may forbid reading these files.
    return Number.POSITIVE_INFINITY;
  }
}
