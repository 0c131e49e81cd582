import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { publicDocument } from './public-document.ts';

/*
 * The reference page: Redoc, served from here, so that nothing is loaded from anywhere else. The policy below makes
 * the browser hold to that; it also keeps Redoc's telemetry in, which the attribute switches off already.
 * Redoc styles its elements with generated style tags and draws icons from data addresses.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  "img-src 'self' data:",
  'font-src data:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The credit's logo would come from a CDN: its place takes the name. */
const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Holdfast API reference</title>
<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect x='2' y='7' width='12' height='8' rx='2' fill='%234353c9'/%3E%3Cpath d='M5 7V5a3 3 0 0 1 6 0v2' fill='none' stroke='%234353c9' stroke-width='2'/%3E%3C/svg%3E">
<style>
body { margin: 0; }
a[href*='redocly.com/redoc'] img { display: none; }
a[href*='redocly.com/redoc']::after { content: 'Redoc'; margin-left: 0.3em; }
</style>
</head>
<body>
<redoc spec-url="openapi.json" disable-telemetry="true"></redoc>
<noscript>This page needs JavaScript. The API is described in <a href="openapi.json">openapi.json</a> as well.</noscript>
<script type="module" src="docs/redoc.js"></script>
</body>
</html>
`;

/** Redoc's own bundle, from the package: `node_modules` here, or what the build put beside the function. */
function redocBundle(): string {
  return readFileSync(createRequire(import.meta.url).resolve('redoc/bundles/redoc.standalone.js'), 'utf8');
}

export const referencePage = () =>
  publicDocument(page, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': contentSecurityPolicy,
    'referrer-policy': 'no-referrer',
  });

export const referenceScript = () =>
  publicDocument(redocBundle(), { 'content-type': 'text/javascript; charset=utf-8' });
