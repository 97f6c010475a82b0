import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Rolldown } from 'vite';
import { describe, expect, inject, it } from 'vitest';
import { quickChecks } from './grid.js';

/** The path of the package `webgpu`: SCREE_WEBGPU, or an installed package. The tests do not depend on it, because it has 130 MB. */
function findDawn(): string | undefined {
  if (process.env.SCREE_WEBGPU) return process.env.SCREE_WEBGPU;
  try {
    return createRequire(import.meta.url).resolve('webgpu');
  } catch {
    return undefined;
  }
}

const dawn = findDawn();
// Debian's Chromium stores its software driver and a Vulkan loader in this folder.
const folder = inject('chromium') ? '/usr/lib/chromium' : '';
const driver = join(folder, 'vk_swiftshader_icd.json');
const missing = !dawn
  ? 'the package webgpu is not installed (SCREE_WEBGPU may name its index.js)'
  : !existsSync(driver)
    ? 'there is no software driver of Chromium'
    : Number(process.versions.node.split('.')[0]) < 22
      ? 'Dawn sometimes ends with an error on Node 20'
      : undefined;
/** Few checks, because this driver needs a second to compile a kernel. */
const NAMES = Object.keys(quickChecks).filter((name) => /^(gram|multiply|passes read|refined)/.test(name));

describe.skipIf(missing)(
  `the WebGPU engine in Node${missing ? `, skipped: ${missing}` : ' on the software driver of Chromium'}`,
  () => {
    it('passes the same checks', { timeout: 300_000 }, async () => {
      const built = (await build({
        configFile: false,
        logLevel: 'warn',
        build: {
          write: false,
          target: 'esnext',
          minify: false,
          lib: {
            entry: fileURLToPath(new URL('./node-entry.ts', import.meta.url)),
            formats: ['es'],
            fileName: 'checks',
          },
          rollupOptions: { output: { inlineDynamicImports: true } },
        },
      })) as unknown as Rolldown.RolldownOutput[];
      const temporary = mkdtempSync(join(tmpdir(), 'scree-webgpu-'));
      try {
        writeFileSync(join(temporary, 'checks.mjs'), built[0].output[0].code);
        const program = `import { create, globals } from ${JSON.stringify(pathToFileURL(dawn as string).href)};
        import { runInNode } from './checks.mjs';
        Object.assign(globalThis, globals);
        process.exit(await runInNode(create([]), ${JSON.stringify(NAMES)}));`;
        writeFileSync(join(temporary, 'run.mjs'), program);
        const child = spawn(process.execPath, [join(temporary, 'run.mjs')], {
          env: {
            ...process.env,
            VK_DRIVER_FILES: driver,
            LD_LIBRARY_PATH: [process.env.LD_LIBRARY_PATH, dirname(driver)].filter(Boolean).join(':'),
            XDG_RUNTIME_DIR: process.env.XDG_RUNTIME_DIR ?? temporary,
          },
        });
        let printed = '';
        child.stdout.on('data', (text) => {
          printed += text;
        });
        child.stderr.on('data', (text) => {
          printed += text;
        });
        const code = await new Promise((resolve) => child.once('close', resolve));
        expect(code, printed).toBe(0);
        for (const name of NAMES) expect(printed).toContain(`passed: ${name}`);
      } finally {
        rmSync(temporary, { recursive: true, force: true });
      }
    });
  },
);
