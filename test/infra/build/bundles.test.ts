import { randomUUID } from 'node:crypto';
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import type { Context } from 'aws-lambda';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Bundle, bundleFunctions, peakBytesOfBuild } from '#infra/build/bundle.ts';
import { longPasswords } from '#infra/build/lean-packages.ts';
import type { Handler } from '#infra/local/lambda/invoke.ts';
import { ensureTable } from '#infra/local/resources.ts';
import { functions, hotFunctions, needsDashboardOrigin, usesTable, workers } from '#infra/plan/functions.ts';
import { trafficDuring } from '#infra/stacks/deployment-traffic.ts';
import { isAllowed, type Statement } from '#infra/stacks/policy.ts';
import { isRefusedInMaintenance, isServedInMaintenance } from '#lib/contracts/contract.ts';
import { routes } from '#lib/contracts/routes.ts';
import { tableClient } from '#lib/table/client.ts';
import { keys } from '#lib/table/keys.ts';
import { at } from '#lib/table/read.ts';
import { servingRegionRecord } from '#lib/table/records/serving-region.ts';
import { unfinishedWorkRecord } from '#lib/table/records/unfinished-work.ts';
import { put, transact } from '#lib/table/write.ts';
import { type Api, codeOf, createProject, startApi } from '#test/support/api.ts';
import { type AuthorizedCall, recordBundleCalls } from '#test/support/bundle-calls.ts';
import { checkAccountOf, serveParameter } from '#test/support/check-account.ts';
import { eventually } from '#test/support/eventually.ts';
import { scratchDirectory, untilEnd } from '#test/support/fixtures.ts';
import { exampleSettings, synthesize } from '#test/support/installation.ts';
import { identityOf, startIssuer } from '#test/support/issuer.ts';
import { seedPerson } from '#test/support/people.ts';
import { startS3 } from '#test/support/s3.ts';
import { expectStatus, placeWithSecrets } from '#test/support/sample-requests.ts';
import { failureOf, samples, send } from '#test/support/samples.ts';
import { auditEntry, seedAudit } from '#test/support/seed-audit.ts';
import { startRegions } from '#test/support/two-regions.ts';
import { words } from '#test/support/words.ts';
import { rareRights } from './rare-rights.ts';

const outDirectory = scratchDirectory();
const require = createRequire(import.meta.url);
let bundles: readonly Bundle[];

beforeAll(async () => {
  bundles = await bundleFunctions({ outDirectory });
  for (const { directory } of bundles) allowSlowCallsIn(join(directory, 'index.mjs'));
});

const weightOf = (name: string, owner: string) =>
  bundles.find(bundle => bundle.name === name)?.weights.find(([one]) => one === owner)?.[1] ?? 0;

const operations = new Set(routes.map(({ operationId }) => operationId));

