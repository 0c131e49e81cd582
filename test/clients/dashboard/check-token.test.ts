import { SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { checkToken } from '#clients/dashboard/src/screens/organization/identities/check-token.ts';
import { platformOf } from '#clients/dashboard/src/screens/organization/identities/platforms.ts';
import { audienceOf } from '#lib/contracts/fields/identity-limits.ts';

const identity = {
  issuer: 'https://token.actions.githubusercontent.com',
  audience: audienceOf('a4c7e10b-52d9-8f36-b18e-6d03f9a2c754'),
  claims: { repository_id: '74', ref: ['refs/heads/main', 'refs/heads/release'] },
  maxAssertionAgeMinutes: 10,
};
const now = Date.parse('2026-01-31T09:00:00Z');
const seconds = now / 1000;

const token = (claims: Record<string, unknown>) =>
  new SignJWT({
    iss: identity.issuer,
    aud: identity.audience,
    iat: seconds - 120,
    exp: seconds + 180,
    repository_id: '74',
    ref: 'refs/heads/main',
    ...claims,
  })
    .setProtectedHeader({ alg: 'HS256' })
    .sign(new Uint8Array(32));

const check = async (claims: Record<string, unknown> = {}) => checkToken(await token(claims), identity, now) ?? [];
const failed = async (claims: Record<string, unknown>) =>
  (await check(claims)).filter(({ passes }) => !passes).map(({ id }) => id);

describe('a pasted token', () => {
  it('is compared claim by claim', async () => {
    expect(await check({ ref: 'refs/heads/feature-ü' })).toEqual([
      { id: 'iss', required: identity.issuer, found: identity.issuer, passes: true },
      { id: 'aud', required: `${identity.audience} alone`, found: identity.audience, passes: true },
      { id: 'iat', required: 'issued at most 10 minutes ago', found: 'issued 2 minutes ago', passes: true },
      { id: 'exp', required: 'not expired', found: 'valid for 3 minutes', passes: true },
      { id: 'repository_id', required: '74', found: '74', passes: true },
      {
        id: 'ref',
        required: 'refs/heads/main or refs/heads/release',
        found: 'refs/heads/feature-ü',
        passes: false,
      },
    ]);
  });

  it.each([
    ['another issuer', { iss: 'https://gitlab.com' }, ['iss']],
    ['a second audience', { aud: [identity.audience, 'sts.amazonaws.com'] }, ['aud']],
    ['its only audience in a list', { aud: [identity.audience] }, []],
    ['too much age', { iat: seconds - 661 }, ['iat']],
    ['an age within the clock skew', { iat: seconds - 659 }, []],
    ['an issue time in the future', { iat: seconds + 61 }, ['iat']],
    ['no issue time', { iat: undefined }, ['iat']],
    ['an end in the past', { exp: seconds - 60 }, ['exp']],
    ['a start in the future', { nbf: seconds + 61 }, ['nbf']],
    ['a start within the clock skew', { nbf: seconds + 59 }, []],
    ['a start in the past', { nbf: seconds - 120 }, []],
    ['a start that is not a number', { nbf: '1' }, ['nbf']],
    ['a number in place of text', { repository_id: 74 }, ['repository_id']],
    ['no such claim', { repository_id: undefined }, ['repository_id']],
    ['a pull request as its event', { event_name: 'pull_request_target' }, ['event_name']],
    ['a push as its event', { event_name: 'push' }, []],
  ])('with %s fails where the service would reject it', async (_, claims, expected) => {
    expect(await failed(claims)).toEqual(expected);
  });

  it.each(['', 'token', 'a.b', 'a.b.c', 'a.bnVsbA.c', 'a.WzFd.c', 'a.b.c.d', `${'x'.repeat(20_000)}.y.z`])(
    'is told apart from other text: %s',
    text => {
      expect(checkToken(text, identity, now)).toBeUndefined();
    },
  );

  it('may be surrounded by white space, as copied from a terminal', async () => {
    expect(checkToken(` ${await token({})}\n`, identity, now)).toHaveLength(6);
  });
});

describe('the platform of an identity', () => {
  const issuer = 'https://issuer.example.com';

  it.each([
    ['gitHub', { issuer: identity.issuer, claims: {} }],
    ['gitLab', { issuer, claims: { project_id: '1', ref_protected: 'true' } }],
    ['kubernetes', { issuer, claims: { '/kubernetes.io/namespace': 'shop' } }],
    ['aws', { issuer, claims: { sub: 'arn', '/https:~1~1sts.amazonaws.com~1/aws_account': '1' } }],
    ['google', { issuer: 'https://accounts.google.com', claims: { sub: '1' } }],
    ['terraform', { issuer: 'https://app.eu.terraform.io', claims: { terraform_workspace_id: 'ws-1' } }],
    ['another', { issuer, claims: { sub: 'a', tenant: 'b' } }],
  ])('is %s by its issuer or claims', (name, trust) => {
    expect(platformOf(trust)).toBe(name);
  });
});
