import { extname } from 'node:path';

/**
 * The headers of the dashboard's pages, locally and on CloudFront. The policy only allows the dashboard's own files: no
 * inline scripts, no strings parsed as markup, no framing, no requests to other hosts.
 */
export const dashboardHeaders = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const;

const mediaTypes: Readonly<Record<string, string>> = {
  // A program for Node, which browsers don't run (IANA's media types).
  '.cjs': 'application/node',
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  // Browsers show it, so that one can read it first.
  '.sh': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.tgz': 'application/gzip',
  // A wheel of Python, which is a zip archive (PEP 427).
  '.whl': 'application/zip',
  '.woff2': 'font/woff2',
};

/** The Content-Type of a file of the dashboard, or of a download beside it. */
export function mediaTypeOf(file: string): string {
  return mediaTypes[extname(file)] ?? 'application/octet-stream';
}
