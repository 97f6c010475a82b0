import type { TestProject } from 'vitest/node';
import { findChromium, howToInstall, installChromium, mayInstallChromium } from './chromium.js';

/**
 * Runs once, before all test files: finds Chromium for those that need it, installs it where that is possible, and says
 * aloud, before and after the tests, when they have to be skipped.
 */
export default function setup(project: TestProject): undefined | (() => void) {
  let path = findChromium();
  if (!path && mayInstallChromium()) {
    console.log('There is no Chromium for the browser tests: installing it with apt-get (a few minutes at most).');
    const problem = installChromium();
    if (problem) console.warn(problem);
    path = findChromium();
  }
  project.provide('chromium', path ?? '');
  if (path) return undefined;
  const warn = () => console.warn(`\n⚠ BROWSER TESTS ARE SKIPPED: there is no Chromium here. ${howToInstall}\n`);
  warn();
  return warn;
}
