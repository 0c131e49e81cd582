import { randomInt } from 'node:crypto';

const maximumLength = 48;
const suffixLength = 6;

/** Letters that Unicode does not decompose into an ASCII letter and a combining mark. */
const foldings: Record<string, string> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', đ: 'd', ð: 'd', ł: 'l', þ: 'th', ı: 'i' };

/** Lower-case ASCII, with hyphens for everything else; `unnamed` for a name without any Latin letter or digit. */
export function slugFromName(name: string): string {
  const folded = name
    .normalize('NFKD')
    .toLowerCase()
    // Drops apostrophes and combining marks instead of turning them into hyphens: "Ada's" becomes adas, not ada-s.
    .replace(/[\p{M}'’]/gu, '')
    .replace(/[^a-z0-9]/g, character => foldings[character] ?? '-');
  return cut(folded.replace(/-+/g, '-').replace(/^-/, ''), maximumLength) || 'unnamed';
}

const suffixAlphabet = '0123456789abcdefghijklmnopqrstuvwxyz';

/** The slug with one of 36^6 (two billion) random suffixes, so another attempt soon finds a free slug. */
export function withSuffix(slug: string): string {
  const suffix = Array.from({ length: suffixLength }, () => suffixAlphabet[randomInt(suffixAlphabet.length)]).join('');
  return `${cut(slug, maximumLength - suffixLength - 1)}-${suffix}`;
}

function cut(slug: string, length: number): string {
  return slug.slice(0, length).replace(/-$/, '');
}
