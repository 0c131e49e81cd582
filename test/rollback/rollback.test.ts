import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import type { Context } from 'aws-lambda';
import { beforeAll, describe, expect, it } from 'vitest';
import { type LoadHandler, loadFromFunctions } from '#infra/local/lambda/invoke.ts';
import { newSession } from '#lib/accounts/sessions.ts';
import { newToken, tokenWrite } from '#lib/accounts/tokens.ts';
import { routes } from '#lib/contracts/routes.ts';
import { requiredSetting } from '#lib/core/settings.ts';
import { tableClient } from '#lib/table/client.ts';
import { restricts } from '#lib/table/entity.ts';
import { at, find } from '#lib/table/read.ts';
import { type OrganizationRecord, organizationRecord } from '#lib/table/records/organization.ts';
import { signInRecord } from '#lib/table/records/sign-in.ts';
import { type UserRecord, userRecord } from '#lib/table/records/user.ts';
import { transact } from '#lib/table/write.ts';
import { verdictOf } from '../authorization/every-verdict.ts';
import { buildProviderWorld } from '../authorization/provider-world.ts';
import { expectedOf, type Row, rows } from '../authorization/verdicts.ts';
import { type Headers, rememberTable, seedMember, type World } from '../authorization/world.ts';
import { codeOf, createProject, createToken, startApi, useApi } from '../support/api.ts';
import { documentedRequest, unknownValues } from '../support/documented-request.ts';
import { scratchDirectory, shared } from '../support/fixtures.ts';
import { inParallel } from '../support/in-parallel.ts';
import { entities } from '../support/invariants.ts';
import { identityOf } from '../support/issuer.ts';
import { sharedNameServer } from '../support/name-server.ts';
import { type Person, seedPerson } from '../support/people.ts';
import { keptRelease, loadRelease } from '../support/release.ts';
import { assertionOf, expectStatus, sampleIssuer, sampleKeys } from '../support/sample-requests.ts';
import { startOpenIdProvider } from '../support/sign-in/open-id-provider.ts';
import { openCompany, redirectUriOf, sessionThrough } from '../support/sign-in/sign-in.ts';
import { allItems } from '../support/table-dump.ts';

/*
 * After a rollback, and while a version is deployed gradually, the previous release works on a table that this version
 * has filled. What this version refuses must not be allowed then: each refused request is sent to both.
 */

const directory = scratchDirectory();
let load: LoadHandler = loadFromFunctions;

// No workers, so that nothing changes between requests.
const api = useApi(() =>
  startApi({ STEP_UP_FRESH_SECONDS: '7200', LOG_LEVEL: 'SILENT' }, name =>
    name.area === 'workers' && name.name !== 'make-outbound-requests'
      ? Promise.resolve(() => ({ batchItemFailures: [] }))
      : load(name),
  ),
);
const names = shared(sharedNameServer);
const provider = shared(() =>
  startOpenIdProvider({ redirectUri: redirectUriOf(api), accounts: {}, alwaysAuthTime: true }),
);

interface Refused {
  row: Row;
  caller: string;
  headers: Headers;
}

let world: World;
let release: LoadHandler;
/** Callers that the tables of `authorization` don't have, and why this version refuses each on all routes of a kind. */
let confined: Record<string, Headers>;
let restore: () => Promise<void>;

beforeAll(async () => {
  world = await buildProviderWorld(api, names, provider);
  release = await loadRelease(keptRelease, directory);
  confined = await confinedCallers(world);
  restore = await rememberTable();
});

const source = { ip: '127.0.0.1', userAgent: 'test' };
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const elsewhere = 'a session through another organization’s provider';
const elsewheresToken = 'that session’s token';
const unlimited = { organizationId: null, projectId: null, environmentId: null, memberId: null };

/** An owner who came another way than the organization requires, and one who came through another's provider. */
async function confinedCallers({ own, foreign }: World): Promise<Record<string, Headers>> {
  const user = (await find(at(userRecord, (await seedPerson({ emailVerified: true })).user.id))) as UserRecord;
  await seedMember(own.organization, user, 'owner');
  await seedMember(foreign.organization, user, 'owner');
  const { id: organizationId, slug: orgSlug } = foreign.organization;
  const { providerVersion } = (await find(at(organizationRecord, orgSlug))) as OrganizationRecord;
  const clientVersion = providerVersion as string;
  const through = { organizationId, orgSlug, clientVersion, trustedFactor: false, confined: true, person: 'p' };
  const [ownWay, throughOther] = await Promise.all([
    newSession(user, source),
    newSession(user, source, { provider: through }),
  ]);
  const tokenFacts = { ...unlimited, name: 'x', access: 'full', secondFactor: false, expiresInDays: null } as const;
  const [ownToken, confinedToken] = await Promise.all([
    newToken(user, tokenFacts),
    newToken(user, { ...tokenFacts, provider: through }),
  ]);
  await transact([ownWay.write, throughOther.write, tokenWrite(ownToken.cliToken), tokenWrite(confinedToken.cliToken)]);
  const session = ({ cookie }: { cookie: string }) => ({
    cookie: cookie.split(';')[0] as string,
    'x-requested-with': 'service',
  });
  return {
    'a session of another way than the required provider': session(ownWay),
    'its token': bearer(ownToken.token),
    [elsewhere]: session(throughOther),
    [elsewheresToken]: bearer(confinedToken.token),
  };
}

