import * as z from 'zod';

/** A conditional header (RFC 9110, section 13.1): any revision, or one of a list. An empty list never matches. */
export type Precondition =
  | { kind: 'any' }
  | {
      kind: 'revisions';
      revisions: number[];
      /** The tags of layered environments, in which dots join the revisions. Only `If-None-Match` has them. */
      joined?: string[];
    };

interface EntityTag {
  weak: boolean;
  opaque: string;
}

/** One list element with the comma after it, RFC 9110 sections 5.6.1 (empty elements are ignored) and 8.8.3. */
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

function parse(header: string, keep: (tag: EntityTag) => boolean): Precondition | undefined {
  if (/^[ \t]*\*[ \t]*$/.test(header)) return { kind: 'any' };
  const tags = parseEntityTags(header)?.filter(keep);
  if (tags === undefined) return undefined;
  const joined = tags.filter(isJoined).map(({ opaque }) => opaque);
  return {
    kind: 'revisions',
    revisions: tags.filter(isRevision).map(tag => Number(tag.opaque)),
    ...(joined.length === 0 ? {} : { joined }),
  };
}

function isRevision({ opaque }: EntityTag): boolean {
  return /^(?:0|[1-9]\d*)$/.test(opaque);
}

function isJoined({ opaque }: EntityTag): boolean {
  return /^\d+(?:\.\d+)+$/.test(opaque);
}

/**
 * Strong comparison (RFC 9110, section 13.1.1), so a weak tag never matches. Undefined if the header is malformed, also
 * by a strong tag that is not a revision: a check never silently differs from the requested one.
 */
export function parseIfMatch(header: string): Precondition | undefined {
  const wrong = parseEntityTags(header)?.some(tag => !tag.weak && !isRevision(tag));
  return wrong ? undefined : parse(header, tag => !tag.weak);
}

/**
 * Weak comparison (RFC 9110, section 13.1.2), so W/"5" matches 5, and a tag that is not a revision matches nothing.
 * Undefined if the header is malformed.
 */
export function parseIfNoneMatch(header: string): Precondition | undefined {
  return parse(header, () => true);
}

function preconditionHeader(read: (header: string) => Precondition | undefined) {
  const message = 'must be "<revision>" in double quotes, a list of them, or *';
  return z
    .string()
    .max(256)
    .transform((header, context): Precondition => {
      const precondition = read(header);
      if (precondition !== undefined) return precondition;
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    });
}

export const IfMatch = preconditionHeader(parseIfMatch);
export const IfNoneMatch = preconditionHeader(parseIfNoneMatch);

export function matchesRevision(precondition: Precondition, revision: number): boolean {
  return precondition.kind === 'any' || precondition.revisions.includes(revision);
}

/** @param revisions of several layered environments, the lowest layer first */
export function matchesRevisions(precondition: Precondition, revisions: readonly number[]): boolean {
  return precondition.kind === 'any' || precondition.joined?.includes(revisions.join('.')) === true;
}

/** @param revisions one, or those of layered environments, the lowest layer first */
export function revisionTag(...revisions: readonly number[]): string {
  return `"${revisions.join('.')}"`;
}

export const ExpectedVersion = z
  .int()
  .min(0, { message: 'must be 0 or more' })
  .meta({ description: 'The version that the key must have; 0 if it must not exist.', example: 2 });
