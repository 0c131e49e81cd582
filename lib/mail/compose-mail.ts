import { dashboardOrigin } from '../core/dashboard-origin.ts';

export interface Mail {
  subject: string;
  text: string;
  html: string;
}

/** A paragraph of an e-mail, or a link, which is shown as a button. */
type Paragraph = string | { label: string; url: string };

/** Renders text and HTML from the same paragraphs, so they can't differ. The HTML is fully escaped. */
export function composeMail(subject: string, paragraphs: readonly Paragraph[]): Mail {
  const texts = paragraphs.map(part => (typeof part === 'string' ? part : `${part.label}:\n${part.url}`));
  const html = [
    '<!doctype html>',
    `<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head>`,
    '<body style="font-family:system-ui,sans-serif;line-height:1.5;color:#111827;max-width:560px;margin:24px auto">',
    ...paragraphs.map(part => (typeof part === 'string' ? `<p>${escapeHtml(part)}</p>` : button(part))),
    '</body></html>',
  ].join('\n');
  return { subject, text: `${texts.join('\n\n')}\n`, html };
}

function button({ label, url }: { label: string; url: string }): string {
  const href = escapeHtml(url);
  return (
    `<p><a href="${href}" style="display:inline-block;padding:10px 18px;border-radius:6px;background:#1f2937;` +
    `color:#ffffff;text-decoration:none">${escapeHtml(label)}</a></p>\n` +
    `<p style="font-size:13px;color:#6b7280;word-break:break-all">${href}</p>`
  );
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Safe as text and in a quoted attribute (OWASP XSS Prevention, rules 1 and 2). */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, character => entities[character] as string);
}

/** The address of a page of the dashboard. */
export async function dashboardPage(path: string): Promise<string> {
  return new URL(path, await dashboardOrigin()).href;
}

/** Puts the token in the fragment. Browsers don't send it, so it reaches no server log and no Referer header. */
export async function dashboardLink(page: string, token: string): Promise<string> {
  return `${new URL(`/${page}`, await dashboardOrigin())}#token=${token}`;
}

/** Characters that reverse the direction of the text or are invisible. */
const invisible = /\p{Cf}/gu;

/** From these, mail clients detect a link or an address: `evil.example`, `http://…`, `a@b`, `evil。example`. */
const joints = /[.:/\\@#\u3002]+(?=\S)/gu;

/**
 * A user-chosen name, readable but unable to become a link in an e-mail. Otherwise users could choose names that send
 * text of their own to strangers. Compatibility forms of a character are treated like the character itself, as in host
 * names (UTS #46).
 */
export function unlinked(name: string): string {
  return name.normalize('NFKC').replace(invisible, '').replace(joints, ' ').replace(/\s+/g, ' ').trim();
}
