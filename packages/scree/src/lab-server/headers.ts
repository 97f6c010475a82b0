/**
 * On every answer, errors too.
 *
 * The page may run its own scripts, compile WebAssembly and start its workers (threads begin as blobs); it may talk to
 * nobody but this server, and nobody may put it into a frame. Isolation from other origins is what shared memory, and
 * with it threads, are given for.
 */
export const HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self' 'wasm-unsafe-eval'",
    "worker-src 'self' blob:",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "connect-src 'self'",
    "font-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  // Somebody's data do not belong into a browser's cache, and the page's address is another one next time anyhow.
  'Cache-Control': 'no-store',
};
