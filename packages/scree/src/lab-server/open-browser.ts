import { spawn } from 'node:child_process';

/**
 * Starts the system's browser and leaves it alone: it stays when we end. Nothing is waited for; `failed` is called if
 * there is none. Every user of the machine can read the arguments, so what is opened is a file that only this user can read.
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
  // `start` belongs to the shell. Its first quoted word is a title, and a path there cannot contain quotes.
  if (process.platform === 'win32') return ['cmd.exe', '/c', 'start', '""', `"${path}"`];
  return ['xdg-open', path];
}
