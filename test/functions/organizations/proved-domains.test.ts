import { describe, expect, it } from 'vitest';
import type { Key } from '#lib/table/entity.ts';
import { keys, ranges } from '#lib/table/keys.ts';
import { at, find, queryItems } from '#lib/table/read.ts';
import { domainRecord } from '#lib/table/records/sign-in.ts';
import { removeAll, transact, update } from '#lib/table/write.ts';
import { codeOf } from '#test/support/api.ts';
import { atOnce } from '#test/support/at-once.ts';
import { type Person, seedPerson } from '#test/support/people.ts';
import { expectStatus } from '#test/support/sample-requests.ts';
import { openBrowser } from '#test/support/sign-in/browser.ts';
import { type Company, useSignIn } from '#test/support/sign-in/scene.ts';
import {
  newDomain,
  openCompany,
  sessionThrough,
  settingsOf,
  settingsPath,
  signIn,
  verifyDomain,
} from '#test/support/sign-in/sign-in.ts';

/* A TXT record proves a domain only while it is there. */

const { api, names, provider } = useSignIn({ sub: 'nobody', email_verified: true });
const hour = 60 * 60 * 1000;
const methodsOf = async (domain: string): Promise<string[]> =>
  (await expectStatus(api.get(`/auth/sign-in?email=somebody@${domain}`), 200)).body.methods;
const domainsOf = async ({ owner }: { owner: Person }) =>
  (await expectStatus(api.get(settingsPath(owner), owner.session), 200)).body.signIn.domains;
const open = (changes: Record<string, unknown> = {}) => openCompany(api, names, provider, changes);
const set = (owner: Person, domain: string, changes: Record<string, unknown> = {}) =>
  expectStatus(api.put(settingsPath(owner), settingsOf(provider, domain, changes), owner.session), 200);
const verify = async (owner: Person, domain: string) =>
  codeOf(await api.post(`${settingsPath(owner)}/domains/verify`, { domain }, owner.session));
const countQueries = (domain: string) => names.asked.filter(name => name === domain).length;
const mailsAbout = async (domain: string, { owner }: Company) =>
  (await api.mails()).filter(({ to, text }) => to === owner.email && text.includes(domain));
const recordOf = async (owner: Person, name: string): Promise<string> =>
  (await domainsOf({ owner })).find(({ domain }: { domain: string }) => domain === name).txtRecord;

/** As if the record was last seen so many hours ago. */
async function age({ domain }: Company, hours: number): Promise<void> {
  const verifiedAt = new Date(Date.now() - hours * hour).toISOString();
  const set = { verifiedAt, lookedUpAt: undefined, answeredAt: undefined };
  await transact([update(at(domainRecord, domain), { set })]);
}

let hired = 0;
async function signInSomebodyNew({ slug, domain }: Company) {
  hired += 1;
  const email = `new-${hired}@${domain}`;
  provider.script = { person: { sub: email, email, email_verified: true } };
  return signIn(api, openBrowser(), slug);
}

