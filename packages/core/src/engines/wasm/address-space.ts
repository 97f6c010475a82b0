/** The parts of Node's `process` and `fs` that are used. */
interface NodeProcess {
  readonly platform?: string;
  getBuiltinModule?(name: 'fs'): { readFileSync(path: string, encoding: 'utf8'): string } | undefined;
}

/**
 * Bytes of address space that this process may still take. Infinity where nothing limits it, and where that cannot be found
 * out: only Linux tells, and only `ulimit -v` and its relatives set such a limit. V8 ends the whole process where it finds too
 * few addresses for a new thread, so this is asked before.
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
