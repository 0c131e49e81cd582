import { createHash, generateKeyPairSync, randomUUID } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { routes } from '#lib/contracts/routes.ts';
import { at } from '#lib/table/read.ts';
import { organizationRecord } from '#lib/table/records/organization.ts';
import { transact, update } from '#lib/table/write.ts';
import { type Client, startApi } from '#test/support/api.ts';
import { openWorkplace } from '#test/support/environments.ts';
import { eventually } from '#test/support/eventually.ts';
import { scratchDirectory, shared } from '#test/support/fixtures.ts';
import { type Person, seedPerson } from '#test/support/people.ts';
import { startReceiver } from '#test/support/receiver.ts';
import { runCommand } from '#test/support/run-command.ts';
import { expectStatus } from '#test/support/sample-requests.ts';
import { type Filled, fillOrganization } from './fill-organization.ts';
import { startSecondInstallation } from './second-installation.ts';

const [environments = 7, versions = 20] = (process.env.PORTABILITY ?? '').split(',').filter(Boolean).map(Number);
const directory = scratchDirectory();
const api = shared(() => startApi({ REQUESTS_PER_MINUTE: '-1' }));
const owner = shared(seedPerson);
const second = shared(startSecondInstallation);
let filled: Filled;
/** The file of the whole organization, and the lines of it. */
const file = join(directory, 'plain.jsonl');
let lines: string[];
let startedAt: string;

const command = (name: string, ...args: string[]) => {
  const { PORT: _, ...env } = process.env;
  return runCommand(name, args, env);
};
const importing = (...args: string[]) => {
  const { TABLE_NAME: _, ...env } = process.env;
  return runCommand('import-organization', args, { ...env, PORT: second.port });
};

beforeAll(async () => {
  // Without limits, for any size.
  await transact([update(at(organizationRecord, owner.organization.slug), { set: { plan: 'enterprise' } })]);
  filled = await fillOrganization(api, owner, { environments, versions });
  const { code, stderr } = await command('export-organization', owner.organization.slug, '--to', file, '--plain');
  expect(
    stderr.split('\n').filter(line => line !== '' && !line.endsWith('lines so far.')),
    stderr,
  ).toEqual([]);
  expect(code).toBe(0);
  lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  ({ startedAt } = JSON.parse(lines[0] ?? ''));
}, 600_000);

/** Paths of every GET of a member, and what they are derived from. Reads of the audit log stop where the export does. */
function memberPaths({
  place,
  many,
  slugs,
  webhook,
  identity,
  members,
  viewerPath,
}: Filled): [route: string, path: string][] {
  const { id, slug } = owner.organization;
  const environmentsOf: [string, string, string][] = [
    ...['dev', 'staging', 'production'].map((env): [string, string, string] => [place.project.slug, env, 'KEPT']),
    ...slugs.map((env): [string, string, string] => [many.slug, env, 'KEY_0']),
  ];
  const inEnvironments = environmentsOf.flatMap(([project, env, key]): [string, string][] => {
    const path = `/secrets/${slug}/${project}/${env}`;
    return [
      ['/{orgSlug}/{project}/{env}', path],
      ['/{orgSlug}/{project}/{env}', `${path}?raw=true&describe=true`],
      ['/{orgSlug}/{project}/{env}', `${path}?revision=1`],
      ['/{orgSlug}/{project}/{env}/keys', `${path}/keys`],
      ['/{orgSlug}/{project}/{env}/revisions', `${path}/revisions?limit=100`],
      ['/{orgSlug}/{project}/{env}/diff', `${path}/diff?from=0&to=1&values=true`],
      ['/{orgSlug}/{project}/{env}/compare', `${path}/compare?with=staging&values=true`],
      ['/{orgSlug}/{project}/{env}/versions/{key}', `${path}/versions/${key}?values=true`],
      ['/{orgSlug}/{project}/{env}/versions/{key}', `${path}/versions/ODD_1?values=true`],
      ['/{orgSlug}/{project}/{env}/versions/{key}', `${path}/versions/NAMES?values=true`],
    ].map(([route, asked]): [string, string] => [`/v1/secrets${route}`, asked as string]);
  });
  return [
    ['/v1/projects/{orgId}', `/projects/${id}`],
    ['/v1/projects/{orgId}/{slug}', `/projects/${id}/${place.project.slug}`],
    ['/v1/templates/{orgSlug}/{project}', `/templates/${slug}/${place.project.slug}`],
    ['/v1/templates/{orgSlug}/{project}/validate/{env}', `/templates/${slug}/${place.project.slug}/validate/dev`],
    ['/v1/due/{orgId}', `/due/${id}`],
    ['/v1/webhooks/{orgId}', `/webhooks/${id}`],
    ['/v1/webhooks/{orgId}/{webhookId}', `/webhooks/${id}/${webhook.id}`],
    ['/v1/identities/{orgId}', `/identities/${id}`],
    ['/v1/identities/{orgId}/{identityId}', `/identities/${id}/${identity.id}`],
    ['/v1/members/{orgId}', `/members/${id}`],
    ['/v1/members/{orgId}/{id}', viewerPath],
    ['/v1/grants/{orgId}', `/grants/${id}`],
    ['/v1/orgs/{orgId}/networks', `/orgs/${id}/networks`],
    ['/v1/deleted/{orgId}', `/deleted/${id}`],
    ['/v1/billing/{orgId}', `/billing/${id}`],
    ['/v1/audit/{orgId}', `/audit/${id}?limit=500&until=${startedAt}`],
    ['/v1/audit/{orgId}/feed', `/audit/${id}/feed?limit=1000&until=${startedAt}`],
    ['/v1/audit/{orgId}/exposure', `/audit/${id}/exposure?userId=${members.developer?.user.id}&until=${startedAt}`],
    ...inEnvironments,
  ];
}

