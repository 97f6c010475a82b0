/** Compiles the kernel that projects one query, and writes it as base64 into a TypeScript module, so that no file has to be fetched. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import asc from 'assemblyscript/asc';

let binary;
const { error, stderr } = await asc.main(
  [
    'project.ts',
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
    'project.wasm',
  ],
  {
    readFile: asc.defaultReadFile,
    writeFile: (_, contents) => {
      binary = contents;
    },
    stderr: asc.createMemoryStream(),
  },
);
if (error) throw new Error(`The projection kernel does not compile: ${error.message}\n${stderr}`);
writeFileSync(
  new URL('../src/vectors/query/kernel.ts', import.meta.url),
  `// Written by assembly/build.js from assembly/project.ts: ${binary.length} bytes.
export const kernel = '${Buffer.from(binary).toString('base64')}';
`,
);
