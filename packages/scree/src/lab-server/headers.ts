/**
 * On every answer, errors too.
 *
 * The page may run its own scripts, compile WebAssembly and start its workers (threads begin as blobs); it may
 * connect to this server only, and no page may put it into a frame. Browsers allow shared memory, and with it threads, only
 * to pages that are isolated from other origins.
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
  // A user's data do not belong into the browser's cache, and the page has another address next time anyway.
  'Cache-Control': 'no-store',
};
