import { createHash } from 'node:crypto';
import { escapeHtml } from '#lib/mail/compose-mail.ts';
import type { LocalPage } from './gateway.ts';

interface ShownMail {
  to: string;
  subject: string;
  text: string;
  createdAt: string;
}

const shownMails = 100;

/** The dashboard's colors, in the browser's theme. */
const style = `
:root { color-scheme: light dark; --paper: light-dark(oklch(97.3% 0.013 88), oklch(20.5% 0.015 165));
  --raised: light-dark(oklch(98.8% 0.008 88), oklch(23.5% 0.017 165));
  --ink: light-dark(oklch(25% 0.025 165), oklch(93% 0.012 95));
  --quiet: light-dark(oklch(46% 0.022 150), oklch(74% 0.018 120));
  --hairline: light-dark(oklch(86% 0.018 95), oklch(33% 0.018 165));
  --kelp: light-dark(oklch(42% 0.085 163), oklch(76% 0.115 160)); }
body { margin: 0 auto; padding: 40px 24px; max-width: 720px; background: var(--paper); color: var(--ink);
  font: 15px/24px system-ui, sans-serif; }
h1 { margin: 0; font-size: 28px; line-height: 36px; } h2 { margin: 0; font-size: 18px; }
p { margin: 4px 0 0; color: var(--quiet); } a { color: var(--kelp); text-underline-offset: 3px; }
article { margin-top: 24px; padding: 20px 24px; border: 1px solid var(--hairline); border-radius: 8px;
  background: var(--raised); }
article div { margin-top: 16px; white-space: pre-wrap; } h2, p, div { overflow-wrap: anywhere; }
`;

const styleHash = createHash('sha256').update(style).digest('base64');

/** The page has no scripts and loads nothing. */
const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; ` +
    "frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const;

/** The sent mails, as JSON for programs and as a page for browsers. */
export const mailPage = (mails: () => readonly ShownMail[]): LocalPage => ({
  json: () => ({ messages: mails() }),
  html: { render: () => renderMails(mails()), headers },
});

/** The newest mail is first. All text of mails is escaped; only http and https addresses become links. */
function renderMails(mails: readonly ShownMail[]): string {
  const newest = mails.toReversed().slice(0, shownMails);
  const note =
    newest.length === 0
      ? 'No mail has been sent yet. Registering sends the first one.'
      : `The newest mail is first. ${mails.length > newest.length ? `The last ${shownMails} are shown. ` : ''}` +
        'No mail left this machine.';
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Sent mail – Holdfast</title><style>${style}</style></head>
<body><main><h1>Sent mail</h1>
<p>${note} <a href="/local/mail">Reload</a> or <a href="/">open the dashboard</a>.</p>
${newest.map(article).join('\n')}
</main></body></html>
`;
}

function article({ to, subject, text, createdAt }: ShownMail): string {
  const time = new Date(createdAt).toLocaleString('en-GB', { dateStyle: 'long', timeStyle: 'medium' });
  return `<article><h2>${escapeHtml(subject)}</h2>
<p>To ${escapeHtml(to)}, <time datetime="${escapeHtml(createdAt)}">${time}</time></p>
<div>${linked(text.trim())}</div></article>`;
}

function linked(text: string): string {
  return text
    .split(/(https?:\/\/[^\s<>"']+)/)
    .map((part, index) => {
      const escaped = escapeHtml(part);
      return index % 2 === 1 ? `<a href="${escaped}">${escaped}</a>` : escaped;
    })
    .join('');
}
