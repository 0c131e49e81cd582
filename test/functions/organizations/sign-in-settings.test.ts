import { describe, expect, it, vi } from 'vitest';
import { type Answer, codeOf, createToken } from '#test/support/api.ts';
import type { TxtAnswer } from '#test/support/name-server.ts';
import { type Person, seedPerson } from '#test/support/people.ts';
import { expectStatus, join } from '#test/support/sample-requests.ts';
import { ageSession } from '#test/support/second-factors.ts';
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
const read = async (owner: Person) => (await expectStatus(api.get(settingsPath(owner), owner.session), 200)).body;
const put = (owner: Person, body: unknown) => api.put(settingsPath(owner), body, owner.session);
const actions = async (owner: Person): Promise<string[]> => {
  const { body } = await expectStatus(api.get(`/audit/${owner.organization.id}?limit=500`, owner.session), 200);
  return body.entries
    .map(({ action }: { action: string }) => action)
    .filter((one: string) => one.startsWith('sign_in.'));
};

describe('the settings', () => {
  it('are stored, shown without the secret, and recorded', async () => {
    const owner = await newOwner();
    const domain = newDomain();
    expect((await read(owner)).signIn).toBeNull();

    const stored = await expectStatus(put(owner, settingsOf(provider, domain.toUpperCase())), 200);

    expect(stored.body.signIn).toMatchObject({
      issuer: provider.url,
      clientId: provider.client.clientId,
      redirectUri: redirectUriOf(api, owner.organization.slug),
      domains: [{ domain, verified: false, txtRecord: expect.stringMatching(/^holdfast-verification=[\w-]{20,}$/) }],
      defaultRole: 'developer',
      required: false,
      trustFactor: false,
    });
    expect(stored.body.signIn.hasClientSecret).toBe(true);
    expect((await read(owner)).signIn).toEqual(stored.body.signIn);
    expect(await actions(owner)).toEqual(['sign_in.configured']);
    const { body } = await api.get(`/audit/${owner.organization.id}?action=sign_in.configured`, owner.session);
    const details = { clientSecret: 'changed', issuer: { from: null, to: provider.url } };
    expect(body.entries).toMatchObject([{ details }]);
  });

  it('never show the secret: not in an answer, the audit log, the log, or the table', async () => {
    const written: string[] = [];
    const spies = [process.stdout, process.stderr].map(stream =>
      vi.spyOn(stream, 'write').mockImplementation(chunk => {
        written.push(String(chunk));
        return true;
      }),
    );
    const { clientSecret } = provider.client;
    const level = process.env.LOG_LEVEL;
    process.env.LOG_LEVEL = 'TRACE';
    try {
      const company = await openCompany(api, names, provider);
      const { owner, domain } = company;
      provider.script = { person: { sub: `s-${domain}`, email: `ada@${domain}` } };
      const answers: Answer[] = [
        await put(owner, { ...settingsOf(provider, domain), surprise: true }),
        await put(owner, { ...settingsOf(provider, domain), clientSecret: [clientSecret] }),
        await put(owner, { ...settingsOf(provider, 'not a domain') }),
        await put(owner, settingsOf(provider, domain)),
        await api.get(settingsPath(owner), owner.session),
        await api.get(`/audit/${owner.organization.id}?limit=500`, owner.session),
        await verifyDomain(api, owner, names, domain),
      ];
      await sessionThrough(api, company.slug);
      provider.script = { ...provider.script, parts: { token: response => response.writeHead(500).end(clientSecret) } };
      await signIn(api, openBrowser(), company.slug);
      for (const { headers, body } of answers) expect(JSON.stringify([body, ...headers])).not.toContain(clientSecret);
    } finally {
      provider.script = {};
      process.env.LOG_LEVEL = level;
      for (const spy of spies) spy.mockRestore();
    }
    const encodings = [
      clientSecret,
      Buffer.from(clientSecret).toString('base64'),
      Buffer.from(clientSecret).toString('hex'),
    ];
    const items = JSON.stringify(await allItems(), (_, value) =>
      value instanceof Uint8Array
        ? `${Buffer.from(value).toString('latin1')} ${Buffer.from(value).toString('hex')}`
        : value,
    );
    expect(written.join('')).toContain('provider_sign_in_refused');
    for (const text of encodings) {
      expect(written.join('')).not.toContain(text);
      expect(items).not.toContain(text);
    }
    const basic = Buffer.from(`${provider.client.clientId}:${clientSecret}`).toString('base64');
    expect(written.join('')).not.toContain(basic);
  });

  it('keep the secret if it is left out, unless the issuer or the client changes', async () => {
    const other = await startHostileProvider({ sub: 'ada', email_verified: true });
    try {
      const company = await openCompany(api, names, provider);
      const { owner, domain } = company;
      const { clientSecret: _, ...without } = settingsOf(provider, domain);
      provider.script = { person: { sub: `s-${domain}`, email: `ada@${domain}` } };
      await expectStatus(put(owner, { ...without, defaultRole: 'viewer' }), 200);
      await sessionThrough(api, company.slug);

      const renamed = await expectStatus(put(owner, { ...without, clientId: 'another' }), 200);
      expect(renamed.body.signIn.hasClientSecret).toBe(false);
      await expectStatus(put(owner, settingsOf(provider, domain)), 200);

      // A secret that stayed would be sent to whoever the new issuer is.
      for (const changes of [
        { issuer: other.url },
        { clientId: other.client.clientId },
        { issuer: `${provider.url}/` },
      ]) {
        const answer = await put(owner, { ...without, ...changes });
        if (answer.status === 200) {
          other.script = { person: { sub: `s-${domain}`, email: `ada@${domain}` } };
          await signIn(api, openBrowser(), company.slug).catch(() => undefined);
        } else expect(answer.status).toBe(400);
        const sent = [...other.received, ...provider.received]
          .filter(({ path }) => path.startsWith('/token'))
          .slice(-1);
        if (answer.status === 200 && changes.clientId === undefined) {
          const text = JSON.stringify(other.received.map(({ headers, body }) => [headers, body.toString()]));
          expect(text).not.toContain(provider.client.clientSecret);
          const basic = Buffer.from(`${without.clientId}:${provider.client.clientSecret}`).toString('base64');
          expect(text).not.toContain(basic);
        }
        expect(sent.length).toBeLessThanOrEqual(1);
        await expectStatus(put(owner, settingsOf(provider, domain)), 200);
      }
    } finally {
      provider.script = {};
      await other.stop();
    }
  });

  it('keep the secret and the proof of the domain unless the issuer or the client changes', async () => {
    const { owner, domain } = await openCompany(api, names, provider);
    const { clientSecret: _, ...without } = settingsOf(provider, domain);
    const kept = (await expectStatus(put(owner, { ...without, defaultRole: null }), 200)).body.signIn;
    expect(kept).toMatchObject({ hasClientSecret: true, domains: [{ verified: true }], defaultRole: null });
    const dropped = (await expectStatus(put(owner, { ...without, clientId: 'another' }), 200)).body.signIn;
    expect(dropped).toMatchObject({ hasClientSecret: false, domains: [{ verified: false }] });
  });

  it('can’t be read or changed by others, with an old session, or with an unverified address', async () => {
    const company = await openCompany(api, names, provider);
    const { owner, domain } = company;
    const [stranger, admin] = [await newOwner(), await newOwner()];
    await join(api, owner, admin, 'admin');
    const requests = (as: Person['session']) => [
      api.get(settingsPath(owner), as),
      api.put(settingsPath(owner), settingsOf(provider, domain), as),
      api.post(`${settingsPath(owner)}/domains/verify`, { domain }, as),
      api.delete(settingsPath(owner), as),
    ];

    for (const answer of await Promise.all(requests(stranger.session))) {
      expect(codeOf(answer)).toBe('404 organization_not_found');
    }
    for (const answer of await Promise.all(requests(admin.session))) expect(codeOf(answer)).toBe('403 forbidden');
    await ageSession(owner, 601);
    for (const answer of await Promise.all(requests(owner.session)))
      expect(codeOf(answer)).toBe('403 step_up_required');
    await ageSession(owner, 0);
    expect((await read(owner)).signIn.domains).toMatchObject([{ verified: true }]);

    const unverified = await seedPerson();
    expect(codeOf(await put(unverified, settingsOf(provider, newDomain())))).toBe('403 email_not_verified');
  });

  it('can’t be changed by a token that is limited to a project or may not write', async () => {
    const owner = await newOwner();
    const body = settingsOf(provider, newDomain());
    for (const access of ['read', 'write']) {
      const as = await createToken(api, owner, { access });
      expect(codeOf(await api.put(settingsPath(owner), body, as))).toBe('403 insufficient_scope');
      expect(codeOf(await api.delete(settingsPath(owner), as))).toBe('403 insufficient_scope');
    }
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
    expect(codeOf(await put(owner, { ...settingsOf(provider, newDomain()), ...changes }))).toBe('400 invalid_request');
    expect((await read(owner)).signIn).toBeNull();
    expect(await actions(owner)).toEqual([]);
  });

  it('of a provider that is not set can’t be verified or removed', async () => {
    const owner = await newOwner();
    const answers = [
      await api.post(`${settingsPath(owner)}/domains/verify`, { domain: newDomain() }, owner.session),
      await api.delete(settingsPath(owner), owner.session),
    ];
    for (const { status } of answers.slice(0, 1)) expect(status).toBeGreaterThanOrEqual(400);
    expect(answers[1]?.status).toBeLessThan(500);
    expect(await actions(owner)).toEqual([]);
  });

  it('removed twice, or at once, are recorded as removed once; nobody can start any more', async () => {
    const { owner, slug, domain } = await openCompany(api, names, provider);
    const answers = await Promise.all([1, 2, 3].map(() => api.delete(settingsPath(owner), owner.session)));

    for (const { status } of answers) expect(status).toBeLessThan(500);
    expect((await actions(owner)).filter(action => action === 'sign_in.removed')).toHaveLength(1);
    expect((await read(owner)).signIn).toBeNull();
    expect((await signIn(api, openBrowser(), slug)).error).toBe('provider_not_configured');
    const { methods } = (await api.get(`/auth/sign-in?email=nobody@${domain}`)).body;
    expect(methods).toEqual(['password', 'passkey']);
  });
});

