/**
 * Takes the WebAssembly of zstd's own decoder out of the package zstddec, and writes it in hexadecimal digits into a TypeScript module.
 * The package itself keeps the bytes private: it gives them to `fetch` as a data: address, which pages with `connect-src 'self'` forbid,
 * and it ignores the decoder's error codes.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const source = readFileSync(fileURLToPath(import.meta.resolve('zstddec/stream')), 'utf8');
const [, base64] = /^const wasm = "([A-Za-z0-9+/=]+)";$/m.exec(source) ?? [];
if (!base64) throw new Error('zstddec has no WebAssembly where it was: see packages/files/build-zstd.js.');
const bytes = Buffer.from(base64, 'base64');
writeFileSync(
  new URL('src/archive/zstd-wasm.ts', import.meta.url),
  `// Written by packages/files/build-zstd.js from zstddec: ${bytes.length} bytes.
export const zstdWasm = '${bytes.toString('hex')}';
`,
);
