import { exitCodes, Failure } from './failure.ts';
import type { Session } from './session.ts';

/* The template's descriptions of keys, which are comments above the keys in a dotenv file. */

/** Formats whose readers ignore lines that begin with `#`. */
export const commentedFormats: readonly string[] = ['env', 'dotenv'];

async function templateOf(session: Session) {
  const { organization: orgSlug, project } = await session.place('organization', 'project');
  const path = { orgSlug, project };
  const { keys } = await session.request('GET', '/v1/templates/{orgSlug}/{project}', { path });
  return { path, keys };
}

/** What to write above each key: lines that begin with `#`. */
export async function commentsOf(session: Session): Promise<ReadonlyMap<string, string>> {
  const { keys } = await templateOf(session);
  const lines = (text: string) =>
    text.split(/\r\n|[\r\n\u2028\u2029]/).map(line => `# ${line.replaceAll(/\p{Cc}/gu, ' ')}`.trimEnd());
  return new Map(
    keys.flatMap(({ key, description = '' }) =>
      description === '' ? [] : [[key, `${lines(description).join('\n')}\n`]],
    ),
  );
}

/** The most of a description. */
const maximumCharacters = 1000;

const isAssignment = (comment: string): boolean => /^(?:export\s+)?[\w.-]+\s*=/.test(comment);

/**
 * The comments right above keys of a dotenv text, without those that look like a secret that was commented out.
 * @param values what the text sets
 * @param read reads such a text
 * @throws Failure if a line of a value looks like a comment
 */
export async function commentsAbove(
  text: string,
  values: ReadonlyMap<string, string>,
  read: (text: string) => Promise<ReadonlyMap<string, string>>,
): Promise<Map<string, string>> {
  const without = await read(text.replaceAll(/^[^\S\n]*#[^\n]*$/gm, '')).catch(() => undefined);
  if (without?.size !== values.size || [...values].some(([key, value]) => without.get(key) !== value)) {
    const message = 'A line of a value looks like a comment, which --describe would publish; nothing was changed.';
    throw new Failure(exitCodes.other, 'comment_in_value', message, { hint: 'Push it without --describe.' });
  }
  const found = new Map<string, string>();
  let above: string[] = [];
  for (const line of text.split(/\r\n|\n/)) {
    const [, comment] = /^\s*#+\s?(.*)$/.exec(line) ?? [];
    const [, key] = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_.-]*)\s*=/.exec(line) ?? [];
    if (comment !== undefined) {
      above.push(comment.trim());
      continue;
    }
    if (key !== undefined && values.has(key) && above.length > 0 && !above.some(isAssignment)) {
      found.set(key, Array.from(above.join('\n').trim()).slice(0, maximumCharacters).join(''));
    }
    above = [];
  }
  return found;
}

/** Describes keys in the template, and adds those that it doesn't have. @returns how many */
export async function describeKeys(session: Session, descriptions: ReadonlyMap<string, string>): Promise<number> {
  const { path, keys } = await templateOf(session);
  const current = new Map(keys.map(templateKey => [templateKey.key, templateKey]));
  let count = 0;
  for (const [key, description] of descriptions) {
    const known = current.get(key);
    if (description === '' || known?.description === description) continue;
    if (known === undefined) {
      const body = { key, required: false, description };
      await session.request('POST', '/v1/templates/{orgSlug}/{project}', { path, body });
    } else {
      const route = '/v1/templates/{orgSlug}/{project}/{key}';
      await session.request('PATCH', route, { path: { ...path, key }, body: { description } });
    }
    count += 1;
  }
  return count;
}
