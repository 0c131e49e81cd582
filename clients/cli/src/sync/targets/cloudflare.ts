import { createHash } from 'node:crypto';
import { usage } from '../../failure.ts';
import type { Answer, Held, Holding, Kit, Outcome, Place, Source, Step } from '../place.ts';
import { answered, moved, taken } from '../target-failure.ts';

/*
 * Secrets of a Worker (developers.cloudflare.com/api/resources/workers). They can't be read and have no tags, and
 * `wrangler deploy` deletes every variable that is no secret. So ownership is in secrets too, which are made for their
 * names: HF_<source>_OWNS_<NAME>, and HF_<source>_AT_<revision> after a complete sync. They are written in the same request.
 */

const target = 'Cloudflare';
/** developers.cloudflare.com/workers/platform/limits */
const maxBytes = 5 * 1024;
/** A bulk request takes 100 changes: three for each name at most, and the rest is for the marks of the revision. */
const batchSize = 30;
const ownsMark = /^HF_([0-9A-F]{12})_OWNS_(.+)$/;
const atMark = /^HF_([0-9A-F]{12})_AT_([0-9A-Z]+)$/;

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 12).toUpperCase();
const ownsOf = (source: Source, name: string): string => `HF_${hashOf(source.name)}_OWNS_${name}`;
const atOf = (source: Source): string => {
  const { revision } = source;
  return `HF_${hashOf(source.name)}_AT_${/^\d+$/.test(revision) ? revision : `X${hashOf(revision)}`}`;
};

/** Names with their texts, or null to delete them. */
type Change = (readonly [name: string, text: string | null])[];
type Send = (method: string, path: string, body?: unknown) => Promise<Answer>;
type Patch = (change: Change) => Promise<void>;

