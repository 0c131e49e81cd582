/** Characters that turn the text after them the other way round or are not seen at all. */
const invisible = /\p{Cf}/gu;

/** The characters that make a link or an address of the text after them: `evil.example`, `http://…`, `a@b`, `evil。example`. */
const joints = /[.:/\\@#\u3002]+(?=\S)/gu;

/**
 * A name that a user chose, as a mail shows it: readable, but no part of it becomes a link. A user could choose a name to
 * have their own text sent to strangers. Compatible forms of a character count as the character, as they do in the name
 * of a host (UTS #46). Pure.
 */
export function unlinked(name: string): string {
  return name.normalize('NFKC').replace(invisible, '').replace(joints, ' ').replace(/\s+/g, ' ').trim();
}
