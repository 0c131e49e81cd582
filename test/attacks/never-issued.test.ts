import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { chunksOf } from '#lib/core/chunks-of.ts';
import { base62, crc32, createCredential, hasValidMac, readCredential, tokenPrefix } from '#lib/crypto/credentials.ts';
import { type Caller, codeOf, createProject, createToken, useApi } from '../support/api.ts';
import { recordRequest, startObservedApi } from '../support/observed-api.ts';
import { type Person, seedPerson } from '../support/people.ts';
import { countsOf } from '../support/record-calls.ts';
import { expectStatus } from '../support/sample-requests.ts';

const api = useApi(startObservedApi);
let victim: Person;
let secrets: string;
let token: { token: string };
beforeAll(async () => {
  victim = await seedPerson();
  await createProject(api, victim);
  secrets = `/secrets/${victim.organization.slug}/shop/production`;
  for (let part = 0; part < 3; part += 1) {
    const many = Array.from({ length: 20 }, (_, index) => ({ key: `K_${part}_${index}`, value: 'x'.repeat(60_000) }));
    await expectStatus(api.post(`${secrets}/bulk`, { secrets: many }, victim.session), 200);
  }
  token = await createToken(api, victim);
  await expectStatus(api.get(secrets, token), 200);
});

const forged = (userId = victim.user.id) => ({ token: createCredential(userId, tokenPrefix).secret });
/** The text with its checksum, which anyone can compute. */
const resealed = (body: string) => body + base62(BigInt(crc32(body)), 6);

/** One forged credential of each shape that is possible without the installation's key. */
function forgeries(genuine: string, session: string): Caller[] {
  const body = genuine.slice(0, -6);
  const digits = body.slice(tokenPrefix.length);
  const changed = Math.floor(Math.random() * 32);
  const other = digits[changed] === 'A' ? 'B' : 'A';
  const key = new Uint8Array(32).fill(1 + Math.floor(Math.random() * 200));
  const stranger = createCredential(randomUUID()).secret.slice(32, 54);
  const cookie = (secret: string) => ({ cookie: `__service_session=${secret}` });
  return [
    forged(),
    forged(randomUUID()),
    cookie(createCredential(victim.user.id).secret),
    { token: createCredential(victim.user.id, tokenPrefix, key).secret },
    cookie(createCredential(victim.user.id, '', key).secret),
    // A genuine credential with a different digit, MAC, user or purpose.
    { token: resealed(tokenPrefix + digits.slice(0, changed) + other + digits.slice(changed + 1)) },
    { token: resealed(tokenPrefix + digits.slice(0, 21) + forged().token.slice(33, 44) + digits.slice(32)) },
    { token: resealed(tokenPrefix + digits.slice(0, 32) + stranger) },
    { token: resealed(tokenPrefix + session.slice(0, -6)) },
    cookie(resealed(digits)),
    { token: genuine.slice(0, -1) },
    { token: `${genuine}0` },
    { token: genuine.toLowerCase() },
    { token: tokenPrefix },
    { token: `service_tok_${'~'.repeat(60)}` },
    cookie(''),
    cookie(genuine),
  ];
}

describe('a credential that was never issued', () => {
  it('costs no call, and so no read of the tenant in the path, even a thousand times and in any format', async () => {
    const session = victim.session.cookie.split('=')[1] as string;
    const all = Array.from({ length: 70 }, () => forgeries(token.token, session)).flat();
    expect(all.length).toBeGreaterThan(1000);
    for (const batch of chunksOf(60, all)) {
      const some = await Promise.all(batch.map(as => recordRequest(headers => api.get(secrets, as, headers))));
      expect(new Set(some.map(({ answer }) => answer.status))).toEqual(new Set([401]));
      expect(some.flatMap(({ calls }) => calls)).toEqual([]);
    }
  });

  it('never has its body parsed: the response does not depend on it', async () => {
    const answer = await api.call('PUT', secrets, { as: forged(), body: '['.repeat(4_800_000) });

    expect(codeOf(answer)).toBe('401 unauthenticated');
  });

  it('is detected by a MAC that only the installation’s key can produce', () => {
    const { token: genuine } = token;
    expect(hasValidMac(genuine, tokenPrefix, new Uint8Array(32))).toBe(false);
    const key = new Uint8Array(32).fill(7);
    const { secret } = createCredential(victim.user.id, tokenPrefix, key);
    expect(hasValidMac(secret, tokenPrefix, key)).toBe(true);
    expect(readCredential(secret, tokenPrefix)?.userId).toBe(victim.user.id);
    const other = createCredential(randomUUID(), tokenPrefix, key).secret;
    const mixed = tokenPrefix + other.slice(12, 44) + secret.slice(44, 66);
    expect(hasValidMac(mixed, tokenPrefix, key)).toBe(false);
  });
});

it('a stranger causes one read of a tenant’s data, and from then on is authorized before any read', async () => {
  const stranger = await seedPerson();

  const first = await recordRequest(headers => api.get(secrets, stranger.session, headers));
  const second = await recordRequest(headers => api.get(secrets, stranger.session, headers));

  expect([first.answer.status, second.answer.status]).toEqual([404, 404]);
  expect(JSON.stringify(second.calls.map(({ input }) => input))).not.toContain('"ENV#');
  expect(countsOf(second.calls).readUnits).toBeLessThan(6);
});
