import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

/** For tests in a real browser: where Chromium is, how it comes onto a machine without one, how it is started. */

declare module 'vitest' {
  interface ProvidedContext {
    /** Path of the browser that chromium-setup.ts found; empty where there is none. */
    chromium: string;
  }
}

const { env, platform } = process;

const places: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ['/Applications', join(env.HOME ?? '', 'Applications')].flatMap((folder) =>
    ['Chromium', 'Google Chrome', 'Microsoft Edge'].map((name) => join(folder, `${name}.app/Contents/MacOS/${name}`)),
  ),
  win32: [env.PROGRAMFILES, env['PROGRAMFILES(X86)'], env.LOCALAPPDATA].flatMap((folder) =>
    ['Chromium', 'Google\\Chrome', 'Microsoft\\Edge'].map((name) =>
      join(folder ?? '', name, 'Application', name.endsWith('Edge') ? 'msedge.exe' : 'chrome.exe'),
    ),
  ),
  linux: [...(env.PATH ?? '').split(delimiter), '/usr/bin', '/snap/bin'].flatMap((folder) =>
    ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'microsoft-edge'].map((name) =>
      join(folder, name),
    ),
  ),
};

/** Path of a Chromium, or of a browser built on it; SCREE_CHROMIUM comes first, and is believed. */
export function findChromium(): string | undefined {
  const given = env.SCREE_CHROMIUM;
  if (given === 'none') return undefined;
  if (given) {
    if (!existsSync(given)) throw new Error(`SCREE_CHROMIUM is ${given}, but there is no such file.`);
    return given;
  }
  return places[platform]?.find((path) => existsSync(path) && starts(path));
}

/** Some Linux systems have in Chromium's place a script that only says how to install it. */
function starts(path: string): boolean {
  return platform !== 'linux' || spawnSync(path, ['--version'], { timeout: 30_000 }).status === 0;
}

/** Where a test may install Chromium by itself: as root on Debian and its kin, as in most containers. */
export function mayInstallChromium(): boolean {
  return env.SCREE_CHROMIUM !== 'none' && existsSync('/etc/debian_version') && process.getuid?.() === 0;
}

/** Most time that one call of apt-get may take. */
const APT_LIMIT = 4 * 60_000;

/** Installs Chromium with apt-get. Returns what went wrong, if anything did. */
export function installChromium(): string | undefined {
  const apt = (...args: string[]): string | undefined => {
    const { status, stderr, error } = spawnSync('apt-get', ['-o', 'DPkg::Lock::Timeout=60', ...args], {
      env: { ...env, DEBIAN_FRONTEND: 'noninteractive' },
      encoding: 'utf8',
      timeout: APT_LIMIT,
    });
    return status === 0 ? undefined : `apt-get ${args.join(' ')}: ${error?.message ?? stderr.trim()}`;
  };
  const install = () => apt('install', '-y', '--no-install-recommends', 'chromium');
  // A fresh container has no list of packages, an old one a stale list: then the first attempt fails.
  return install() && (apt('update') || install());
}

export const howToInstall =
  'Install Chromium or Chrome (on Debian and Ubuntu: apt-get install chromium), or set SCREE_CHROMIUM to its path.';

/** Starts it without a window, and without anything that reaches for the network by itself. */
export function launchChromium(executablePath: string): Promise<Browser> {
  return chromium.launch({
    executablePath,
    headless: true,
    args: [
      '--no-sandbox',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
    ],
  });
}