describe('a domain', () => {
  const verify = (owner: Person, domain: string) =>
    api.post(`${settingsPath(owner)}/domains/verify`, { domain }, owner.session);
  async function withDomain(domain = newDomain()) {
    const owner = await newOwner();
    const { body } = await expectStatus(put(owner, settingsOf(provider, domain)), 200);
    return { owner, domain, record: body.signIn.domains[0].txtRecord as string };
  }

  it('is verified by its record, among others and in several strings, and recorded once', async () => {
    const { owner, domain, record } = await withDomain();
    names.set(domain, [
      ['v=spf1 include:mail.example ~all'],
      ['something', ' else'],
      [record.slice(0, 10), record.slice(10)],
    ]);

    const answer = await expectStatus(verify(owner, domain.toUpperCase()), 200);

    expect(answer.body.signIn.domains).toMatchObject([{ domain, verified: true }]);
    await expectStatus(verify(owner, domain), 200);
    expect((await actions(owner)).filter(action => action === 'sign_in.domain_verified')).toHaveLength(1);
  });

  it('stays verified without its record until it is dropped', async () => {
    const { owner, domain, record } = await withDomain();
    names.set(domain, [[record]]);
    await expectStatus(verify(owner, domain), 200);
    names.set(domain, 'no such name');

    await expectStatus(put(owner, settingsOf(provider, domain, { defaultRole: null })), 200);
    expect((await read(owner)).signIn.domains).toMatchObject([{ domain, verified: true }]);
    const other = newDomain();
    await expectStatus(put(owner, settingsOf(provider, other)), 200);
    await expectStatus(put(owner, settingsOf(provider, domain)), 200);
    expect((await read(owner)).signIn.domains).toMatchObject([{ domain, verified: false }]);
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
    expect((await read(owner)).signIn.domains).toMatchObject([{ domain, verified: false }]);
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
    const { body } = await put(three, settingsOf(provider, domain, { domains: [domain, newDomain()] }));
    const records = [one.record, two.record, ...body.signIn.domains.map((of: { txtRecord: string }) => of.txtRecord)];

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
    expect((await read(two.owner)).signIn.domains).toMatchObject([{ verified: false }]);
    await expectStatus(api.delete(settingsPath(one.owner), one.owner.session), 200);
    expect(codeOf(await verify(two.owner, domain))).toBe('200 ok');
    await expectStatus(put(one.owner, settingsOf(provider, domain)), 200);
    const { txtRecord } = (await read(one.owner)).signIn.domains[0];
    names.set(domain, [[txtRecord], [two.record]]);
    expect(codeOf(await verify(one.owner, domain))).toBe('409 domain_taken');
    expect((await api.get(`/auth/sign-in?email=a@${domain}`)).body.organization.slug).toBe(two.owner.organization.slug);
  });

  it('is verified for one of two organizations that ask at once', async () => {
    for (let round = 0; round < 5; round += 1) {
      const domain = newDomain();
      const both = [await withDomain(domain), await withDomain(domain)];
      names.set(
        domain,
        both.map(({ record }) => [record]),
      );

      const answers = await Promise.all(both.map(({ owner }) => verify(owner, domain)));

      expect(answers.map(codeOf).toSorted()).toEqual(['200 ok', '409 domain_taken']);
      const verified = await Promise.all(both.map(async ({ owner }) => (await read(owner)).signIn.domains[0].verified));
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

    await expect.poll(async () => codeOf(await verify(two.owner, domain)), { timeout: 20_000 }).toBe('200 ok');
  });

  it('is neither verified nor lost if it is dropped and verified at once', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { owner, domain, record } = await withDomain();
      names.set(domain, [[record]]);
      const other = newDomain();

      await Promise.all([verify(owner, domain), put(owner, settingsOf(provider, other))]);

      // Whatever came first: a domain that is not in the settings is free.
      const next = await withDomain(domain);
      names.set(domain, [[next.record]]);
      const inSettings = (await read(owner)).signIn.domains.map((one: { domain: string }) => one.domain);
      expect(inSettings).toEqual([other]);
      expect(codeOf(await verify(next.owner, domain))).toBe('200 ok');
    }
  });
});
