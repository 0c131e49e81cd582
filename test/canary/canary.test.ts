import { createHash, randomBytes } from 'node:crypto';
import type { SQSEvent } from 'aws-lambda';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { totpCode, totpStep } from '#lib/crypto/totp.ts';
import { type Answer, type Caller, sessionOf, startApi, useApi } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { shared } from '../support/fixtures.ts';
import { scanTable } from '../support/invariants.ts';
import { identityOf, makeSigningKey, signToken } from '../support/issuer.ts';
import { numbered } from '../support/numbered.ts';
import { type Conductor, conductedHandlers } from '../support/observe-calls.ts';
import { seedPerson, testPassword } from '../support/people.ts';
import { startReceiver } from '../support/receiver.ts';
import { mailedToken } from '../support/sample-requests.ts';
import { samples, send } from '../support/samples.ts';
import { fromBase32 } from '../support/second-factors.ts';
import { secretsIn, textOfItem } from './find-secrets.ts';

/* Sends every kind of secret as a unique text, accepted, rejected and misplaced, then searches all that was written. */
const values = new Map<string, string>();
const passwords = new Map<string, string>();
const credentials = new Map<string, string>();
const linkTokens = new Map<string, string>();
const factors = new Map<string, string>();
/** The plaintext data keys from KMS, in Base64. */
const dataKeys = new Map<string, string>();

function canary(kind: Map<string, string>, name: string): string {
  const text = `canary ${name} ${randomBytes(9).toString('hex')}`;
  kind.set(name, text);
  return text;
}

const answers: { request: string; answer: Answer }[] = [];
const logged: string[] = [];
const queued: string[] = [];
const contexts: string[] = [];
let requests = 0;
let messages = 0;
const handled = new Set<string>();

const observer: Conductor = {
  async call({ service, input }, proceed) {
    if (service === 'SQS') {
      queued.push(JSON.stringify(input));
      messages += input.Entries?.length ?? 1;
    }
    if (service === 'KMS') contexts.push(JSON.stringify(input.EncryptionContext));
    const result = (await proceed()) as { output?: { Plaintext?: Uint8Array } };
    const plain = result?.output?.Plaintext;
    if (service === 'KMS' && plain?.length === 32) {
      dataKeys.set(`data key ${dataKeys.size}`, Buffer.from(plain).toString('latin1'));
    }
    return result;
  },
};

const receiver = shared(startReceiver);
const output = shared(captureOutput);
const api = useApi(() =>
  startApi(
    { LOG_LEVEL: 'TRACE' },
    conductedHandlers(({ area }, event) => {
      if (area !== 'workers') requests += 1;
      for (const { messageId } of (event as Partial<SQSEvent>).Records ?? []) handled.add(messageId);
      return observer;
    }),
  ),
);

beforeAll(async () => {
  await driveSecrets();
  await driveSamples();
  // Webhooks and metrics arrive a moment later.
  await eventually(async () => {
    expect(receiver.received.length).toBeGreaterThanOrEqual(5);
    expect(handled.size).toBeGreaterThanOrEqual(messages);
    const hours = (await scanTable()).filter(({ kind }) => kind === 'routeHour');
    expect(hours.reduce((sum, hour) => sum + Number(hour.requests), 0)).toBeGreaterThanOrEqual(requests);
  });
  output.stop();
});

function captureOutput(): { stop: () => void } {
  const streams = [process.stdout, process.stderr] as const;
  const writes = streams.map(stream => stream.write);
  for (const stream of streams) {
    stream.write = (chunk: string | Uint8Array) => {
      logged.push(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString());
      return true;
    };
  }
  const methods = ['log', 'info', 'warn', 'error', 'debug', 'trace'] as const;
  // Output that bypasses the logger goes to the console, which the test runner replaces.
  const spies = methods.map(name =>
    vi.spyOn(console, name).mockImplementation((...parts: unknown[]) => {
      logged.push(parts.map(part => (part instanceof Error ? String(part.stack) : String(part))).join(' '));
    }),
  );
  return {
    stop: () => {
      for (const [index, stream] of streams.entries()) stream.write = writes[index] as typeof stream.write;
      for (const spy of spies) spy.mockRestore();
    },
  };
}

async function call(method: string, path: string, as?: Caller, body?: unknown, headers?: Record<string, string>) {
  const answer = await api.call(method, path, { as, body, headers });
  answers.push({ request: `${method} ${path}`, answer });
  return answer;
}

