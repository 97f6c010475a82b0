#!/usr/bin/env node
/** Starts the built command. It is committed, so that npm can link `scree` before there is a build. */
import { existsSync } from 'node:fs';

const program = new URL('../dist/bin/scree.js', import.meta.url);
try {
  await import(program.href);
} catch (error) {
  if (existsSync(program)) throw error;
  process.stderr.write('scree: the command is not built yet. Run: npm run build\n');
  process.exitCode = 1;
}