describe('a proof older than a day', () => {
  it('is renewed by a look-up, and counts again', async () => {
    const company = await open();
    await age(company, 48);
    const countBefore = countQueries(company.domain);

    expect((await signInSomebodyNew(company)).session).toBeDefined();
    const countAfter = countQueries(company.domain);
    expect(countAfter).toBeGreaterThan(countBefore);
    expect(await methodsOf(company.domain)).toContain('provider');
    expect((await signInSomebodyNew(company)).session).toBeDefined();
    expect(countQueries(company.domain)).toBe(countAfter);
    const stored = await find(at(domainRecord, company.domain));
    expect(Date.parse(stored?.verifiedAt ?? '')).toBeGreaterThan(Date.now() - hour);
  });

  const uses = ['a first sign-in', 'the answer how an address signs in'];
  it.each(uses)('does not count for %s once the record is gone; linked people still get in', async what => {
    const company = await open();
    const { domain, owner } = company;
    expect((await signInSomebodyNew(company)).session).toBeDefined();
    const linked = provider.script;
    names.set(domain, [['v=spf1 -all']]);
    await age(company, 25);

    if (what === 'a first sign-in') {
      expect((await signInSomebodyNew(company)).error).toBe('domain_not_verified');
    } else expect(await methodsOf(domain)).not.toContain('provider');

    expect(await domainsOf(company)).toMatchObject([{ domain, verified: false }]);
    expect(await methodsOf(domain)).not.toContain('provider');
    expect((await signInSomebodyNew(company)).error).toBe('domain_not_verified');
    provider.script = linked;
    await sessionThrough(api, company.slug);
    const log = `/audit/${owner.organization.id}?action=sign_in.configured`;
    const { entries } = (await api.get(log, owner.session)).body;
    expect(entries[0]).toMatchObject({ actor: { type: 'system' }, details: { domain } });
    // Its owner can prove it again.
    await expectStatus(verifyDomain(api, owner, names, domain), 200);
    expect((await signInSomebodyNew(company)).session).toBeDefined();
  });

  it('is no proof for a new link to an account', async () => {
    const company = await open();
    const { session } = await signInSomebodyNew(company);
    const { email } = (await api.get('/auth/me', session)).body.user;
    provider.script = { person: { sub: 'another subject', email, email_verified: true } };
    names.set(company.domain, 'no such name');
    await age(company, 25);

    expect((await signIn(api, openBrowser(), company.slug)).error).toBe('domain_not_verified');
  });

  it.each(['failure', 'silence'] as const)('counts for seven days while the name servers are out: %s', async outage => {
    const company = await open();
    names.set(company.domain, outage);
    await age(company, 6 * 24);
    expect((await signInSomebodyNew(company)).session).toBeDefined();
    expect(await methodsOf(company.domain)).toContain('provider');

    await age(company, 8 * 24);
    expect((await signInSomebodyNew(company)).error).toBe('domain_not_verified');
    expect(await methodsOf(company.domain)).not.toContain('provider');
    // Nothing is lost: the record was not seen to be gone.
    expect(await domainsOf(company)).toMatchObject([{ verified: true }]);
  });

  it('is renewed by one look-up at a time, and at most one a minute', async () => {
    const company = await open();
    names.set(company.domain, 'failure');
    await age(company, 30);
    const countBefore = countQueries(company.domain);
    const answers = await atOnce(8, () => api.get(`/auth/sign-in?email=somebody@${company.domain}`));
    const once = countQueries(company.domain) - countBefore;

    for (const answer of answers) expect(['200 ok', '503 temporarily_unavailable']).toContain(codeOf(answer));
    expect(answers.map(codeOf)).toContain('200 ok');
    await methodsOf(company.domain);
    expect(countQueries(company.domain) - countBefore).toBe(once);
    await age(company, 30);
    await methodsOf(company.domain);
    expect(countQueries(company.domain) - countBefore).toBe(2 * once);
  });
});