/** Callers that add nothing: their role's session asks too, or no item is read for them. */
const addsNothing = (caller: string) =>
  /^(admin|developer|viewer): (read|write|full) token$|^junk|^well-formed|^broken/.test(caller);

/** What this version refuses, by the tables of `authorization`, and all that the other callers ask. */
const refusedOf = (callers: Readonly<Record<string, Headers>>, only: (row: Row) => boolean = () => true): Refused[] =>
  rows.filter(only).flatMap(row => {
    // A browser is sent on in any case; an administrator has a factor of their own here.
    const isAllowed = (caller: string) =>
      ['ok', 'status 302'].includes(expectedOf(row)[caller] ?? '') ||
      (row.operationId === 'renew-recovery-codes' && caller === 'platform admin: session');
    return Object.entries(callers)
      .filter(([caller]) => !isAllowed(caller) && !addsNothing(caller))
      .map(([caller, headers]) => ({ row, caller, headers }));
  });

const isOfOrganization = ({ kind }: Row) => kind === 'member';

/** The requests that were allowed. */
async function allowedOf(requests: readonly Refused[], loadHandler: LoadHandler): Promise<string[]> {
  const allowed: string[] = [];
  load = loadHandler;
  const asked = requests.map(({ row, caller, headers }) => async () => {
    const { path, body } = row.request(world);
    const method = row.route.split(' ')[0] as string;
    const verdict = verdictOf(await api.call(method, path, { body, headers: { ...headers } }));
    if (verdict === 'ok') allowed.push(`${row.route} by ${caller}`);
  });
  await inParallel(16, asked).finally(() => {
    load = loadFromFunctions;
  });
  return allowed;
}

