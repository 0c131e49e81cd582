import { createHash, randomUUID } from 'node:crypto';
import { usage } from '../../failure.ts';
import type { Answer, Held, Holding, Kit, Outcome, Place, Source, Step } from '../place.ts';
import { seal } from '../sealed-box.ts';
import { answered, moved, refused, taken } from '../target-failure.ts';

/*
 * Actions secrets of a repository, an environment or an organization (docs.github.com/rest/actions/secrets). They can't be
 * read and have no tags, so a variable beside them lists the names that a source owns: one variable for each source, so
 * that no sync writes another's.
 */

const target = 'GitHub';
const prefix = 'HOLDFAST_SYNC_';
/** Of a secret and of a variable. */
const maxBytes = 48 * 1024;

interface Inventory {
  source: string;
  /** Null while a sync writes, and after one that did not write everything. */
  revision: string | null;
  names: string[];
  /** Which sync wrote this, so that two at once notice each other. */
  run: string;
}

/** What a sync has claimed. */
type Begun = Inventory & { adopted: ReadonlySet<string> };

/** The paths of the API, and what an organization's items have besides. */
interface At {
  title: string;
  secrets: string;
  variables: string;
  isOrganization: boolean;
}

type Send = (method: string, path: string, body?: unknown) => Promise<Answer>;

interface Api extends At {
  send: Send;
}