describe('a bundle', () => {
  test('exists for every function', () => {
    expect(bundles.map(({ name }) => name).sort()).toEqual(functions.map(({ name }) => name).sort());
  });

  test.each(hotFunctions)('of the hot function %s is at most 400 KB', name => {
    expect(bundles.find(bundle => bundle.name === name)?.sizeBytes).toBeLessThanOrEqual(400_000);
  });

  test.each([
    ['of any function', 800_000, functions.map(({ name }) => name)],
    ['of register', 500_000, ['register']],
    ['of deliver-webhooks', 540_000, ['deliver-webhooks']],
    ['of make-outbound-requests', 270_000, ['make-outbound-requests']],
  ])('%s is at most %i bytes', (_, maximum, names) => {
    expect(bundles.filter(({ name, sizeBytes }) => names.includes(name) && sizeBytes > maximum)).toEqual([]);
  });

  // Only Linux reports it.
  test.runIf(process.platform === 'linux')('is built with less than a gigabyte of memory', () => {
    expect(peakBytesOfBuild()).toBeLessThan(1_000_000_000);
  });

  test('of register has every common password that is long enough to be set', () => {
    const register = readFileSync(join(outDirectory, 'register/index.mjs'), 'utf8');
    expect(longPasswords.length).toBeGreaterThan(300);
    expect(longPasswords.filter(password => !register.includes(JSON.stringify(password)))).toEqual([]);
  });

  test('contains exactly the clients of the services that its function may call', () => {
    for (const { name, uses, readsCheckAccount } of functions) {
      const carried = {
        table: weightOf(name, '@aws-sdk/client-dynamodb') > 0,
        key: weightOf(name, '@aws-sdk/client-kms') > 0,
        queues: weightOf(name, '@aws-sdk/client-sqs') > 0,
        functions: weightOf(name, '@aws-sdk/client-lambda') > 0,
        mail: weightOf(name, '@aws-sdk/client-sesv2') > 0,
        archive: weightOf(name, '@aws-sdk/client-s3') > 0,
        parameters: weightOf(name, '@aws-sdk/client-ssm') > 0,
      };
      expect(carried, name).toEqual({
        table: usesTable(uses),
        // The chain of every operation can check the MAC of a credential.
        key: uses.key !== undefined || operations.has(name),
        queues: uses.queues !== undefined,
        functions: uses.functions !== undefined,
        mail: uses.mail === true,
        archive: uses.archive === true,
        parameters: needsDashboardOrigin(uses) || readsCheckAccount === true,
      });
    }
  });

  const carriersOf = (owner: string) => functions.map(({ name }) => name).filter(name => weightOf(name, owner) > 0);

  test.each([
    ['the passkey library', '@simplewebauthn/server', 'add-passkey close-account complete-login step-up'],
    ['the common passwords', '@zxcvbn-ts/language-common', 'change-password register reset-password'],
  ])('contains %s (%s) only in the functions that need it: %s', (_, owner, names) => {
    expect(carriersOf(owner).sort()).toEqual(words(names));
  });

  test('verifies foreign tokens only where they are exchanged, and contacts customers only without a route', () => {
    const verifying = ['complete-provider-sign-in', 'exchange-assertion'];
    // An export only seals values with it.
    expect(carriersOf('jose').sort()).toEqual([...verifying, 'export-organization']);
    expect(carriersOf('undici')).toEqual(['deliver-webhooks', 'make-outbound-requests']);
    for (const name of verifying) expect(weightOf(name, 'lib/deliveries'), name).toBe(0);
    expect(carriersOf('lib/identities').filter(name => hotFunctions.includes(name))).toEqual([]);
  });

  test('omits what Lambda never needs: profiles, single sign-on, instance metadata', () => {
    const owners = new Set(bundles.flatMap(({ weights }) => weights.map(([owner]) => owner)));
    expect([...owners].filter(owner => /credential-provider-|nested-clients/.test(owner))).toEqual([]);
  });

  test('contains its own function’s contract and none of the documentation', () => {
    const setSecret = readFileSync(join(outDirectory, 'set-secret/index.mjs'), 'utf8');
    expect(setSecret).toContain('expectedVersion');
    expect(setSecret).toContain('"set-secret"');
    for (const { operationId, summary, description } of routes) {
      expect(setSecret).not.toContain(summary);
      expect(setSecret).not.toContain(description);
      if (operationId !== 'set-secret') expect(setSecret).not.toContain(`"${operationId}"`);
    }
  });

  test('that is missing is reported with the name of the file', async () => {
    const building = bundleFunctions({ outDirectory, functions: [{ area: 'secrets', name: 'not-written' }] });
    await expect(building).rejects.toThrow('These functions have no file: functions/secrets/not-written.ts.');
  });
});