async function driveIdentity(orgId: string, organizationSlug: string, session: Caller): Promise<void> {
  const key = await makeSigningKey();
  const issuer = { url: 'https://issuer.example.com' };
  const body = identityOf(issuer, { jwks: { keys: [key.publicJwk] } });
  const { id: identityId } = (await call('POST', `/identities/${orgId}`, session, body)).body.identity;
  for (const [name, claims] of [
    ['assertion', {}],
    ['assertion from elsewhere', { repository_id: '75' }],
    ['old assertion', { iat: 1, exp: 2 }],
  ] as const) {
    const subjectToken = await signToken(issuer, key, identityId, claims);
    credentials.set(name, subjectToken);
    for (let time = 0; time < 2; time += 1) {
      const answer = await call('POST', '/auth/exchange', undefined, { identityId, organizationSlug, subjectToken });
      if (answer.status === 201) credentials.set('token of an identity', answer.body.token);
    }
  }
}

async function driveSecrets(): Promise<void> {
  const email = `${randomBytes(6).toString('hex')}@example.com`;
  const password = canary(passwords, 'password');
  const registered = await call('POST', '/auth/register', undefined, { email, password });
  const session = sessionOf(registered);
  credentials.set('session cookie', session.cookie.split('=')[1] as string);
  const { id, slug } = registered.body.organization;
  linkTokens.set('verification token', await mailedToken(api, email, 'Verify'));
  await call('POST', '/auth/register', undefined, { email, password });
  await call('POST', '/auth/register', undefined, { email: 'no address', password: canary(passwords, 'refused') });
  await call('POST', '/auth/login', undefined, { email, password: canary(passwords, 'wrong password') });
  await call('POST', '/auth/login', undefined, { email: password, password });
  const again = await call('POST', '/auth/login', undefined, { email, password });
  credentials.set('second session cookie', sessionOf(again).cookie.split('=')[1] as string);
  await call('POST', '/auth/change-password', session, {
    currentPassword: canary(passwords, 'wrong current password'),
    newPassword: canary(passwords, 'password that was not set'),
  });
  const changed = canary(passwords, 'changed password');
  await call('POST', '/auth/change-password', session, { currentPassword: password, newPassword: changed });
  await call('POST', '/auth/verify-email', undefined, { token: linkTokens.get('verification token') });
  await call('POST', '/auth/verify-email', undefined, { token: canary(linkTokens, 'unknown link token') });
  await call('POST', '/auth/forgot-password', undefined, { email });
  linkTokens.set('reset token', await mailedToken(api, email, 'Reset'));
  const token = { token: (await call('POST', '/auth/token', session, { name: 'cli' })).body.token as string };
  credentials.set('token', token.token);
  const codeVerifier = canary(credentials, 'code verifier').replaceAll(' ', '-').padEnd(50, 'x');
  credentials.set('code verifier', codeVerifier);
  const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url');
  const offered = await call('POST', '/auth/cli-auth', session, { codeChallenge, name: 'cli' });
  credentials.set('hand-off code', offered.body.code);
  const taken = await call('POST', '/auth/cli-auth', undefined, { code: offered.body.code, codeVerifier });
  credentials.set('handed-off token', taken.body.token);
  await call('POST', '/auth/cli-auth', undefined, { code: offered.body.code, codeVerifier });
  await driveIdentity(id, slug, session);
  await call('GET', '/auth/me', { token: canary(credentials, 'junk token') });
  await driveSecondFactors();
  await call('GET', '/auth/me', { cookie: `__service_session=${randomBytes(30).toString('base64url')}` });

  await call('POST', `/projects/${id}`, session, { name: 'Shop', slug: 'shop' });
  const hook = { url: `${receiver.url}/hook`, events: ['secret.created', 'secret.updated', 'secret.bulk_set'] };
  const webhook = await call('POST', `/webhooks/${id}`, session, hook);
  credentials.set('signing secret', webhook.body.signingSecret);
  await call('POST', `/webhooks/${id}`, session, {
    ...hook,
    url: `https://user:${canary(values, 'url password').replaceAll(' ', '-')}@example.com/`,
  });
  const dev = `/secrets/${slug}/shop/dev`;
  const value = canary(values, 'value');
  await call('PUT', dev, session, { key: 'ONE', value });
  await call('PUT', dev, token, { key: 'ONE', value: canary(values, 'second value') });
  await call('POST', `${dev}/bulk`, token, { secrets: { TWO: canary(values, 'imported value') } });
  await call('POST', `${dev}/bulk`, token, { dotenv: `THREE="${canary(values, 'dotenv value')}"\nbroken` });
  await call('POST', `${dev}/bulk`, token, { dotenv: `THREE='${canary(values, 'dotenv value kept')}'` });
  const many = numbered(120, index => canary(values, `many ${index}`), 'MANY_');
  await call('POST', `${dev}/bulk`, token, { secrets: many });
  // Each is rejected in a different way, with the value in it.
  const refused = canary(values, 'refused value');
  await call('PUT', dev, session, { key: '1 wrong', value: refused });
  await call('PUT', dev, session, { key: 'ONE', value: { nested: refused } });
  await call('PUT', dev, session, { key: 'ONE', value: refused, [refused.replaceAll(' ', '_')]: 1 });
  await call('PUT', dev, session, { key: 'ONE', value: refused, expectedVersion: 99 });
  await call('PUT', dev, session, { key: 'ONE', value: refused }, { 'if-match': '"99"' });
  await call('PUT', dev, session, { key: 'ONE', value: `${refused}\ud800` });
  await call('PUT', dev, session, `{"key": "ONE", "value": "${refused}" `);
  await call('PUT', dev, session, `{"key": "ONE", "value": "${refused}", "value": "x"}`);
  await call('PUT', dev, session, { key: 'ONE', value: refused.padEnd(70_000, refused) });
  await call('PUT', dev, session, { key: 'ONE', value: refused }, { 'content-type': 'text/plain' });
  await call('PUT', dev, undefined, { key: 'ONE', value: refused });
  await call('PUT', `/secrets/${slug}/nope/dev`, session, { key: 'ONE', value: refused });
  await call('POST', `/templates/${slug}/shop`, session, { key: 'ONE', pattern: '[a-z]+' });
  await call('GET', `/templates/${slug}/shop/validate/dev`, session);
  await call('GET', dev, token);
  await call('GET', `${dev}/versions/ONE?values=true`, token);
  await call('POST', `/secrets/${slug}/shop/promote`, session, { from: 'dev', to: 'staging', keys: ['ONE'] });
  await call('POST', `${dev}/bulk-delete`, session, { keys: ['TWO'] });
  await call('DELETE', `${dev}/ONE`, session);
  await call('POST', `/projects/${id}/shop/rotate-key`, session);

  const guest = await seedPerson();
  const invited = await call('POST', `/members/${id}/invite`, session, { email: guest.email, role: 'viewer' });
  linkTokens.set('invitation token', invited.body.token);
  await call('POST', `/members/invite/${invited.body.token}/accept`, guest.session);
  await call('POST', `/members/invite/${invited.body.token}/accept`, guest.session);
  await call('GET', `/audit/${id}?limit=500`, session);
  await call('POST', '/auth/reset-password', undefined, {
    token: linkTokens.get('reset token'),
    newPassword: canary(passwords, 'reset password'),
  });
}

