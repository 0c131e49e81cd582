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
 * The comments right above keys of a dotenv text, without those that look like a secret that was commented out. Pure.
 */
export function commentsAbove(text: string): Map<string, string> {
  const found = new Map<string, string>();
  let above: string[] = [];
  for (const line of text.split(/\r\n|\n/)) {
    const [, comment] = /^\s*#+\s?(.*)$/.exec(line) ?? [];
    const [, key] = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_.-]*)\s*=/.exec(line) ?? [];
    if (comment !== undefined) {
      above.push(comment.trim());
      continue;
    }
    if (key !== undefined && above.length > 0 && !above.some(isAssignment)) {
      found.set(key, above.join('\n').trim().slice(0, maximumCharacters));
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
