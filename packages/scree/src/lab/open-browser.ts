import { spawn } from 'node:child_process';

/**
 * Starts the system's browser and leaves it alone: it stays when we end. Nothing is waited for; `failed` is called if
 * there is none. The address goes through a shell on Windows (`start` belongs to it) and must not need quoting.
 */
export function openBrowser(address: string, failed: () => void): void {
  const [command, ...args] = opener(address);
  const child = spawn(command, args, { detached: true, stdio: 'ignore', windowsVerbatimArguments: true });
  child.on('error', failed);
  child.on('exit', (code) => {
    if (code !== 0) failed();
  });
  child.unref();
}

function opener(address: string): [string, ...string[]] {
  if (process.platform === 'darwin') return ['open', address];
  if (process.platform === 'win32') return ['cmd.exe', '/c', 'start', '""', address];
  return ['xdg-open', address];
}