/** The sign-in provider and proposals are not exported. */
const proposals = '/v1/secrets/{orgSlug}/{project}/{env}/proposals';
const notCompared = ['/v1/orgs/{orgId}/sign-in', proposals, `${proposals}/{proposalId}`];

async function answersOf(client: Client, session: { cookie: string }, paths: readonly string[]) {
  const answers: Record<string, string> = {};
  for (const path of paths) {
    const { status, body } = await client.get(path, session);
    // The positions of the feed name the time of the request.
    const { next: _, upTo: __, ...stable } = path.includes('/feed') ? body : { next: null, upTo: null, ...body };
    // Sessions are not exported.
    const { error, lastSignInAt: _at, ...content } = stable;
    answers[path] = JSON.stringify([status, error?.code, content]);
  }
  return answers;
}

describe('an organization that is exported and imported into another installation', () => {
  beforeAll(async () => {
    const { code, stdout, stderr } = await importing(file, '--plan', 'enterprise');
    expect(stderr).toContain('The file is complete');
    expect(stdout).toContain(`Imported ${owner.organization.slug}`);
    expect(code).toBe(0);
  }, 600_000);

  test('answers every GET of every member as before, byte for byte', { timeout: 600_000 }, async () => {
    const paths = memberPaths(filled);
    const gets = routes.filter(({ method, access }) => method === 'GET' && access.kind === 'member');
    expect(new Set([...paths.map(([route]) => route), ...notCompared])).toEqual(new Set(gets.map(({ path }) => path)));
    // The feed lists an entry about a minute after it was written.
    const feed = paths.find(([route]) => route.endsWith('/feed'))?.[1] ?? '';
    await eventually(async () => expect((await api.get(feed, owner.session)).body.upTo).toBe(startedAt));
    for (const [role, member] of Object.entries(filled.members)) {
      const there = await second.regain(member.email);
      const read = paths.map(([, path]) => path);
      const expected = await answersOf(api, member.session, read);
      expect(await answersOf(second, there, read), role).toEqual(expected);
      const succeeded = Object.values(expected).filter(answer => answer.startsWith('[200'));
      if (role === 'owner') expect(succeeded.length).toBeGreaterThan(read.length * 0.8);
    }
  });

  test('has the approvals of its changes and requires them, without the proposals', async () => {
    const session = await second.regain(owner.email);
    const path = filled.place.at('staging');
    const [latest] = (await second.get(`${path}/revisions`, session)).body.revisions;
    expect(latest).toMatchObject({ action: 'proposal.applied', createdBy: { email: filled.members.developer?.email } });
    expect(latest.approvedBy).toMatchObject([{ email: filled.members.admin?.email }]);
    const here = (await api.get(`${path}/proposals`, owner.session)).body.proposals;
    expect(here.map(({ state }: { state: string }) => state)).toEqual(['open', 'applied']);
    expect((await second.get(`${path}/proposals`, session)).body.proposals).toEqual([]);
    const { status, body } = await second.put(path, { key: 'KEPT', value: 'alone' }, session);
    expect([status, body.error.code]).toEqual([409, 'approval_required']);
  });

  test('accepts changes, which continue its histories', async () => {
    const session = await second.regain(filled.members.owner?.email ?? '');
    const path = `/secrets/${owner.organization.slug}/${filled.place.project.slug}/dev`;
    const before = (await second.get(`${path}/keys`, session)).body.revision;
    const { body } = await expectStatus(second.put(path, { key: 'ODD_2', value: 'back' }, session), 201);
    expect(body).toMatchObject({ revision: before + 1, secret: { version: 3 } });
    const named = await second.delete(`${path}/KEPT`, session);
    expect([named.status, named.body.error.code]).toEqual([409, 'key_referenced']);
  });

  test('is refused a second time, and under another slug', async () => {
    for (const args of [[file], [file, '--slug', 'other']]) {
      const { code, stderr } = await importing(...args);
      expect(stderr).toContain('This installation has the organization already.');
      expect(code).toBe(1);
    }
  });
});

