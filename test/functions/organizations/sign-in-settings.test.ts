import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Answer, codeOf, useSettings } from '#test/support/api.ts';
import { atOnce } from '#test/support/at-once.ts';
import { eventually } from '#test/support/eventually.ts';
import type { TxtAnswer } from '#test/support/name-server.ts';
import { type Person, seedPerson } from '#test/support/people.ts';
import { expectStatus, join } from '#test/support/sample-requests.ts';
import { openBrowser } from '#test/support/sign-in/browser.ts';
import { startHostileProvider } from '#test/support/sign-in/hostile-provider.ts';
import { useSignIn } from '#test/support/sign-in/scene.ts';
import {
  newDomain,
  openCompany,
  redirectUriOf,
  sessionThrough,
  settingsOf,
  settingsPath,
  signIn,
  verifyDomain,
} from '#test/support/sign-in/sign-in.ts';
import { allItems } from '#test/support/table-dump.ts';

const { api, names, provider } = useSignIn({ sub: 'ada', email_verified: true }, { VERIFIED_EMAIL_REQUIRED: 'true' });
const newOwner = () => seedPerson({ emailVerified: true });
const settings = (domain: string, changes: Record<string, unknown> = {}) => settingsOf(provider, domain, changes);
const read = async (owner: Person) =>
  (await expectStatus(api.get(settingsPath(owner), owner.session), 200)).body.signIn;
const put = (owner: Person, body: unknown) => api.put(settingsPath(owner), body, owner.session);
const save = async (owner: Person, body: unknown) => (await expectStatus(put(owner, body), 200)).body.signIn;
const remove = (owner: Person) => api.delete(settingsPath(owner), owner.session);
const verify = (owner: Person, domain: string) =>
  api.post(`${settingsPath(owner)}/domains/verify`, { domain }, owner.session);
const entriesOf = async ({ organization, session }: Person): Promise<{ action: string; details: object }[]> =>
  (await expectStatus(api.get(`/audit/${organization.id}?limit=500`, session), 200)).body.entries;
const actions = async (owner: Person) =>
  (await entriesOf(owner)).map(({ action }) => action).filter(action => action.startsWith('sign_in.'));

