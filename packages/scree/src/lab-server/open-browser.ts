import { spawn } from 'node:child_process';

/**
 * Starts the default browser without waiting for it. It stays open when this process ends. `failed` is called if there is
 * none. Every user of the machine can see its arguments, so it opens a file that only this user can read.
 */
export function openBrowser(path: string, failed: () => void): void {
  const [command, ...args] = opener(path);
  const child = spawn(command, args, { detached: true, stdio: 'ignore', windowsVerbatimArguments: true });
  child.on('error', failed);
  child.on('exit', (code) => {
    if (code !== 0) failed();
  });
  child.unref();
}

function opener(path: string): [string, ...string[]] {
  if (process.platform === 'darwin') return ['open', path];
  // `start` is a command of the shell. Its first quoted argument is a title. A path on Windows cannot contain quotes.
  if (process.platform === 'win32') return ['cmd.exe', '/c', 'start', '""', `"${path}"`];
  return ['xdg-open', path];
}