it('the kept release is the latest one of the changelog', () => {
  const changelog = readFileSync(join(import.meta.dirname, '../../CHANGELOG.md'), 'utf8');
  expect(keptRelease).toBe(/^## (\d+\.\d+\.\d+)/m.exec(changelog)?.[1]);
});

describe('what this version refuses', () => {
  it('is refused by the previous release too, on the same table', async () => {
    const extra = refusedOf(confined, isOfOrganization);
    const refused = [...refusedOf(world.callers), ...extra];

    expect(await allowedOf(extra, loadFromFunctions)).toEqual([]);
    expect(await allowedOf(refused, release)).toEqual([]);
    expect(refused.length).toBeGreaterThan(3000);
  });

  it('is refused by a version that does not know a restricting attribute', async () => {
    // This version only allows some routes of the account, and makes a token there that is confined as well.
    const { [elsewhere]: through = {}, [elsewheresToken]: itsToken = {} } = confined;
    const ofAccount = refusedOf({ through, itsToken }, ({ kind }) => kind === 'account');
    const extra = [...refusedOf(confined, isOfOrganization), ...ofAccount];
    const hidden = await hideRestrictions(({ formatVersion }) => formatVersion + 1);

    expect(await allowedOf(extra, loadFromFunctions)).toEqual([]);
    expect([...new Set(hidden)].toSorted()).toEqual(['member', 'organization', 'session', 'token']);
    await restore();
  });

  it('would be allowed if items with such an attribute had the format of those without', async () => {
    const reads = refusedOf(confined, row => isOfOrganization(row) && row.route.startsWith('GET'));
    await hideRestrictions(({ formatVersion }) => formatVersion);

    const allowed = await allowedOf(reads, loadFromFunctions);

    for (const caller of Object.keys(confined)) expect(allowed).toContain(`GET /projects/:orgId by ${caller}`);
    await restore();
  });
});

describe('a credential for names only', () => {
  it('may do nothing in the previous release, which knows no such access', async () => {
    const owner = await seedPerson({ emailVerified: true });
    const { organization } = owner;
    const project = await createProject(api, owner);
    const rights = { ...(await sampleKeys()), access: 'names', role: 'developer' };
    const body = identityOf(sampleIssuer, rights);
    const made = await expectStatus(api.post(`/identities/${organization.id}`, body, owner.session), 201);
    const assertion = await assertionOf(owner, made.body.identity.id);
    const credentials = {
      token: (await createToken(api, owner, { access: 'names' })).token,
      identity: (await expectStatus(api.post('/auth/exchange', assertion), 201)).body.token as string,
    };
    const values = { ...unknownValues(), project: project.slug, slug: project.slug, env: 'dev', key: 'KEY' };
    const paths = { ...values, orgId: organization.id, orgSlug: organization.slug };
    const admitting = routes.filter(({ access }) => 'names' in access);
    const allowed: string[] = [];
    load = release;
    for (const [name, token] of Object.entries(credentials)) {
      for (const contract of admitting) {
        const { method, path, body } = documentedRequest(contract, paths);
        const { status } = await api.call(method, path, { as: { token }, body });
        if (status < 400) allowed.push(`${name}: ${contract.operationId}`);
      }
    }
    load = loadFromFunctions;

    expect(allowed).toEqual([]);
    expect(admitting.length).toBeGreaterThan(20);
    for (const token of Object.values(credentials)) {
      const keys = await api.get(`/secrets/${organization.slug}/${project.slug}/dev/keys`, { token });
      expect(keys.status).toBe(200);
    }
  });
});

/**
 * Removes each attribute whose absence grants something, as if the code didn't know it, and gives the items that had
 * one a format. @returns their kinds
 */
async function hideRestrictions(formatOf: (entity: { formatVersion: number }) => number): Promise<string[]> {
  const hidden = (await allItems()).flatMap(item => {
    const entity = entities[String(item.kind)];
    if (entity === undefined || !restricts(item, entity.restricting)) return [];
    const left = Object.entries(item).filter(([name]) => !entity.restricting.includes(name));
    return [{ ...Object.fromEntries(left), kind: entity.kind, v: formatOf(entity) }];
  });
  for (const Item of hidden) {
    await tableClient().send(new PutCommand({ TableName: requiredSetting('TABLE_NAME'), Item }));
  }
  return hidden.map(({ kind }) => kind);
}

describe('an erasure by the previous release', () => {
  /** Runs the steps until the release has none left, or fails. */
  async function erase({ id, slug }: Person['organization'], loadHandler: LoadHandler): Promise<boolean> {
    const job = { type: 'erase-organization', orgSlug: slug, organizationId: id };
    const message = {
      body: JSON.stringify(job),
      messageId: randomUUID(),
      attributes: { ApproximateReceiveCount: '1', SentTimestamp: String(Date.now()) },
    };
    const handler = await loadHandler({ area: 'workers', name: 'run-jobs' });
    for (let step = 0; step < 10; step += 1) {
      const { batchItemFailures } = (await handler({ Records: [message] }, {} as Context)) as {
        batchItemFailures: unknown[];
      };
      if (batchItemFailures.length > 0) return false;
    }
    return true;
  }

  /** The items that name the organization, except those that expire by themselves. */
  const itemsNaming = async ({ id, slug }: Person['organization']) =>
    (await allItems())
      .filter(item => item.expiresAt === undefined)
      .filter(item => JSON.stringify(item).includes(id) || JSON.stringify(item).includes(`"${slug}"`))
      .map(({ pk, sk }) => `${pk} ${sk}`);

  /** With something in each partition that can name an organization. */
  async function furnish({ organization, session }: Person): Promise<void> {
    const { id, slug } = organization;
    await createProject(api, { organization, session });
    await expectStatus(api.put(`/secrets/${slug}/shop/dev`, { key: 'A', value: '1' }, session), 200, 201);
    await expectStatus(api.post(`/templates/${slug}/shop`, { key: 'A' }, session), 201);
    await expectStatus(api.delete(`/projects/${id}/shop/environments/staging`, session), 200);
    await expectStatus(api.post(`/members/${id}/invite`, { email: 'new@example.com', role: 'viewer' }, session), 201);
    const hook = { url: 'https://hooks.example.com/x', events: ['secret.created'] };
    await expectStatus(api.post(`/webhooks/${id}`, hook, session), 201);
    const identity = identityOf({ url: 'https://issuer.example.com' });
    await expectStatus(api.post(`/identities/${id}`, identity, session), 201);
    await createToken(api, { session }, { organizationId: id });
  }

  it('leaves nothing that names an organization', async () => {
    const owner = await seedPerson({ emailVerified: true });
    await furnish(owner);
    const { id } = owner.organization;
    load = release;
    const answers = [await api.delete(`/orgs/${id}`, owner.session), await api.get(`/projects/${id}`, owner.session)];
    load = loadFromFunctions;

    expect(answers.map(codeOf)).toEqual(['200 ok', '404 organization_not_found']);
    expect(await erase(owner.organization, release)).toBe(true);

    expect(await itemsNaming(owner.organization)).toEqual([]);
  });

  it('does not begin if the organization has what the release may not know, and waits for a version that does', async () => {
    const { owner, slug, domain } = await openCompany(api, names, provider);
    await furnish(owner);
    provider.accounts.ada = { sub: 'ada', email: `ada@${domain}`, email_verified: true };
    const through = await sessionThrough(api, slug);
    await createToken(api, { session: through }, { organizationId: owner.organization.id });
    await expectStatus(api.delete(`/orgs/${owner.organization.id}`, owner.session), 200);

    expect(await erase(owner.organization, release)).toBe(false);
    expect((await find(at(signInRecord, slug)))?.organizationId).toBe(owner.organization.id);
    expect(await erase(owner.organization, loadFromFunctions)).toBe(true);

    expect(await itemsNaming(owner.organization)).toEqual([]);
  });
});