export function openPlace(to: string, kit: Kit): Place {
  const at = placeOf(to);
  const { GITHUB_TOKEN, GH_TOKEN, GITHUB_API_URL = 'https://api.github.com' } = kit.variables;
  const token = GH_TOKEN || GITHUB_TOKEN;
  if (!token) throw usage('GH_TOKEN or GITHUB_TOKEN must hold a token that may write secrets and variables.');
  const headers = {
    accept: 'application/vnd.github+json',
    'x-github-api-version': '2022-11-28',
    authorization: `Bearer ${token}`,
  };
  const send: Send = (method, path, body) =>
    kit.request({
      method,
      url: GITHUB_API_URL.replace(/\/+$/, '') + path,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  const api: Api = { ...at, send };
  const run = randomUUID();
  let publicKey: PublicKey | undefined;
  let scopes = new Map<string, ListedSecret>();
  let begun: Begun | undefined;
  return {
    title: at.title,
    batchSize: 1,
    hasRevision: true,
    namesVariables: false,
    refuses,
    refusesTogether: entries => {
      const most = at.isOrganization ? 1000 : 100;
      const reason = `is beyond the ${most} secrets that GitHub allows there`;
      return entries.slice(most).map(([key]) => ({ key, reason }));
    },
    read: async source => {
      const [secrets, inventories] = [await listSecrets(api), await listInventories(api)];
      scopes = new Map(secrets.map(secret => [secret.name, secret]));
      return holdingOf(secrets, inventories, source);
    },
    begin: async (steps, outcome) => {
      const answer = await send('GET', `${at.secrets}/public-key`);
      if (answer.status !== 200) throw failureOf(answer);
      publicKey = answer.body;
      begun = await claim(api, outcome, steps, run);
    },
    write: async ([step]) => {
      if (step !== undefined && publicKey !== undefined) await writeOne(api, step, publicKey, scopes.get(step.name));
    },
    end: async (outcome, failed) => {
      // Without a change, only the revision is new.
      begun ??= await claim(api, outcome, [], run);
      await settle(api, outcome, failed, begun);
      begun = undefined;
    },
  };
}

function placeOf(to: string): At {
  const [, owner, repository, environment] = /^([\w-]+)(?:\/([\w.-]+)(?::(.+))?)?$/.exec(to) ?? [];
  if (owner === undefined) throw usage('For github, --to is OWNER/REPO, OWNER/REPO:ENVIRONMENT or OWNER.');
  if (repository === undefined) {
    const base = `/orgs/${owner}/actions`;
    const title = `the organization ${owner}`;
    return { title, secrets: `${base}/secrets`, variables: `${base}/variables`, isOrganization: true };
  }
  const title = `the ${environment === undefined ? '' : `environment ${environment} of the `}repository ${owner}/${repository}`;
  const base =
    environment === undefined
      ? `/repos/${owner}/${repository}/actions`
      : `/repos/${owner}/${repository}/environments/${encodeURIComponent(environment)}`;
  return { title, secrets: `${base}/secrets`, variables: `${base}/variables`, isOrganization: false };
}

/** docs.github.com/actions/reference/secrets-reference */
function refuses(name: string, value: string): string | undefined {
  if (!/^[A-Z_][A-Z0-9_]*$/.test(name)) return 'is not a name that GitHub keeps as it is: use A to Z, 0 to 9 and _';
  if (name.startsWith('GITHUB_')) return 'begins with GITHUB_, which GitHub reserves';
  return Buffer.byteLength(value) > maxBytes ? 'is longer than the 48 KB that GitHub allows' : undefined;
}

interface ListedSecret {
  name: string;
  visibility?: string;
}

async function listSecrets(api: Api): Promise<ListedSecret[]> {
  return listAll(api.send, api.secrets, 'secrets', 100);
}

async function listAll<T>(send: Send, path: string, member: string, size: number): Promise<T[]> {
  const all: T[] = [];
  for (let page = 1; ; page += 1) {
    const answer = await send('GET', `${path}?per_page=${size}&page=${page}`);
    if (answer.status !== 200) throw failureOf(answer);
    const items: T[] = answer.body?.[member] ?? [];
    all.push(...items);
    if (items.length < size) return all;
  }
}

const variableOf = (source: string): string =>
  prefix + createHash('sha256').update(source).digest('hex').slice(0, 16).toUpperCase();

async function listInventories(api: Api): Promise<Inventory[]> {
  // GitHub returns at most 30 variables in a page.
  const variables = await listAll<{ name: string; value: string }>(api.send, api.variables, 'variables', 30);
  return variables.filter(({ name }) => name.startsWith(prefix)).map(({ name, value }) => inventoryOf(name, value));
}

function inventoryOf(name: string, value: string): Inventory {
  try {
    const { source, revision, names, run } = JSON.parse(value);
    if (typeof source === 'string' && Array.isArray(names)) return { source, revision, names, run };
  } catch {
    // Somebody has changed it.
  }
  throw refused(`The variable ${name}, which lists the names that a sync owns, is damaged.`, 'Restore or delete it.');
}

function holdingOf(secrets: ListedSecret[], inventories: Inventory[], { name: source }: Source): Holding {
  const own = inventories.find(inventory => inventory.source === source);
  const names = secrets.map(({ name }): [string, Held] => {
    const owners = inventories.filter(inventory => inventory.names.includes(name));
    // A name that two sources claim is not written by either.
    const other = owners.find(inventory => inventory !== own);
    return [name, { owner: (other ?? owners[0])?.source }];
  });
  return { names: new Map(names), revision: own?.revision ?? undefined };
}

/**
 * Lists the names as owned before they are written, and looks again: of two syncs that claim a name at the same time, at
 * least one sees the other's claim.
 */
async function claim(api: Api, outcome: Outcome, steps: readonly Step[], run: string): Promise<Begun> {
  const { source, names } = outcome;
  const before = (await listInventories(api)).find(inventory => inventory.source === source.name);
  const removed = steps.filter(({ kind }) => kind === 'remove').map(({ name }) => name);
  const all = [...new Set([...(before?.names ?? []), ...names.keys(), ...removed])];
  const inventory = { source: source.name, revision: null, names: all, run };
  await writeInventory(api, inventory, before !== undefined);
  const created = steps.filter(({ kind }) => kind === 'create').map(({ name }) => name);
  /** @param contested gives up claims that an earlier sync has left, or neither source could ever write these names */
  const withdraw = (contested: readonly string[]) => {
    const kept = before?.names.filter(name => !created.includes(name) || !contested.includes(name)) ?? [];
    return writeInventory(api, { ...inventory, revision: before?.revision ?? null, names: kept }, true);
  };
  const adopted = new Set(steps.filter(({ kind }) => kind === 'adopt').map(({ name }) => name));
  for (const other of await listInventories(api)) {
    if (other.source === source.name) continue;
    const contested = other.names.filter(name => names.has(name) && !adopted.has(name));
    if (contested.length === 0) continue;
    await withdraw(contested);
    throw taken(`${contested.join(', ')}: ${other.source} is synced to the same names; nothing was written.`);
  }
  const isNew = ({ name }: ListedSecret) => created.includes(name) && !before?.names.includes(name);
  if (created.length > 0 && (await listSecrets(api)).some(isNew)) {
    await withdraw([]);
    throw moved('Somebody has created secrets meanwhile.');
  }
  return { ...inventory, adopted };
}

/** Records what the sync has done, unless another one of the same source wrote at the same time. */
async function settle(
  api: Api,
  outcome: Outcome,
  failed: ReadonlySet<string>,
  { adopted, ...begun }: Begun,
): Promise<void> {
  const { source, names, isComplete } = outcome;
  const all = await listInventories(api);
  const now = all.find(inventory => inventory.source === source.name);
  const others = all.filter(inventory => inventory !== now);
  if (now?.run !== begun.run) {
    const both = [...new Set([...(now?.names ?? []), ...begun.names])];
    await writeInventory(api, { ...begun, names: both }, now !== undefined);
    throw taken(`Another sync of ${source.name} wrote at the same time.`, 'Run the command again.');
  }
  // With its value, an adopted name leaves the other's list.
  for (const other of others) {
    const left = other.names.filter(name => !adopted.has(name) || failed.has(name));
    if (left.length < other.names.length) await writeInventory(api, { ...other, names: left }, true);
  }
  // A failed write may have arrived all the same. What is not there is no longer claimed: others may create it.
  const there = failed.size === 0 ? undefined : new Set((await listSecrets(api)).map(({ name }) => name));
  const isOthers = (name: string) => failed.has(name) && others.some(other => other.names.includes(name));
  const kept = [...new Set([...names.keys(), ...failed])].filter(
    name => there === undefined || (there.has(name) && !isOthers(name)),
  );
  const revision = failed.size === 0 && isComplete ? source.revision : null;
  await writeInventory(api, { ...begun, names: kept, revision }, true);
}

async function writeInventory(api: Api, inventory: Inventory, exists: boolean): Promise<void> {
  const name = variableOf(inventory.source);
  const value = JSON.stringify({ ...inventory, names: inventory.names.toSorted() });
  // No repository needs to see it.
  const scope = api.isOrganization ? { visibility: 'selected', selected_repository_ids: [] } : {};
  const update = () => api.send('PATCH', `${api.variables}/${name}`, { name, value });
  let answer = exists ? await update() : await api.send('POST', api.variables, { name, value, ...scope });
  // The answer to the first attempt was lost, or another sync was faster.
  if (answer.status === 409 && !exists) answer = await update();
  if (answer.status >= 300) throw failureOf(answer);
}

interface PublicKey {
  key_id: string;
  /** Base64. */
  key: string;
}

async function writeOne(api: Api, step: Step, publicKey: PublicKey, listed: ListedSecret | undefined) {
  const path = `${api.secrets}/${step.name}`;
  if (step.value === undefined) {
    const answer = await api.send('DELETE', path);
    if (answer.status >= 300 && answer.status !== 404) throw failureOf(answer);
    return;
  }
  const encrypted_value = seal(step.value, publicKey.key);
  const scope = api.isOrganization ? await scopeOf(api.send, path, listed) : {};
  const answer = await api.send('PUT', path, { encrypted_value, key_id: publicKey.key_id, ...scope });
  if (answer.status >= 300) throw failureOf(answer);
}

/** Which repositories see an organization's secret: as it is, and those that are private for a new one. */
async function scopeOf(send: Send, path: string, listed: Partial<ListedSecret> = {}): Promise<object> {
  const { visibility = 'private' } = listed;
  if (visibility !== 'selected') return { visibility };
  const repositories = await listAll<{ id: number }>(send, `${path}/repositories`, 'repositories', 100);
  return { visibility, selected_repository_ids: repositories.map(({ id }) => id) };
}

function failureOf({ status }: Answer) {
  return answered(target, status, undefined, {
    401: 'Is the token in GH_TOKEN or GITHUB_TOKEN still valid?',
    403: 'The token needs the permissions to write secrets and variables there.',
    404: 'Does it exist, and may the token write its secrets and variables? The job’s own GITHUB_TOKEN may not.',
  });
}