async function driveSecondFactors(): Promise<void> {
  const { session, email } = await seedPerson();
  const started = await call('POST', '/auth/totp', session);
  const secret = started.body.secret as string;
  factors.set('secret of an authenticator app', secret);
  factors.set('bytes of that secret', fromBase32(secret).toString('latin1'));
  const code = totpCode(fromBase32(secret), totpStep(Date.now()));
  const { recoveryCodes } = (await call('POST', '/auth/totp/confirm', session, { code })).body;
  for (const [index, recoveryCode] of recoveryCodes.entries()) {
    factors.set(`recovery code ${index}`, recoveryCode);
    factors.set(`recovery code ${index} without hyphens`, recoveryCode.replaceAll('-', ''));
  }
  const [used, unused] = recoveryCodes;
  for (const recoveryCode of [canary(factors, 'wrong recovery code'), used, used]) {
    const { challenge } = (await api.post('/auth/login', { email, password: testPassword })).body.error.details;
    factors.set(`challenge ${factors.size}`, challenge);
    await call('POST', '/auth/login/verify', undefined, { challenge, recoveryCode });
    await call('POST', '/auth/login/verify', undefined, { challenge: 'x', recoveryCode: `${unused} ${unused}` });
  }
}

/** Calls every operation once, for traces that only its own code could leave. */
async function driveSamples(): Promise<void> {
  for (const sample of samples) {
    const { request } = await sample.prepare(api);
    answers.push({ request: sample.name, answer: await send(api, request) });
    if (request.as === undefined) continue;
    if ('token' in request.as) credentials.set(`token of ${sample.name}`, request.as.token);
    else credentials.set(`cookie of ${sample.name}`, request.as.cookie.split('=')[1] as string);
  }
}