describe('the settings', () => {
  it('are stored, shown without the secret, and recorded', async () => {
    const owner = await newOwner();
    const domain = newDomain();
    expect(await read(owner)).toBeNull();

    const stored = await save(owner, settings(domain.toUpperCase()));

    expect(stored).toMatchObject({
      issuer: provider.url,
      clientId: provider.client.clientId,
      redirectUri: redirectUriOf(api, owner.organization.slug),
      domains: [{ domain, verified: false, txtRecord: expect.stringMatching(/^holdfast-verification=[\w-]{20,}$/) }],
      defaultRole: 'developer',
      required: false,
      trustFactor: false,
      hasClientSecret: true,
    });
    expect(await read(owner)).toEqual(stored);
    expect(await actions(owner)).toEqual(['sign_in.configured']);
    const details = { clientSecret: 'changed', issuer: { from: null, to: provider.url } };
    expect((await entriesOf(owner))[0]).toMatchObject({ action: 'sign_in.configured', details });
  });

  it('never show the secret: not in an answer, the audit log, the log, or the table', async () => {
    const written: string[] = [];
    const spies = [process.stdout, process.stderr].map(stream =>
      vi.spyOn(stream, 'write').mockImplementation(chunk => {
        written.push(String(chunk));
        return true;
      }),
    );
    const { clientId, clientSecret } = provider.client;
    const { owner, domain, slug } = await openCompany(api, names, provider);
    useSettings({ LOG_LEVEL: 'TRACE' });
    onTestFinished(() => {
      provider.script = {};
      for (const spy of spies) spy.mockRestore();
    });
    provider.script = { person: { sub: `s-${domain}`, email: `ada@${domain}` } };
    const answers: Answer[] = [
      await put(owner, settings(domain, { surprise: true })),
      await put(owner, settings(domain, { clientSecret: [clientSecret] })),
      await put(owner, settings('not a domain')),
      await put(owner, settings(domain)),
      await api.get(settingsPath(owner), owner.session),
      await api.get(`/audit/${owner.organization.id}?limit=500`, owner.session),
      await verifyDomain(api, owner, names, domain),
    ];
    await sessionThrough(api, slug);
    provider.script = { ...provider.script, parts: { token: response => response.writeHead(500).end(clientSecret) } };
    await signIn(api, openBrowser(), slug);
    for (const { headers, body } of answers) expect(JSON.stringify([body, ...headers])).not.toContain(clientSecret);
    const bytes = Buffer.from(clientSecret);
    const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
    const readable = (bytes: Uint8Array) => ['latin1', 'hex'].map(form => Buffer.from(bytes).toString(form as 'hex'));
    const items = JSON.stringify(await allItems(), (_, value) =>
      value instanceof Uint8Array ? readable(value).join(' ') : value,
    );
    expect(written.join('')).toContain('provider_sign_in_refused');
    for (const text of [clientSecret, bytes.toString('base64'), bytes.toString('hex')]) {
      expect(written.join('')).not.toContain(text);
      expect(items).not.toContain(text);
    }
    expect(written.join('')).not.toContain(basic);
  });

  it('keep the secret and the proof of the domain unless the issuer or the client changes', async () => {
    const { owner, domain, slug } = await openCompany(api, names, provider);
    const { clientSecret: _, ...without } = settings(domain);
    onTestFinished(() => void Object.assign(provider, { script: {} }));
    provider.script = { person: { sub: `s-${domain}`, email: `ada@${domain}` } };
    const kept = await save(owner, { ...without, defaultRole: 'viewer' });
    expect(kept).toMatchObject({ hasClientSecret: true, domains: [{ verified: true }], defaultRole: 'viewer' });
    await sessionThrough(api, slug);

    const dropped = await save(owner, { ...without, clientId: 'another' });
    expect(dropped).toMatchObject({ hasClientSecret: false, domains: [{ verified: false }] });
  });

  it('never give the secret to another issuer or client', async () => {
    const other = await startHostileProvider({ sub: 'ada', email_verified: true });
    onTestFinished(async () => {
      provider.script = {};
      await other.stop();
    });
    const { owner, domain, slug } = await openCompany(api, names, provider);
    const { clientSecret, ...without } = settings(domain);
    const basic = Buffer.from(`${without.clientId}:${clientSecret}`).toString('base64');
    for (const changes of [{ issuer: other.url }, { clientId: 'another' }, { issuer: `${provider.url}/` }]) {
      const { status } = await put(owner, { ...without, ...changes });
      expect([200, 400]).toContain(status);
      if (status === 200) {
        other.script = { person: { sub: `s-${domain}`, email: `ada@${domain}` } };
        await signIn(api, openBrowser(), slug).catch(() => undefined);
        const text = JSON.stringify(other.received.map(({ headers, body }) => [headers, body.toString()]));
        expect(text).not.toContain(clientSecret);
        expect(text).not.toContain(basic);
      }
      await save(owner, settings(domain));
    }
  });

  it('can’t be read or changed by others', async () => {
    const { owner, domain } = await openCompany(api, names, provider);
    const [stranger, admin] = [await newOwner(), await newOwner()];
    await join(api, owner, admin, 'admin');

    const codesFor = async ({ session }: Person) => {
      const other = { ...owner, session };
      const reading = api.get(settingsPath(owner), session);
      const answers = [reading, put(other, settings(domain)), verify(other, domain), remove(other)];
      return (await Promise.all(answers)).map(codeOf);
    };
    expect(await codesFor(stranger)).toEqual(Array(4).fill('404 organization_not_found'));
    expect(await codesFor(admin)).toEqual(Array(4).fill('403 forbidden'));
    expect((await read(owner)).domains).toMatchObject([{ verified: true }]);
  });

  it('can’t be set with an unverified address', async () => {
    expect(codeOf(await put(await seedPerson(), settings(newDomain())))).toBe('403 email_not_verified');
  });

  it.each([
    ['an issuer that is no URL', { issuer: 'login.example.com' }],
    ['an issuer with another scheme', { issuer: 'ftp://login.example.com' }],
    ['an issuer with a query', { issuer: 'https://login.example.com/?a=b' }],
    ['an issuer with a fragment', { issuer: 'https://login.example.com/#a' }],
    ['an issuer with a user and password', { issuer: 'https://a:b@login.example.com' }],
    ['an issuer at a private address', { issuer: 'https://10.0.0.1' }],
    ['an issuer at the metadata address', { issuer: 'http://169.254.169.254' }],
    ['an issuer at an IPv6 private address', { issuer: 'https://[fd00::1]' }],
    ['an issuer inside the network', { issuer: 'https://intranet' }],
    ['an issuer that is too long', { issuer: `https://login.example.com/${'a'.repeat(3000)}` }],
    ['an empty client id', { clientId: '' }],
    ['a client id with a line break', { clientId: 'a\r\nb' }],
    ['a secret with a line break', { clientSecret: 'a\r\nb' }],
    ['an empty secret', { clientSecret: '' }],
    ['a secret that is too long', { clientSecret: 'a'.repeat(5000) }],
    ['no domain', { domains: [] }],
    ['21 domains', { domains: Array.from({ length: 21 }, newDomain) }],
    ['a domain twice', { domains: ['twice.example', 'TWICE.example'] }],
    ['a domain with a wildcard', { domains: ['*.example.com'] }],
    ['a top-level domain', { domains: ['com'] }],
    ['an address for a domain', { domains: ['127.0.0.1'] }],
    ['a URL for a domain', { domains: ['https://example.com'] }],
    ['a domain with a trailing dot', { domains: ['example.com.'] }],
    ['a domain with an empty label', { domains: ['example..com'] }],
    ['a domain that is too long', { domains: [`${'a.'.repeat(130)}com`] }],
    ['a default role above developer', { defaultRole: 'owner' }],
    ['the role of an admin by default', { defaultRole: 'admin' }],
    ['the role of identities by default', { defaultRole: 'deployer' }],
    ['a flag that is a text', { required: 'false' }],
    ['another text for a flag', { trustFactor: 'true' }],
    ['an unknown field', { roles: {} }],
  ])('reject %s, and change nothing', async (_, changes) => {
    const owner = await newOwner();
    expect(codeOf(await put(owner, settings(newDomain(), changes)))).toBe('400 invalid_request');
    expect(await read(owner)).toBeNull();
    expect(await actions(owner)).toEqual([]);
  });

  it('of a provider that is not set can’t be verified or removed', async () => {
    const owner = await newOwner();
    expect((await verify(owner, newDomain())).status).toBeGreaterThanOrEqual(400);
    expect((await remove(owner)).status).toBeLessThan(500);
    expect(await actions(owner)).toEqual([]);
  });

  it('removed twice, or at once, are recorded as removed once; nobody can start any more', async () => {
    const { owner, slug, domain } = await openCompany(api, names, provider);
    for (const { status } of await atOnce(3, () => remove(owner))) expect(status).toBeLessThan(500);
    expect((await actions(owner)).filter(action => action === 'sign_in.removed')).toHaveLength(1);
    expect(await read(owner)).toBeNull();
    expect((await signIn(api, openBrowser(), slug)).error).toBe('provider_not_configured');
    const { methods } = (await api.get(`/auth/sign-in?email=nobody@${domain}`)).body;
    expect(methods).toEqual(['password', 'passkey']);
  });
});

