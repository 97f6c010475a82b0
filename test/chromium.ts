import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { launchChromium } from '../bench/chromium.js';

export { findChromium } from '../bench/chromium.js';

/** For tests in a real browser: how Chromium comes onto a machine without one. */

declare module 'vitest' {
  interface ProvidedContext {
    /** Path of the browser that chromium-setup.ts found. Empty if it found none. */
    chromium: string;
  }
}

const { env } = process;

const started = new Map<string, Browser>();

/**
 * Chromium with these switches. Test files that run in one process share it, because every start takes a second. It ends with the
 * process; `closePages` closes what a test file has opened.
 */
export async function sharedChromium(path: string, switches: readonly string[] = []): Promise<Browser> {
  const key = switches.join(' ');
  const before = started.get(key);
  if (before?.isConnected()) return before;
  const browser = await launchChromium(path, switches);
  started.set(key, browser);
  return browser;
}

/** Closes all pages of a browser, so that they take no time from the next test file. */
export async function closePages(browser: Browser | undefined): Promise<void> {
  await Promise.all((browser?.contexts() ?? []).map((context) => context.close()));
}

/** True if a test may install Chromium: as root on Debian and its kin, as in most containers. */
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