const everything = () => new Map([...values, ...passwords, ...credentials, ...linkTokens, ...dataKeys, ...factors]);

describe('no secret', () => {
  it('is missing from the search', () => {
    expect(values.size).toBeGreaterThan(120);
    expect(passwords.size).toBe(7);
    expect(linkTokens.size).toBe(4);
    expect(credentials.size).toBeGreaterThan(30);
    expect(factors.size).toBe(26);
    expect(dataKeys.size).toBeGreaterThan(5);
    expect(credentials.has('token of an identity')).toBe(true);
    expect([...everything().values()].every(secret => secret.length >= 20)).toBe(true);
    expect(secretsIn(Buffer.from(`x${values.get('value')}`).toString('base64'), values)).toEqual(['value']);
  });

  it('is in the table, in plain text or encoded', async () => {
    const items = await scanTable();
    expect(items.length).toBeGreaterThan(500);
    const texts = items.map(item => ({ kind: item.kind, text: textOfItem(item) }));
    // One search of everything; only matches are looked up item by item, to report where they are.
    const all = everything();
    const found = secretsIn(texts.map(({ text }) => text).join('\n'), all);
    const leaked = new Map([...all].filter(([name]) => found.includes(name)));
    expect(texts.flatMap(({ kind, text }) => secretsIn(text, leaked).map(name => `${kind}: ${name}`))).toEqual([]);
    expect(found).toEqual([]);
  });

  it('is in the log', () => {
    const text = logged.join('\n');
    // The log exists and is not empty.
    expect(text).toContain('logged_in');
    expect(secretsIn(text, everything())).toEqual([]);
  });

  it('is in a queue message or in KMS’s records', () => {
    expect(queued.length).toBeGreaterThan(3);
    expect(secretsIn(queued.join('\n'), everything())).toEqual([]);
    expect(secretsIn(contexts.join('\n'), everything())).toEqual([]);
  });

  it('is in a webhook delivery', () => {
    expect(receiver.received.length).toBeGreaterThan(3);
    const text = receiver.received.map(({ headers, body }) => `${JSON.stringify(headers)} ${body}`).join('\n');
    expect(secretsIn(text, everything())).toEqual([]);
  });

  it('is in an e-mail, except for the link that the e-mail is for', async () => {
    const mails = await api.mails();
    const text = mails.map(mail => JSON.stringify(mail)).join('\n');
    expect(secretsIn(text, new Map([...values, ...passwords, ...credentials, ...dataKeys, ...factors]))).toEqual([]);
    for (const [name, subject] of [
      ['verification token', /verif|confirm/i],
      ['reset token', /password/i],
      ['invitation token', /invit/i],
    ] as const) {
      const holding = mails.filter(mail => JSON.stringify(mail).includes(linkTokens.get(name) ?? '?'));
      expect(holding.length, name).toBe(1);
      expect(holding[0]?.subject).toMatch(subject);
    }
  });

  it('is returned in an error', () => {
    const errors = answers.filter(({ answer }) => answer.status >= 400);
    expect(errors.length).toBeGreaterThan(15);
    const all = everything();
    expect(
      errors.flatMap(({ request, answer }) => {
        // A browser that comes from a provider gets an error in the address that it is sent to.
        const shown = JSON.stringify([answer.body, answer.headers.get('location')]);
        return secretsIn(shown, all).map(name => [request, name]);
      }),
    ).toEqual([]);
  });

  it('is returned where it does not belong', () => {
    const others = new Map([...passwords, ...dataKeys]);
    for (const [name, secret] of credentials)
      if (name.includes('cookie') || name === 'code verifier') others.set(name, secret);
    for (const [name, secret] of linkTokens) if (name !== 'invitation token') others.set(name, secret);
    const holding = (secrets: ReadonlyMap<string, string>) =>
      answers.filter(({ answer }) => secretsIn(JSON.stringify(answer.body ?? null), secrets).length > 0);
    expect(holding(others)).toEqual([]);
    const requests = (secrets: ReadonlyMap<string, string>) => [
      ...new Set(holding(secrets).map(({ request }) => request)),
    ];
    expect(requests(new Map([['signing secret', credentials.get('signing secret') ?? '']]))).toHaveLength(1);
    expect(requests(new Map([['token', credentials.get('token') ?? '']]))).toEqual(['POST /auth/token']);
    const read = requests(values).map(request => request.replace(/\/secrets\/[^/]+/, '/secrets'));
    expect(read).toEqual(['GET /secrets/shop/dev', 'GET /secrets/shop/dev/versions/ONE?values=true']);
  });
});
