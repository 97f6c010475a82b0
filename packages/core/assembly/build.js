/**
 * Compiles the kernels twice, with plain SIMD and with relaxed SIMD (fused multiply-add). Writes each binary in hexadecimal digits into a
 * TypeScript module, so that bundlers and a bare `import` need no loader. Only the module that the machine can run is loaded.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import asc from 'assemblyscript/asc';

const here = fileURLToPath(new URL('.', import.meta.url));

async function compile(features) {
  let binary;
  const { error, stderr } = await asc.main(
    [
      'kernels.ts',
      '--baseDir',
      here,
      '-O3',
      '--noAssert',
      '--runtime',
      'stub',
      '--use',
      'abort=',
      '--importMemory',
      '--sharedMemory',
      '--initialMemory',
      '1',
      '--maximumMemory',
      '65536',
      ...features.flatMap((name) => ['--enable', name]),
      '--outFile',
      'kernels.wasm',
    ],
    {
      readFile: asc.defaultReadFile,
      writeFile: (_, contents) => {
        binary = contents;
      },
      stderr: asc.createMemoryStream(),
    },
  );
  if (error) throw new Error(`The kernels do not compile: ${error.message}\n${stderr}`);
  return binary;
}

const plain = await compile(['simd', 'threads']);
const relaxed = await compile(['simd', 'threads', 'relaxed-simd']);
for (const [name, bytes, features] of [
  ['plain', plain, 'plain SIMD'],
  ['relaxed', relaxed, 'relaxed SIMD'],
]) {
  const target = new URL(`../src/engines/wasm/kernels-${name}.ts`, import.meta.url);
  mkdirSync(new URL('.', target), { recursive: true });
  writeFileSync(
    target,
    `// Written by assembly/build.js from assembly/kernels.ts: ${bytes.length} bytes with ${features}.
export const kernels = '${Buffer.from(bytes).toString('hex')}';
`,
  );
}
console.log(`kernels: ${plain.length} bytes with plain SIMD, ${relaxed.length} with relaxed SIMD`);
