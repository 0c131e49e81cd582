import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { untilEnd } from '#test/support/fixtures.ts';
import { startIam } from '#test/support/iam.ts';
import { hasPostgres, startPostgres } from '#test/support/postgres.ts';
import { expectStatus } from '#test/support/sample-requests.ts';
import { isInstalled, type Run, type World } from './world.ts';

/* Against a real PostgreSQL and an IAM that speaks AWS's protocol. Each is rotated twice. */

const place = '/secrets/acme/web-shop/staging';

const settingsOf = ({ origin, fullToken }: World) => ({
  HOLDFAST_URL: origin,
  HOLDFAST_TOKEN: fullToken,
  HOLDFAST_ORG: 'acme',
  HOLDFAST_PROJECT: 'web-shop',
  HOLDFAST_ENV: 'staging',
});

const setAll = ({ api, ada }: World, secrets: Record<string, string>) =>
  expectStatus(api.post(`${place}/bulk`, { secrets }, ada.session), 200);

async function valuesNow({ api, ada }: World): Promise<Record<string, string>> {
  const { secrets } = (await expectStatus(api.get(place, ada.session), 200)).body;
  return Object.fromEntries(secrets.map(({ key, value }: { key: string; value: string }) => [key, value]));
}

const saveAs =
  (name: string): Run =>
  async (text, { file }) =>
    void file(`rotate/${name}`, text, 0o755);

const inFolder = ({ home }: World) => ({ cwd: join(home, 'rotate') });

/** The addresses that the page names, by those of the server. */
const withoutPlace = (text: string) => text.replace('PGHOST=db.internal ', '').replace(' PGDATABASE=shop', '');

async function database({ path }: World) {
  const postgres = await untilEnd(startPostgres());
  const { PATH, ...variables } = postgres.variables;
  return { postgres, variables: { ...variables, PATH: `${path}:${PATH}` } };
}

const rotateOneUser: Run = async (text, world, skip) => {
  if (!(await hasPostgres())) return skip('PostgreSQL is not installed');
  const { postgres, variables } = await database(world);
  await postgres.sql("CREATE ROLE shop LOGIN PASSWORD 'first'");
  await setAll(world, { DATABASE_PASSWORD: 'first' });
  const seen = new Set(['first']);
  for (let time = 1; time <= 2; time += 1) {
    await world.shell(withoutPlace(text), { ...settingsOf(world), ...variables }, inFolder(world));
    const { DATABASE_PASSWORD = '' } = await valuesNow(world);
    expect(await postgres.accepts('shop', DATABASE_PASSWORD)).toBe(true);
    for (const earlier of seen) expect(await postgres.accepts('shop', earlier)).toBe(false);
    seen.add(DATABASE_PASSWORD);
  }
};

const rotateTwoUsers: Run = async (text, world, skip) => {
  if (!(await hasPostgres())) return skip('PostgreSQL is not installed');
  const { postgres, variables } = await database(world);
  await postgres.sql("CREATE ROLE shop_admin LOGIN SUPERUSER PASSWORD 'admin'");
  await postgres.sql("CREATE ROLE shop_a LOGIN PASSWORD 'first'");
  await postgres.sql('CREATE ROLE shop_b LOGIN');
  world.file('.pgpass', '127.0.0.1:*:*:shop_admin:admin\n', 0o600);
  let before = { DATABASE_USER: 'shop_a', DATABASE_PASSWORD: 'first' };
  await setAll(world, before);
  for (const user of ['shop_b', 'shop_a']) {
    await world.shell(withoutPlace(text), { ...settingsOf(world), ...variables }, inFolder(world));
    const { DATABASE_USER = '', DATABASE_PASSWORD = '' } = await valuesNow(world);
    expect(DATABASE_USER).toBe(user);
    expect(await postgres.accepts(user, DATABASE_PASSWORD)).toBe(true);
    expect(await postgres.accepts(before.DATABASE_USER, before.DATABASE_PASSWORD)).toBe(true);
    before = { DATABASE_USER, DATABASE_PASSWORD };
  }
  expect(await postgres.accepts('shop_a', 'first')).toBe(false);
};

const rotateAccessKey: Run = async (text, world, skip) => {
  if (!isInstalled('aws')) return skip('the AWS command line is not installed');
  const administrator = { accessKeyId: 'AKIAADMINISTRATOR', secretAccessKey: 'administrator/secret+1' };
  const iam = await untilEnd(startIam(administrator));
  const { accessKeyId, secretAccessKey } = iam.newKey('shop');
  await setAll(world, { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey });
  const env = {
    ...settingsOf(world),
    AWS_ACCESS_KEY_ID: administrator.accessKeyId,
    AWS_SECRET_ACCESS_KEY: administrator.secretAccessKey,
    AWS_DEFAULT_REGION: 'us-east-1',
    AWS_ENDPOINT_URL: iam.url,
    AWS_EC2_METADATA_DISABLED: 'true',
  };
  let before = accessKeyId;
  for (let time = 1; time <= 2; time += 1) {
    await world.shell(text, env, inFolder(world));
    const now = await valuesNow(world);
    const { AWS_ACCESS_KEY_ID: id = '', AWS_SECRET_ACCESS_KEY: secret } = now;
    expect(id).not.toBe(before);
    expect(iam.keys.get(id)).toEqual({ userName: 'shop', secretAccessKey: secret, status: 'Active' });
    expect(iam.keys.get(before)?.status).toBe('Inactive');
    before = id;
  }
  expect([...iam.keys.values()].filter(({ userName }) => userName === 'shop')).toHaveLength(2);
};

const rotateFile: Run = async (text, world) => {
  await setAll(world, { SIGNING_KEY: 'first' });
  await world.shell(text, settingsOf(world), inFolder(world));
  const { SIGNING_KEY = '' } = await valuesNow(world);
  expect(SIGNING_KEY).toMatch(/^[A-Za-z0-9]{64}$/);
  expect(readFileSync(join(world.home, 'rotate/signing-key'), 'utf8')).toBe(SIGNING_KEY);
};

const rotateDue: Run = async (text, world) => {
  const { api, ada } = world;
  await setAll(world, { SIGNING_KEY: 'first', OTHER_KEY: 'first' });
  for (const key of ['SIGNING_KEY', 'OTHER_KEY']) {
    const described = { key, required: false, maxAgeDays: 1 };
    await expectStatus(api.post('/templates/acme/web-shop', described, ada.session), 201);
  }
  world.file('rotate/rotations/SIGNING_KEY', '#!/bin/sh\nprintf %s "$HOLDFAST_NEW_SIGNING_KEY" >renewed\n', 0o755);
  await world.shell(text, settingsOf(world), inFolder(world));
  const { SIGNING_KEY, OTHER_KEY } = await valuesNow(world);
  expect([SIGNING_KEY, OTHER_KEY]).toEqual([readFileSync(join(world.home, 'rotate/renewed'), 'utf8'), 'first']);
  expect(SIGNING_KEY).not.toBe('first');
};

export const rotate = [
  saveAs('change.sh'),
  rotateOneUser,
  saveAs('next.sh'),
  saveAs('set.sh'),
  rotateTwoUsers,
  saveAs('create-key.sh'),
  saveAs('try-key.sh'),
  rotateAccessKey,
  rotateFile,
  rotateDue,
];
