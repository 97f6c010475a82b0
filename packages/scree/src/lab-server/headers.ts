/**
 * Headers of every response, including errors.
 *
 * The page may run its own scripts, compile WebAssembly and start workers (from blob addresses). It may connect only to this
 * server, and no page may show it in a frame. Browsers allow shared memory, which threads need, only for pages that are
 * isolated from other origins.
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
  // Data of the user should not stay in the browser's cache. The page has another address next time anyway.
  'Cache-Control': 'no-store',
};
