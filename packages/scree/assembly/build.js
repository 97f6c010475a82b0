/**
 * Compiles the packing kernel and writes it as base64 into a TypeScript module. Plain SIMD alone: moving rows waits for
 * memory, not for multiplications.
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import asc from 'assemblyscript/asc';

let binary;
const { error, stderr } = await asc.main(
  [
    'pack.ts',
    '--baseDir',
    fileURLToPath(new URL('.', import.meta.url)),
    '-O3',
    '--noAssert',
    '--runtime',
    'stub',
    '--importMemory',
    '--enable',
    'simd',
    '--outFile',
    'pack.wasm',
  ],
  {
    readFile: asc.defaultReadFile,
    writeFile: (_, contents) => {
      binary = contents;
    },
    stderr: asc.createMemoryStream(),
  },
);
if (error) throw new Error(`The packing kernel does not compile: ${error.message}\n${stderr}`);
writeFileSync(
  new URL('../src/blas/pack-binary.ts', import.meta.url),
  `// Written by assembly/build.js from assembly/pack.ts: ${binary.length} bytes.
export const packBinary = '${Buffer.from(binary).toString('base64')}';
`,
);
console.log(`packing kernel: ${binary.length} bytes`);
