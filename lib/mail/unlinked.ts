/** What mail programs make links and addresses of, where text follows at once: `evil.example`, `http://…`, `a@b`, `。` as a dot. */
const joints = /[\p{Cf}.:/\\@#\u3002\uFF0E\uFF61\uFF0F\uFF1A\uFF20]+(?=\S)/gu;

/**
 * A name that users choose, for a mail: readable still, but nothing of it becomes a link, for others may have chosen it
 * to have their own text sent to strangers. Pure.
 */
export function unlinked(name: string): string {
  return name.replace(joints, ' ').replace(/\s+/g, ' ').trim();
}