export function openPlace(to: string, kit: Kit): Place {
  if (!/^[a-z0-9_][a-z0-9_-]{0,62}$/i.test(to)) throw usage('For cloudflare, --to is the name of a Worker.');
  const { CLOUDFLARE_API_TOKEN: token, CLOUDFLARE_ACCOUNT_ID: account = '' } = kit.variables;
  const { CLOUDFLARE_API_BASE_URL = 'https://api.cloudflare.com/client/v4' } = kit.variables;
  if (!token) throw usage('CLOUDFLARE_API_TOKEN must hold an API token of Cloudflare.');
  if (!/^\w+$/.test(account)) throw usage('CLOUDFLARE_ACCOUNT_ID must hold the id of the account.');
  const worker = `${CLOUDFLARE_API_BASE_URL.replace(/\/+$/, '')}/accounts/${account}/workers/scripts/${to}`;
  const send: Send = (method, path, body) =>
    kit.request({
      method,
      url: worker + path,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined
          ? {}
          : { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  const patch = patching(send);
  let listed: string[] = [];
  const marksOf = (source: Source) => listed.filter(name => atMark.exec(name)?.[1] === hashOf(source.name));
  return {
    title: `the Worker ${to}`,
    batchSize,
    hasRevision: true,
    // A Worker gets them as bindings.
    namesVariables: false,
    refuses,
    read: async source => {
      listed = await listNames(send);
      return holdingOf(listed, source);
    },
    begin: async (steps, outcome) => {
      // Somebody may have taken long to confirm the plan.
      const now = await listNames(send);
      const isNew = ({ kind, name }: Step) => kind === 'create' && now.includes(name);
      if (steps.some(isNew)) throw moved('Somebody has created secrets meanwhile.');
      listed = await claim(send, patch, { steps, outcome, shown: listed, listed: now });
    },
    write: async (steps, { source }, completes) => {
      // Half-done, it is at no revision.
      const change: Change = [
        ...marked(marksOf(source), null),
        ...steps.flatMap(({ kind, name, value }) => [
          [name, value ?? null] as const,
          [ownsOf(source, name), value === undefined ? null : source.name] as const,
          // Only with its value, a name changes hands.
          ...marked(kind === 'adopt' ? marksOfOthers(listed, source, name) : [], null),
        ]),
        ...marked(completes ? [atOf(source)] : [], source.name),
      ];
      await patch(change);
      const gone = new Set(change.flatMap(([name, text]) => (text === null ? [name] : [])));
      listed = [...listed.filter(name => !gone.has(name)), ...(completes ? [atOf(source)] : [])];
    },
    end: async ({ source, names }, failed) => {
      const isStale = (name: string) => (failed.size === 0 ? !names.has(name) : failed.has(name));
      const mayBeStale = failed.size > 0 || ownedBy(listed, source).some(isStale);
      if (!mayBeStale) return;
      // A failed write may have arrived all the same. What is not there is no longer claimed: others may create it.
      const now = await listNames(send);
      const isOthers = (name: string) =>
        !now.includes(name) || (failed.has(name) && marksOfOthers(now, source, name).length > 0);
      const stale = ownedBy(now, source).filter(name => isStale(name) && isOthers(name));
      const marks = stale.map(name => ownsOf(source, name));
      await patchAll(patch, marked(marks, null));
    },
  };
}

function refuses(name: string, value: string): string | undefined {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return 'is not the name of a variable: use letters, digits and _';
  if (ownsMark.test(name) || atMark.test(name)) return 'is a name of the sync’s own marks';
  return Buffer.byteLength(value) > maxBytes ? 'is longer than the 5 KB that Cloudflare allows' : undefined;
}

async function listNames(send: Send): Promise<string[]> {
  const all: string[] = [];
  for (let page = 1, pages = 1; page <= pages; page += 1) {
    // Documented without pages. If it has any, a name that is missing here would be overwritten.
    const answer = await send('GET', page === 1 ? '/secrets' : `/secrets?page=${page}`);
    if (answer.status !== 200) throw failureOf(answer);
    all.push(...answer.body.result.map(({ name }: { name: string }) => name));
    pages = answer.body.result_info?.total_pages ?? 1;
  }
  return all;
}

/** The sources, by their hash, that own a name. */
const ownersOf = (listed: readonly string[], name: string): string[] =>
  listed.flatMap(mark => {
    const [, source, owned] = ownsMark.exec(mark) ?? [];
    return source !== undefined && owned === name ? [source] : [];
  });

const marksOfOthers = (listed: readonly string[], source: Source, name: string): string[] =>
  ownersOf(listed, name).flatMap(owner => (owner === hashOf(source.name) ? [] : [`HF_${owner}_OWNS_${name}`]));

/** The names that the source has marked as its own, whether they are there or not. */
const ownedBy = (listed: readonly string[], source: Source): string[] =>
  listed.flatMap(mark => {
    const [, owner, name = ''] = ownsMark.exec(mark) ?? [];
    return owner === hashOf(source.name) ? [name] : [];
  });

function holdingOf(listed: readonly string[], source: Source): Holding {
  const own = hashOf(source.name);
  const names = listed
    .filter(name => !ownsMark.test(name) && !atMark.test(name))
    .map((name): [string, Held] => {
      const owners = ownersOf(listed, name);
      const other = owners.find(owner => owner !== own);
      // Only the hash of another source is known.
      return [name, { owner: other === undefined ? owners[0] && source.name : `another source (${other})` }];
    });
  const marks = listed.filter(name => atMark.exec(name)?.[1] === own);
  const isCurrent = marks.length === 1 && marks[0] === atOf(source);
  return { names: new Map(names), revision: isCurrent ? source.revision : undefined };
}

interface Claim {
  steps: readonly Step[];
  outcome: Outcome;
  /** What was there when the plan was made. */
  shown: readonly string[];
  listed: string[];
}

/**
 * Marks new names as owned before they are written, and looks again: of two syncs that claim a name at the same time, at
 * least one sees the other's claim.
 */
async function claim(send: Send, patch: Patch, { steps, outcome, shown, listed }: Claim): Promise<string[]> {
  const { source } = outcome;
  const claimed = steps.filter(({ kind }) => kind === 'create' || kind === 'adopt');
  const marks = claimed.map(({ name }) => ownsOf(source, name)).filter(mark => !listed.includes(mark));
  if (claimed.length === 0) return listed;
  if (marks.length > 0) await patchAll(patch, marked(marks, source.name));
  const now = marks.length > 0 ? await listNames(send) : listed;
  // Only an adopted name may have been another's, and only of those that were shown.
  const contested = claimed.filter(({ kind, name }) =>
    marksOfOthers(now, source, name).some(mark => kind === 'create' || !shown.includes(mark)),
  );
  if (contested.length === 0) return now;
  // Also claims that an earlier sync has left: if both kept theirs, neither could ever write the name.
  const given = contested.flatMap(({ kind, name }) => (kind === 'create' ? [ownsOf(source, name)] : []));
  await patchAll(patch, marked([...new Set([...marks, ...given])], null));
  const names = contested.map(({ name }) => name).join(', ');
  throw taken(`${names}: another source is synced to the same names; nothing was written.`);
}

const marked = (marks: readonly string[], value: string | null): Change => marks.map(mark => [mark, value] as const);

async function patchAll(patch: Patch, change: Change): Promise<void> {
  for (let start = 0; start < change.length; start += 100) await patch(change.slice(start, start + 100));
}

/** Creates, replaces and deletes: all of it or nothing, or one after the other where the API has no bulk request yet. */
function patching(send: Send): Patch {
  let hasBulk = true;
  /** @returns false if there is no such thing */
  const request = async (method: string, path: string, body?: unknown): Promise<boolean> => {
    const answer = await send(method, path, body);
    if (method !== 'PUT' && [404, 405].includes(answer.status)) return false;
    if (answer.status >= 300 || answer.body?.success === false) throw failureOf(answer);
    return true;
  };
  return async change => {
    const secretOf = (name: string, text: string) => ({ name, type: 'secret_text', text });
    if (hasBulk) {
      const secrets = change.map(([name, text]) => [name, text === null ? null : secretOf(name, text)]);
      hasBulk = await request('PATCH', '/secrets-bulk', { secrets: Object.fromEntries(secrets) });
    }
    if (hasBulk) return;
    for (const [name, text] of change) {
      if (text === null) await request('DELETE', `/secrets/${name}`);
      else await request('PUT', '/secrets', secretOf(name, text));
    }
  };
}

function failureOf({ status, body }: Answer) {
  return answered(target, status, body?.errors?.[0]?.code, {
    400: 'Is the latest version of the Worker deployed? Secrets can’t change before it is.',
    401: 'Is the token in CLOUDFLARE_API_TOKEN still valid?',
    403: 'The token needs the permission to edit Workers scripts of the account.',
    404: 'Deploy the Worker before its secrets are synced.',
  });
}
