import { invalidRequest } from '../http/errors.ts';

/** A conditional header (RFC 9110, section 13.1): any revision, or one of those named. An empty list never matches. */
export type Precondition = { kind: 'any' } | { kind: 'revisions'; revisions: number[] };

interface EntityTag {
  weak: boolean;
  opaque: string;
}

// One list element with the comma after it, RFC 9110 sections 5.6.1 (empty elements are to be ignored) and 8.8.3.
const listElement = /[ \t]*(?:(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"[ \t]*)?(?:,|$)/y;

function parseEntityTags(header: string): EntityTag[] | undefined {
  const tags: EntityTag[] = [];
  listElement.lastIndex = 0;
  while (listElement.lastIndex < header.length) {
    const element = listElement.exec(header);
    if (element === null) return undefined;
    if (element[2] !== undefined) tags.push({ weak: element[1] !== undefined, opaque: element[2] });
  }
  return tags.length === 0 ? undefined : tags;
}

function parse(name: string, header: string, keep: (tag: EntityTag) => boolean): Precondition {
  if (/^[ \t]*\*[ \t]*$/.test(header)) return { kind: 'any' };
  const tags = parseEntityTags(header);
  if (tags === undefined) {
    throw invalidRequest([{ path: name, message: 'must be "<revision>" in double quotes, a list of them, or *' }]);
  }
  // A well-formed tag that is no revision of ours ("abc", "05") is no error: it just matches nothing.
  const revisions = tags
    .filter(tag => keep(tag) && /^(?:0|[1-9]\d{0,14})$/.test(tag.opaque))
    .map(tag => Number(tag.opaque));
  return { kind: 'revisions', revisions };
}

/** If-Match compares strongly (RFC 9110, section 13.1.1), so a weak tag never matches. Malformed is `invalid_request`. */
export function parseIfMatch(header: string): Precondition {
  return parse('if-match', header, tag => !tag.weak);
}

/** If-None-Match compares weakly (RFC 9110, section 13.1.2), so W/"5" matches 5. Malformed is `invalid_request`. */
export function parseIfNoneMatch(header: string): Precondition {
  return parse('if-none-match', header, () => true);
}

/** Whether the revision is one that the header names. */
export function matchesRevision(precondition: Precondition, revision: number): boolean {
  return precondition.kind === 'any' || precondition.revisions.includes(revision);
}

/** The entity tag of an environment at a revision. */
export function revisionTag(revision: number): string {
  return `"${revision}"`;
}