/** A small organization of its own, and what is in its environment. */
async function smallOrganization() {
  const owner = await seedPerson({ name: 'Small', emailVerified: true });
  const place = await openWorkplace(api, owner);
  await expectStatus(place.importAll('dev', { A: 'the value of A', B: 'the value of B' }), 200);
  await expectStatus(place.set('dev', 'A', 'another value'), 200);
  return {
    owner,
    place,
    exportTo: (...args: string[]) => command('export-organization', owner.organization.slug, ...args),
  };
}

function keyFiles(type: 'ec' | 'rsa') {
  const pair =
    type === 'ec'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : generateKeyPairSync('rsa', { modulusLength: 2048 });
  const write = (key: typeof pair.publicKey) => {
    const path = join(directory, `${randomUUID()}.jwk`);
    writeFileSync(path, JSON.stringify(key.export({ format: 'jwk' })));
    return path;
  };
  return { publicKey: write(pair.publicKey), privateKey: write(pair.privateKey) };
}

const newFile = () => join(directory, `${randomUUID()}.jsonl`);

/** The file with other lines and a last line that fits them, as somebody would write it who knows the format. */
function withLines(path: string, change: (lines: string[]) => string[]): string {
  const changed = change(readFileSync(path, 'utf8').split('\n').slice(0, -2));
  const content = changed.map(line => `${line}\n`).join('');
  const sha256 = createHash('sha256').update(content).digest('hex');
  const file = newFile();
  writeFileSync(file, `${content}${JSON.stringify({ record: 'end', lines: changed.length, sha256 })}\n`);
  return file;
}

describe('sealed values', () => {
  test.each(['ec', 'rsa'] as const)('of a key of the type %s open only with its private key', async type => {
    const { owner, place, exportTo } = await smallOrganization();
    const { publicKey, privateKey } = keyFiles(type);
    const file = newFile();
    expect(await exportTo('--to', file, '--seal-to', publicKey)).toMatchObject({ code: 0 });
    expect(readFileSync(file, 'utf8')).not.toContain('the value of A');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await importing(file)).stderr).toContain('name the private key with --key');
    expect((await importing(file, '--key', keyFiles(type).privateKey)).stderr).toContain('to another key');
    const versionLines = (lines: string[]) =>
      lines.flatMap((line, index) => (line.includes('"version","key"') ? [index] : []));
    const moved = withLines(file, lines => {
      const [one = 0, other = 0] = versionLines(lines);
      const [a, b] = [one, other].map(index => JSON.parse(lines[index] ?? ''));
      return lines.with(one, JSON.stringify({ ...a, sealed: b.sealed }));
    });
    expect((await importing(moved, '--key', privateKey)).stderr).toContain('was sealed for another place');
    expect(await importing(file, '--key', privateKey)).toMatchObject({ code: 0 });
    const session = await second.regain(owner.email);
    const path = place.at('dev');
    const { body } = await expectStatus(second.get(path, session), 200);
    expect(body).toEqual((await api.get(path, owner.session)).body);
  });
});