describe('the bundles, run instead of the sources', () => {
  const recorder = recordBundleCalls();
  const invoked = new Set<string>();
  /** The last event of each function. */
  const events = new Map<string, unknown>();
  /** Where the API's functions are loaded from. A bundle keeps the settings that its first request found. */
  let routedDirectory = outDirectory;
  let api: Api;
  let rights: Map<string, Statement[]>;

  beforeAll(async () => {
    rights = synthesize().rights();
    const limits = {
      REQUESTS_PER_MINUTE: '100000',
      INVITATION_LIMIT_PER_DAY: '1000',
      ORGANIZATIONS_PER_USER: '20',
      REGISTER_LIMIT_PER_HOUR: '1000',
      LOGIN_FAILURE_LIMIT: '10',
      // The sender address that the roles in the template allow.
      MAIL_FROM: exampleSettings.mailFrom,
    };
    api = await startApi(limits, async functionName => {
      const directory = functionName.area === 'workers' ? outDirectory : routedDirectory;
      const recorded = recorder.wrap(functionName, load(directory, functionName.name));
      return (event, context) => {
        invoked.add(functionName.name);
        events.set(functionName.name, event);
        return recorded(event, context);
      };
    });
  });
  afterAll(async () => {
    await api?.stop();
    recorder.stop();
  });

  test.each(samples.map(sample => [sample.name, sample] as const))(
    'handle %s, and it takes effect',
    async (_, sample) => {
      const { request, works, isDone } = await sample.prepare(api);
      const answer = await send(api, request);

      expect(works, failureOf(sample, answer)).toContain(answer.status);
      await expect.poll(isDone, { timeout: 15_000 }).toBe(true);
    },
  );

  test.each([
    ['/openapi.json', 200, 'application/json; charset=utf-8'],
    ['/docs', 200, 'text/html; charset=utf-8'],
    ['/docs/redoc.js', 200, 'text/javascript; charset=utf-8'],
    ['/nothing-here', 404, 'application/json; charset=utf-8'],
  ])('handle %s', async (path, status, type) => {
    const response = await fetch(api.url + path);
    await response.arrayBuffer();
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toBe(type);
  });

  test('of the exchange gets an issuer’s keys from the only function that may fetch them', async () => {
    const [{ organization, session }, issuer] = [await seedPerson(), await untilEnd(startIssuer())];
    const { id } = (await api.post(`/identities/${organization.id}`, identityOf(issuer), session)).body.identity;
    const body = { identityId: id, organizationSlug: organization.slug, subjectToken: await issuer.token(id) };
    expect((await api.post('/auth/exchange', body)).status).toBe(201);
    expect(issuer.fetches('jwks')).toBe(1);
    expect(recorder.calls.filter(({ functionName }) => functionName === 'make-outbound-requests')).toEqual([]);
  });

  test('of the service check logs in, sets and pulls', async () => {
    const person = await seedPerson();
    const { slug } = await createProject(api, person);
    const parameters = await serveParameter({ ...checkAccountOf(api, person), project: slug });
    const check = load(outDirectory, 'check-service');
    await Promise.resolve(check({ parameter: '/holdfast/check' }, {} as Context)).finally(parameters.stop);
    invoked.add('check-service');
    const path = `/secrets/${person.organization.slug}/${slug}/dev/keys`;
    expect((await api.get(path, person.session)).body.keys).toMatchObject([{ key: 'SERVICE_CHECK', version: 1 }]);
  });

  test('of the job for unfinished work finds a job', async () => {
    const before = recorder.calls.length;
    const id = randomUUID();
    const work = { type: 'erase-organization', orgSlug: 'gone', organizationId: id } as const;
    await transact([put(at(unfinishedWorkRecord, id), { job: work, dueAtMs: 0 })]);
    const name = 'queue-unfinished-work';
    await recorder.wrap({ area: 'workers', name }, load(outDirectory, name))({}, {} as Context);

    invoked.add(name);
    const made = recorder.calls.slice(before).filter(({ functionName }) => functionName === name);
    const expected = ['sqs:SendMessage', 'dynamodb:UpdateItem'];
    expect(made.map(({ action }) => action)).toEqual(expect.arrayContaining(expected));
  });

  test('of the archive puts an entry into the bucket', async () => {
    const { organization } = await seedPerson();
    await seedAudit(organization.id, [auditEntry('secret.changed', Date.now() - 3_600_000)]);
    const s3 = await untilEnd(startS3());
    vi.stubEnv('AWS_ENDPOINT_URL_S3', s3.url);
    vi.stubEnv('AUDIT_ARCHIVE_BUCKET', 'archive');
    const name = 'archive-audit';
    const archive = recorder.wrap({ area: 'workers', name }, load(outDirectory, name));
    await Promise.resolve(archive({}, {} as Context)).finally(() => vi.unstubAllEnvs());
    invoked.add(name);
    expect([...s3.objects.keys()].filter(one => one.startsWith(organization.id))).toHaveLength(1);
  });

  test('of the daily worker mails what is due', async () => {
    const name = 'mail-due';
    const { organization, session } = await placeWithSecrets(api);
    const described = { key: 'KEY_1', maxAgeDays: 1 };
    await expectStatus(api.post(`/templates/${organization.slug}/shop`, described, session), 201);
    const before = recorder.calls.length;
    await recorder.wrap({ area: 'workers', name }, load(outDirectory, name))({}, {} as Context);
    invoked.add(name);
    const made = recorder.calls.slice(before).filter(({ functionName }) => functionName === name);
    expect(made.map(({ action }) => action)).toContain('ses:SendEmail');
  });

  test('have all run by now, including the workers', async () => {
    const missing = () => functions.map(({ name }) => name).filter(name => !invoked.has(name));
    await eventually(() => expect(missing()).toEqual([]));
  });

  test('make only calls that the roles in the template allow', () => {
    expect(forbidden(recorder.calls, rights)).toEqual([]);
    expect(recorder.calls.length).toBeGreaterThan(500);
  });

  /* What a contract's access implies is not compared: `usesOf` derives it for all operations with that access. */
  test('need all rights to the table that contracts declare and workers have, most of them in these tests', () => {
    const plans = [...routes.map(({ operationId, uses }) => ({ name: operationId, uses })), ...Object.values(workers)];
    const granted = plans.flatMap(({ name, uses }) =>
      Object.entries<readonly string[]>(uses.table).flatMap(([action, used]) =>
        used.map(partition => `${name}: ${action} ${partition}`),
      ),
    );
    const rare = rareRights.flatMap(one =>
      words(one.functions).flatMap(name => one.rights.map(right => `${name}: ${right}`)),
    );
    const used = recorder.calls.flatMap(({ functionName, action, keys: { 'dynamodb:LeadingKeys': items = [] } }) =>
      items.map(item => `${functionName}: ${action.replace('dynamodb:', '')} ${kindOf(item)}`),
    );
    const needed = new Set([...used, ...rare]);
    expect(granted.filter(right => !needed.has(right))).toEqual([]);
    expect(rare.filter(right => !granted.includes(right))).toEqual([]);
  });

  test('make no call that a role forbids while a restore exchanges the table', () => {
    const settings = { ...exampleSettings, maintenance: true };
    const callsOf = (name: string) => recorder.calls.filter(({ functionName }) => functionName === name);
    const before = { templates: synthesize(settings).templates, callsOf };
    const after = { templates: synthesize({ ...settings, restoredTable: 'holdfast-restored' }).templates, callsOf };
    for (const traffic of [trafficDuring(before, after), trafficDuring(after, before)]) {
      const { allowed, failures } = traffic;
      expect(failures).toEqual([]);
      expect(allowed).toBeGreaterThan(500);
    }
  });

  describe('under maintenance', () => {
    const idsOf = (those: typeof routes) => new Set(those.map(({ operationId }) => operationId as string));
    const refused = idsOf(routes.filter(isRefusedInMaintenance));
    /** Those that first read whether the request only takes rights away. Their samples grant some. */
    const judgedByContent = idsOf(routes.filter(isServedInMaintenance).filter(isRefusedInMaintenance));
    let callsBefore: number;

    beforeAll(() => {
      vi.stubEnv('MAINTENANCE', 'true');
      callsBefore = recorder.calls.length;
    });
    afterAll(() => vi.unstubAllEnvs());

    test.each(samples.map(sample => [sample.name, sample] as const))(
      'serve a read or log-in and refuse a change: %s',
      async (_, sample) => {
        const { request, works, isDone } = await sample.prepare(api);
        const callsPrepared = recorder.calls.length;

        routedDirectory = copyOfBundles('under-maintenance');
        const answer = await send(api, request).finally(() => {
          routedDirectory = outDirectory;
        });

        if (!refused.has(sample.operationId)) {
          expect(works, JSON.stringify(answer.body)).toContain(answer.status);
          await expect.poll(isDone).toBe(true);
          return;
        }
        expect(codeOf(answer)).toBe('503 temporarily_unavailable');
        expect(answer.headers.get('retry-after')).toBe('60');
        const made = recorder.calls.slice(callsPrepared).filter(call => call.functionName === sample.operationId);
        const mayRead = judgedByContent.has(sample.operationId);
        expect(made.filter(({ action }) => !(mayRead && isRead(action)))).toEqual([]);
      },
    );

    test('make only calls that the roles allow then', () => {
      const maintained = synthesize({ ...exampleSettings, maintenance: true }).rights();
      expect(forbidden(recorder.calls.slice(callsBefore), maintained)).toEqual([]);
    });
  });

  describe('in a region that returns after the other one has taken over', () => {
    const [first, second] = ['us-east-1', 'eu-west-1'];
    let regions: Awaited<ReturnType<typeof startRegions>>;

    beforeAll(async () => {
      const tables = { [first]: `${process.env.TABLE_NAME}`, [second]: `${process.env.TABLE_NAME}-replica` };
      await ensureTable(tables[second] as string);
      regions = await startRegions(tables);
      // This region's own replica has not received the item yet.
      const Item = servingRegionRecord.toItem(keys.servingRegion(), { region: second, epoch: 2, changedAt: '' });
      await tableClient().send(new PutCommand({ TableName: tables[second], Item }));
      vi.stubEnv('AWS_REGION', first);
      vi.stubEnv('PEER_REGION', second);
      vi.stubEnv('FIRST_REGION', first);
      vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', regions.url);
    });
    afterAll(async () => {
      vi.unstubAllEnvs();
      await regions?.stop();
    });

    test.each(functions.filter(({ uses }) => usesTable(uses)).map(({ name, area }) => [name, area] as const))(
      '%s finds that out before it writes, sends or queues anything',
      async (name, area) => {
        const before = recorder.calls.length;
        const handler = recorder.wrap({ area, name }, load(copyOfBundles('returned'), name));
        // The last event that it handled while this region served.
        const answering = Promise.resolve(handler(events.get(name) ?? {}, {} as Context));
        const answer: unknown = await answering.catch((error: Error) => error);
        const made = recorder.calls.slice(before).filter(({ functionName }) => functionName === name);
        const isFence = (call: AuthorizedCall) => call.keys['dynamodb:LeadingKeys']?.[0] === 'SERVINGREGION';
        expect(made.filter(isFence).map(({ action }) => action)).toEqual(['dynamodb:GetItem', 'dynamodb:GetItem']);
        expect(made.map(({ action }) => action).filter(action => !isRead(action))).toEqual([]);
        if (area !== 'workers') expect(answer).toMatchObject({ statusCode: 503 });
      },
    );
  });
});

