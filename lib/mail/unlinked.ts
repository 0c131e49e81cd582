/** Characters that reverse the direction of the text or are invisible. */
const invisible = /\p{Cf}/gu;

/**
 * Characters from which mail clients detect a link or an address: `evil.example`, `http://…`, `a@b`, `evil。example`.
 */
const joints = /[.:/\\@#\u3002]+(?=\S)/gu;

/**
 * A user-chosen name, readable but unable to become a link in an e-mail. Otherwise users could choose names that send
 * text of their own to strangers. Compatibility forms of a character are treated like the character itself, as in host
 * names (UTS #46). Pure.
 */
export function unlinked(name: string): string {
  return name.normalize('NFKC').replace(invisible, '').replace(joints, ' ').replace(/\s+/g, ' ').trim();
}