describe('a domain', () => {
  async function withDomain(domain = newDomain()) {
    const owner = await newOwner();
    const { domains } = await save(owner, settings(domain));
    return { owner, domain, record: domains[0].txtRecord as string };
  }

  it('is verified by its record, among others and in several strings, and recorded once', async () => {
    const { owner, domain, record } = await withDomain();
    const inTwo = [record.slice(0, 10), record.slice(10)];
    names.set(domain, [['v=spf1 include:mail.example ~all'], ['something', ' else'], inTwo]);

    const { body } = await expectStatus(verify(owner, domain.toUpperCase()), 200);

    expect(body.signIn.domains).toMatchObject([{ domain, verified: true }]);
    await expectStatus(verify(owner, domain), 200);
    expect((await actions(owner)).filter(action => action === 'sign_in.domain_verified')).toHaveLength(1);
  });

  it('stays verified without its record until it is dropped', async () => {
    const { owner, domain, record } = await withDomain();
    names.set(domain, [[record]]);
    await expectStatus(verify(owner, domain), 200);
    names.set(domain, 'no such name');

    await save(owner, settings(domain, { defaultRole: null }));
    expect((await read(owner)).domains).toMatchObject([{ domain, verified: true }]);
    const other = newDomain();
    await save(owner, settings(other));
    await save(owner, settings(domain));
    expect((await read(owner)).domains).toMatchObject([{ domain, verified: false }]);
  });

  it.each<[string, (record: string) => TxtAnswer]>([
    ['no record', () => []],
    ['no such name', () => 'no such name'],
    ['a server that fails', () => 'failure'],
    ['a server that is silent', () => 'silence'],
    ['another organization’s record', () => [['holdfast-verification=someone-elses-token']]],
    ['the record with something before it', record => [[`x${record}`]]],
    ['the record with something after it', record => [[`${record}x`]]],
    ['the beginning of the record', record => [[record.slice(0, -1)]]],
    ['the name alone', () => [['holdfast-verification=']]],
    ['the record in upper case', record => [[record.toUpperCase()]]],
    ['the record split over two', record => [[record.slice(0, 30)], [record.slice(30)]]],
    ['a thousand other records', () => Array.from({ length: 230 }, (_, index) => ['x'.repeat(240) + index])],
  ])('is not verified by %s', async (_, answerOf) => {
    const { owner, domain, record } = await withDomain();
    names.set(domain, answerOf(record));

    expect(codeOf(await verify(owner, domain))).toBe('409 domain_not_verified');
    expect((await read(owner)).domains).toMatchObject([{ domain, verified: false }]);
    expect(await actions(owner)).toEqual(['sign_in.configured']);
  });

  it('is not verified by a record of a parent or a subdomain', async () => {
    const parent = newDomain();
    const { owner, domain, record } = await withDomain(`mail.${parent}`);
    for (const name of [parent, `www.${domain}`, `_holdfast.${domain}`]) names.set(name, [[record]]);

    expect(codeOf(await verify(owner, domain))).toBe('409 domain_not_verified');
  });

  it('has another record in each organization, and in the same organization for each domain', async () => {
    const domain = newDomain();
    const [one, two] = [await withDomain(domain), await withDomain(domain)];
    const three = await newOwner();
    const { domains } = await save(three, settings(domain, { domains: [domain, newDomain()] }));
    const records = [one.record, two.record, ...domains.map((of: { txtRecord: string }) => of.txtRecord)];

    expect(new Set(records).size).toBe(4);
    names.set(domain, [[one.record]]);
    expect(codeOf(await verify(two.owner, domain))).toBe('409 domain_not_verified');
  });

  it('that is not in the settings is not looked up', async () => {
    const { owner } = await withDomain();
    const asked = names.asked.length;
    const { status } = await verify(owner, newDomain());

    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
    expect(names.asked).toHaveLength(asked);
  });

  it('is taken once it is verified for another organization, and free again when that one drops it', async () => {
    const domain = newDomain();
    const [one, two] = [await withDomain(domain), await withDomain(domain)];
    names.set(domain, [[one.record], [two.record]]);
    await expectStatus(verify(one.owner, domain), 200);

    expect(codeOf(await verify(two.owner, domain))).toBe('409 domain_taken');
    expect((await read(two.owner)).domains).toMatchObject([{ verified: false }]);
    await expectStatus(remove(one.owner), 200);
    expect(codeOf(await verify(two.owner, domain))).toBe('200 ok');
    await save(one.owner, settings(domain));
    const { txtRecord } = (await read(one.owner)).domains[0];
    names.set(domain, [[txtRecord], [two.record]]);
    expect(codeOf(await verify(one.owner, domain))).toBe('409 domain_taken');
    expect((await api.get(`/auth/sign-in?email=a@${domain}`)).body.organization.slug).toBe(two.owner.organization.slug);
  });

  it('is verified for one of two organizations that ask at once', async () => {
    for (let round = 0; round < 5; round += 1) {
      const domain = newDomain();
      const both = [await withDomain(domain), await withDomain(domain)];
      const records = both.map(({ record }) => [record]);
      names.set(domain, records);

      const answers = await Promise.all(both.map(({ owner }) => verify(owner, domain)));

      expect(answers.map(codeOf).toSorted()).toEqual(['200 ok', '409 domain_taken']);
      const verified = await Promise.all(both.map(async ({ owner }) => (await read(owner)).domains[0].verified));
      expect(verified).toEqual(answers.map(({ status }) => status === 200));
    }
  });

  it('is free again once its organization is deleted', async () => {
    const domain = newDomain();
    const one = await withDomain(domain);
    names.set(domain, [[one.record]]);
    await expectStatus(verify(one.owner, domain), 200);
    await expectStatus(api.delete(`/orgs/${one.owner.organization.id}`, one.owner.session), 200);
    const two = await withDomain(domain);
    names.set(domain, [[two.record]]);

    await eventually(async () => expect(codeOf(await verify(two.owner, domain))).toBe('200 ok'));
  });

  it('is neither verified nor lost if it is dropped and verified at once', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { owner, domain, record } = await withDomain();
      names.set(domain, [[record]]);
      const other = newDomain();

      await Promise.all([verify(owner, domain), put(owner, settings(other))]);

      // Whatever came first: a domain that is not in the settings is free.
      const next = await withDomain(domain);
      names.set(domain, [[next.record]]);
      const inSettings = (await read(owner)).domains.map((one: { domain: string }) => one.domain);
      expect(inSettings).toEqual([other]);
      expect(codeOf(await verify(next.owner, domain))).toBe('200 ok');
    }
  });
});
