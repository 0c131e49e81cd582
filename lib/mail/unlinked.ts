/** The characters that make a link or an address of the text after them: `evil.example`, `http://…`, `a@b`, `evil。example`. */
const joints = /[\p{Cf}.:/\\@#\u3002\uFF0E\uFF61\uFF0F\uFF1A\uFF20]+(?=\S)/gu;

/**
 * A name that a user chose, as a mail shows it: readable, but no part of it becomes a link. A user could choose a name to
 * have their own text sent to strangers. Pure.
 */
export function unlinked(name: string): string {
  return name.replace(joints, ' ').replace(/\s+/g, ' ').trim();
}