/** A function's handler, loaded by Node itself, as on Lambda. */
const load = (directory: string, name: string): Handler =>
  (require(join(directory, name, 'index.mjs')) as { handler: Handler }).handler;

/**
 * As `allowSlowCalls`, because a bundle has the limits of calls to AWS inside. A process that gives up on the other
 * region believes that this one serves, and a busy machine takes longer than AWS.
 */
function allowSlowCallsIn(file: string): void {
  const source = readFileSync(file, 'utf8');
  writeFileSync(file, source.replaceAll(/\b(connectionTimeout|requestTimeout):\d[\de]*\b/g, '$1:2e4'));
}

function copyOfBundles(name: string): string {
  const directory = join(outDirectory, name);
  if (!existsSync(directory)) {
    for (const bundle of bundles)
      cpSync(join(outDirectory, bundle.name, 'index.mjs'), join(directory, bundle.name, 'index.mjs'));
  }
  return directory;
}

/** The calls that the roles forbid, one line each. */
function forbidden(calls: readonly AuthorizedCall[], rights: ReadonlyMap<string, Statement[]>): string[] {
  const refused = calls.filter(call => !isAllowed(rights.get(call.functionName) ?? [], call));
  const lines = refused.map(
    ({ functionName, action, keys: asked }) => `${functionName}: ${action} ${Object.values(asked).flat().map(kindOf)}`,
  );
  return [...new Set(lines)];
}

const isRead = (action: string) => /^(dynamodb:(GetItem|BatchGetItem|Query)|kms:(Decrypt|VerifyMac))$/.test(action);

/** `ORG#acme` → `ORG`. */
const kindOf = (value: string): string => value.split('#')[0] ?? '';