describe('a domain', () => {
  it('of a thief who held it for a moment goes to its rightful owner, and the thief’s owners are told', async () => {
    const domain = newDomain();
    const thief = await open({ domain });
    const rightful = await seedPerson({ emailVerified: true });
    await set(rightful, domain);
    names.set(domain, [[await recordOf(rightful, domain)]]);

    expect(await verify(rightful, domain)).toBe('200 ok');
    expect((await api.get(`/auth/sign-in?email=a@${domain}`)).body.organization.slug).toBe(rightful.organization.slug);
    expect(await domainsOf(thief)).toMatchObject([{ verified: false }]);
    expect((await signInSomebodyNew(thief)).error).toBe('domain_not_verified');
    expect(await mailsAbout(domain, thief)).toHaveLength(1);
  });

  it('whose record was seen to be gone goes to whoever proves it next, with the same mail', async () => {
    const domain = newDomain();
    const former = await open({ domain });
    names.set(domain, 'no such name');
    await age(former, 25);
    expect(await methodsOf(domain)).not.toContain('provider');

    await open({ domain });

    expect(await mailsAbout(domain, former)).toHaveLength(1);
  });

  it('stays its holder’s while the holder’s record stands', async () => {
    const domain = newDomain();
    const holder = await open({ domain });
    const other = await seedPerson({ emailVerified: true });
    await set(other, domain);
    names.set(domain, [[await recordOf(holder.owner, domain)], [await recordOf(other, domain)]]);

    expect(await verify(other, domain)).toBe('409 domain_taken');
    await age(holder, 48);
    expect(await verify(other, domain)).toBe('409 domain_taken');
    expect(await domainsOf(holder)).toMatchObject([{ verified: true }]);
  });

  it('is not proved by the records of another name that it is an alias of', async () => {
    const domain = newDomain();
    const owner = await seedPerson({ emailVerified: true });
    await set(owner, domain);
    const record = await recordOf(owner, domain);
    names.set(domain, { aliasOf: 'thief.example', records: [[record]] });

    expect(await verify(owner, domain)).toBe('409 domain_not_verified');
    names.set(domain, [[record]]);
    expect(await verify(owner, domain)).toBe('200 ok');
  });

  const changes = [{ issuer: 'https://login.thief.example' }, { clientId: 'another-client' }];
  it.each(changes)('has to be proved again after a change of the provider: %o', async change => {
    const company = await open();
    const { owner, domain } = company;
    const [before] = await domainsOf(company);
    await set(owner, domain, change);

    const [after] = await domainsOf(company);
    expect(after).toMatchObject({ domain, verified: false });
    // The record that still stands was for the other provider.
    expect(after.txtRecord).not.toBe(before.txtRecord);
    expect(await verify(owner, domain)).toBe('409 domain_not_verified');
    expect(await methodsOf(domain)).not.toContain('provider');
  });

  it('stays verified when something else changes', async () => {
    const company = await open();
    await set(company.owner, company.domain, { defaultRole: 'viewer' });

    expect(await domainsOf(company)).toMatchObject([{ verified: true }]);
  });
});

describe('what a version without providers left of an organization that it erased', () => {
  /** Removes what such a version knew; the provider, the people it led to and the domain stay. */
  async function eraseAsBefore({ owner, slug }: Company): Promise<void> {
    const items = (await queryItems(ranges.organization(slug))) as unknown as Key[];
    const known = items.filter(({ sk }) => !/^(SIGNIN|PERSON#)/.test(sk));
    await removeAll([...known, keys.organizationPointer(owner.organization.id)]);
  }

  it('keeps neither the slug’s next holder from a provider and the domain, nor people from joining', async () => {
    const company = await open();
    const { slug, domain } = company;
    expect((await signInSomebodyNew(company)).session).toBeDefined();
    const person = provider.script;
    await eraseAsBefore(company);
    const next = await seedPerson({ emailVerified: true });
    const { organization } = (await expectStatus(api.post('/orgs', { name: 'Next', slug }, next.session), 201)).body;
    const owner = { ...next, organization };

    await set(owner, domain);
    const record = await recordOf(owner, domain);
    names.set(domain, [[record]]);
    expect(await verify(owner, domain)).toBe('200 ok');
    expect((await signInSomebodyNew(company)).session).toBeDefined();
    // The account that the earlier holder's provider made is its person's own by now.
    provider.script = person;
    expect((await signIn(api, openBrowser(), slug)).error).toBe('link_required');
    const { members } = (await expectStatus(api.get(`/members/${organization.id}`, next.session), 200)).body;
    expect(members).toHaveLength(2);
  });

  it('does not keep another organization from the domain, even while the record is still there', async () => {
    const company = await open();
    const { domain } = company;
    const record = await recordOf(company.owner, domain);
    await eraseAsBefore(company);
    const other = await seedPerson({ emailVerified: true });
    await set(other, domain);
    names.set(domain, [[record], [await recordOf(other, domain)]]);

    expect(await verify(other, domain)).toBe('200 ok');
  });
});
