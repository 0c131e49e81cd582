import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { publicDocument } from './public-document.ts';

/** The reader's browser contacts no other host. Redoc injects style tags and uses data URLs for icons. */
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

/** Redoc's credit is a logo from its CDN; a text link replaces it. */
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
<noscript>This page needs JavaScript. <a href="openapi.json">openapi.json</a> describes the API as well.</noscript>
<script type="module" src="docs/redoc.js"></script>
</body>
</html>
`;

/** What Redoc would load from other hosts: a logo, icon sets, and its telemetry endpoint. */
const foreignResources = /https:\/\/(?:cdn\.redoc\.ly|cdn\.redocly\.com|otel\.cloud\.redocly\.com)\/[\w./-]*/g;

/** Redoc's bundle: from `node_modules` in development, from the function's own folder when deployed. */
function redocBundle(): string {
  const bundle = readFileSync(createRequire(import.meta.url).resolve('redoc/bundles/redoc.standalone.js'), 'utf8');
  return bundle.replaceAll(foreignResources, 'data:,');
}

export const referencePage = () =>
  publicDocument(page, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': contentSecurityPolicy,
    'referrer-policy': 'no-referrer',
  });

export const referenceScript = () =>
  publicDocument(redocBundle(), { 'content-type': 'text/javascript; charset=utf-8' });
