import { createHash } from 'node:crypto';

/** The colors and shapes of the dashboard. The page loads nothing. */
const style = `
:root { color-scheme: light dark }
body {
  margin: 0 auto; max-width: 400px; padding: clamp(40px, 12vh, 140px) 16px;
  font: 15px/24px system-ui, sans-serif;
  background: light-dark(oklch(97.3% 0.013 88), oklch(20.5% 0.015 165));
  color: light-dark(oklch(25% 0.025 165), oklch(93% 0.012 95));
}
.brand { display: flex; align-items: center; gap: 8px; margin: 0 0 32px; font-size: 18px; font-weight: 600 }
svg { width: 30px; fill: none; stroke-width: 2; stroke-linecap: round }
svg { stroke: light-dark(oklch(42% 0.085 163), oklch(76% 0.115 160)) }
h1 { margin: 0 0 16px; font-size: 32px; line-height: 40px; letter-spacing: -0.018em }
p { margin: 0 }`;

/** Allows this style and nothing else. */
export const answerPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const mark =
  'M16 3v26M16 12c-4.5-1-7-4-7-8M16 12c4.5-1 7-4 7-8M16 20c-6 0-10 3-10 9M16 20c6 0 10 3 10 9M16 22c-3 1-4 3-4 7M16 22c3 1 4 3 4 7';

/** The page that the browser shows after the sign-in. Both texts are fixed, so nothing is escaped. */
export function answerPage(title: string, text: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title} · Holdfast</title>
<style>${style}</style>
<main>
<div class="brand"><svg viewBox="0 0 32 32" aria-hidden="true"><path d="${mark}"/></svg>Holdfast</div>
<h1>${title}</h1>
<p>${text}</p>
</main>
</html>
`;
}