/** The second installation's DynamoDB, which refuses its caller after a number of writes. */
async function dynamoDbWith(allowed: number) {
  let writes = 0;
  return startReceiver(async (response, { headers, body }) => {
    const type = { 'content-type': 'application/x-amz-json-1.0' };
    if (/Write|Put|Update/.test(`${headers['x-amz-target']}`)) writes += 1;
    if (writes > allowed) {
      const refusal = { __type: 'com.amazon.coral.service#AccessDeniedException', message: 'not authorized' };
      return response.writeHead(400, type).end(JSON.stringify(refusal));
    }
    const names = ['authorization', 'x-amz-target', 'x-amz-date', 'content-type'];
    const answer = await fetch(inject('dynamoDbUrl'), {
      method: 'POST',
      headers: Object.fromEntries(names.map(name => [name, `${headers[name]}`])),
      body: Uint8Array.from(body),
    });
    return response.writeHead(answer.status, type).end(await answer.text());
  });
}

/** Runs the import with no more than a number of writes. */
async function importWith(allowed: number, ...args: string[]) {
  const endpoints = (await (await fetch(new URL('/local/endpoints', second.url))).json()) as Record<string, string>;
  const dynamoDb = await dynamoDbWith(allowed);
  const { PORT: _, ...env } = process.env;
  const own = { AWS_ENDPOINT_URL_DYNAMODB: dynamoDb.url, AWS_ENDPOINT_URL_KMS: endpoints.kms ?? '' };
  const named = { TABLE_NAME: endpoints.tableName ?? '', KMS_KEY_ID: endpoints.keyId ?? '' };
  const ending = await runCommand('import-organization', args, { ...env, ...own, ...named });
  await dynamoDb.stop();
  return ending;
}

test('an import that fails anywhere is invisible, and completes when it is run again', {
  timeout: 300_000,
}, async () => {
  const { owner, place, exportTo } = await smallOrganization();
  const file = newFile();
  expect(await exportTo('--to', file, '--plain')).toMatchObject({ code: 0 });
  // After the reservation, the account and the project, within what follows, and before the last step.
  for (const allowed of [1, 2, 3, 4, 5]) expect(await importWith(allowed, file)).toMatchObject({ code: 1 });
  const session = await second.regain(owner.email);
  expect((await second.get(place.at('dev'), session)).status).toBe(404);
  expect((await second.get(`/projects/${owner.organization.id}`, session)).status).toBe(404);
  expect((await second.get('/auth/me', session)).body.organizations).toEqual([]);
  const other = withLines(file, lines => lines.filter(line => !line.includes('the value of B')));
  expect((await importing(other)).stderr).toContain('unfinished');
  expect(await importing(file)).toMatchObject({ code: 0 });
  const { body } = await expectStatus(second.get(place.at('dev'), session), 200);
  expect(body).toEqual((await api.get(place.at('dev'), owner.session)).body);
});

test('an import that is given up is erased', { timeout: 300_000 }, async () => {
  const { owner, exportTo } = await smallOrganization();
  const file = newFile();
  expect(await exportTo('--to', file, '--plain')).toMatchObject({ code: 0 });
  expect(await importWith(3, file)).toMatchObject({ code: 1 });
  expect((await importing('--remove', owner.organization.slug)).stdout).toContain('will be erased');
  expect((await importing(file)).stderr).toContain('is being erased');
  expect((await importing('--remove', owner.organization.slug)).stderr).toContain('is unfinished');
});

test('a member is not matched with an account that has not verified the address', { timeout: 120_000 }, async () => {
  const { owner, exportTo } = await smallOrganization();
  const file = newFile();
  expect(await exportTo('--to', file, '--plain')).toMatchObject({ code: 0 });
  const stranger = { email: owner.email, password: 'correct horse battery', name: 'Stranger' };
  const { body } = await expectStatus(second.post('/auth/register', stranger), 201);
  const { code, stderr } = await importing(file);
  expect(stderr).toContain(`may be somebody else’s: ${owner.email}`);
  expect(code).toBe(1);
  // Whoever gets the mails to the address proves it, and gets the membership with the id of the account.
  const session = await second.regain(owner.email);
  expect(await importing(file)).toMatchObject({ code: 0 });
  const { members } = (await expectStatus(second.get(`/members/${owner.organization.id}`, session), 200)).body;
  expect(members.map(({ userId }: { userId: string }) => userId)).toEqual([body.user.id]);
});

