import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

/** Where Chromium is on this machine, and how it is started: for the benchmark and the tests. */

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

/** Starts it without a window, and without anything that reaches for the network by itself. */
export function launchChromium(executablePath: string, more: readonly string[] = []): Promise<Browser> {
  return chromium.launch({
    executablePath,
    headless: true,
    args: [
      '--no-sandbox',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
      ...more,
    ],
  });
}