test('a file whose history has a gap is refused before anything is written', { timeout: 120_000 }, async () => {
  const { exportTo } = await smallOrganization();
  const file = newFile();
  expect(await exportTo('--to', file, '--plain')).toMatchObject({ code: 0 });
  const without = (text: string) => withLines(file, lines => lines.filter(line => !line.includes(text)));
  expect((await importing(without('"the value of A"'))).stderr).toContain('version 2 of A follows none');
  expect((await importing(without('"revision":2,"action"'))).stderr).toContain('it ends at revision 1');
  expect((await importing(without('"record":"member"'))).stderr).toContain('has no owner');
  expect(await importing(file)).toMatchObject({ code: 0 });
});

test('a file whose values name what no change could have left is refused before anything is written', {
  timeout: 120_000,
}, async () => {
  const { place, exportTo } = await smallOrganization();
  const naming = { key: 'NAMING', value: 'as \u0024{B}', expand: true };
  await expectStatus(place.importAll('dev', [naming]), 200);
  await expectStatus(place.bulkDelete('dev', ['NAMING', 'B']), 200);
  const file = newFile();
  expect(await exportTo('--to', file, '--plain')).toMatchObject({ code: 0 });
  const renamed = (name: string) =>
    withLines(file, lines => lines.map(line => line.replace('as \u0024{B}', `as \u0024{${name}}`)));
  expect((await importing(renamed('C'))).stderr).toContain('after revision 3: The value of NAMING names C, which');
  expect((await importing(renamed('NAMING'))).stderr).toContain('The references form a cycle');
  const kept = withLines(file, lines => lines.filter(line => !/"NAMING".*"deleted":true/.test(line)));
  expect((await importing(kept)).stderr).toContain('after revision 4: The value of NAMING names B, which');
  expect(await importing(file)).toMatchObject({ code: 0 });
});

test('an export counts as a read of every version that it has', { timeout: 120_000 }, async () => {
  const { owner, place } = await smallOrganization();
  const admin = await place.member('admin');
  const path = `/orgs/${owner.organization.id}/export`;
  expect((await api.post(path, { plain: true }, admin.session)).status).toBe(403);
  expect((await api.post(path, {}, owner.session)).status).toBe(400);
  expect((await api.post(path, { plain: true, after: 'x' }, owner.session)).status).toBe(400);
  const other = await place.member('owner');
  const { body } = await expectStatus(api.post(path, { plain: true }, other.session), 200);
  expect(body.next).toBeNull();
  const seen = await api.get(`/audit/${owner.organization.id}/exposure?userId=${other.user.id}`, owner.session);
  const rows = seen.body.exposures.map(({ key, versions, how }: Record<string, unknown>) => [key, versions, how]);
  expect(rows.sort()).toEqual([
    ['A', [1, 2], ['exported']],
    ['B', [1], ['exported']],
  ]);
  const readers = await api.get(
    `/audit/${owner.organization.id}/exposure?environment=${place.environmentId('dev')}&key=B`,
    owner.session,
  );
  expect(readers.body.readers.map(({ actor }: { actor: Person }) => actor.email)).toContain(other.email);
});

test('a file of one changed, missing, added or moved line is refused', { timeout: 120_000 }, async () => {
  const last = lines.length - 1;
  const swapped = [...lines];
  [swapped[last - 1], swapped[last - 2]] = [lines[last - 2] as string, lines[last - 1] as string];
  const damaged: Record<string, string> = {
    'its last line is missing': `${lines.slice(0, -1).join('\n')}\n`,
    'in the middle of a line': lines.join('\n').slice(0, -10),
    'do not match its last line': `${swapped.join('\n')}\n`,
    'is not a valid record': `${lines.map(line => line.replace('"slug":"dev"', '"slug":"dev#x"')).join('\n')}\n`,
    'goes on after its end': `${[...lines, lines[1]].join('\n')}\n`,
    'reads format 1': `${lines.join('\n').replace('"format":1', '"format":2')}\n`,
  };
  for (const [message, text] of Object.entries(damaged)) {
    const path = join(directory, `damaged-${randomUUID()}.jsonl`);
    writeFileSync(path, text);
    const { code, stderr } = await importing(path);
    expect(stderr).toContain(message);
    expect(code).toBe(1);
  }
});
