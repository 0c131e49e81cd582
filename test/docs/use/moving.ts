import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { untilEnd } from '#test/support/fixtures.ts';
import { startReceiver } from '#test/support/receiver.ts';
import { isInstalled, type Run, secrets, type World } from './world.ts';

/** The first block, which the others follow in one shell. */
let before = '';
const signedIn = ({ origin, fullToken }: World) => ({ HOLDFAST_URL: origin, HOLDFAST_TOKEN: fullToken });

const choose: Run = async (text, world) => {
  before = text;
  expect(await world.shell(`${text}\nls -A | wc -l; stat -c %a .`, signedIn(world))).toBe('0\n700\n');
};

async function stored(world: World): Promise<Record<string, string>> {
  const { body } = await world.api.get('/secrets/acme/web-shop/staging', { token: world.fullToken });
  return Object.fromEntries(body.secrets.map(({ key, value }: { key: string; value: string }) => [key, value]));
}

async function empty({ api, ada }: World): Promise<void> {
  const keys = (await api.get('/secrets/acme/web-shop/staging/keys', ada.session)).body.keys;
  const deletions = keys.map(({ key }: { key: string }) => key);
  if (deletions.length > 0)
    await api.post('/secrets/acme/web-shop/staging/changes', { delete: deletions }, ada.session);
}

const moveDotenv: Run = async (text, world) => {
  world.file('web-shop/.env', 'DATABASE_URL=postgres://db.internal/shop\nGREETING="Hello, world"\n');
  await world.shell(`${before}\n${text}`, signedIn(world));

  expect(await stored(world)).toEqual({ DATABASE_URL: 'postgres://db.internal/shop', GREETING: 'Hello, world' });
};

/** A program whose documentation says that it prints this for these arguments. */
const replay =
  (name: string, args: string, output: unknown): Run =>
  async (text, world) => {
    await empty(world);
    const path = world.file(`${name}.json`, JSON.stringify(output));
    world.shim(name, `[ "$*" = '${args}' ] || exit 64\ncat '${path}'`);
    expect(text).toContain(`${name} ${args} >secrets.json`);
    await world.shell(`${before}\n${text}`, signedIn(world));

    expect(await stored(world)).toMatchObject(secrets);
  };

const doppler = { ...secrets, DOPPLER_CONFIG: 'stg', DOPPLER_ENVIRONMENT: 'stg', DOPPLER_PROJECT: 'web-shop' };
const download = 'secrets download --project web-shop --config stg --no-file --format json';
const moveDoppler = replay('doppler', download, doppler);
const others = { type: 'shared', tags: [], comment: '' };
const infisical = Object.entries(secrets).map(([key, value]) => ({ key, value, ...others }));
const moveInfisical = replay('infisical', 'export --projectId 8a1c --env staging --format json', infisical);
let exported = '';

/** The real command, with an answer of the service. */
const exportFromAws: Run = async (text, world, skip) => {
  if (!isInstalled('aws')) return skip('aws is not installed');
  const answer: Parameters<typeof startReceiver>[0] = (response, { headers, body }) => {
    const isAsked = headers['x-amz-target'] === 'secretsmanager.GetSecretValue';
    const { SecretId } = JSON.parse(body.toString());
    response.setHeader('content-type', 'application/x-amz-json-1.1');
    if (!isAsked || SecretId !== 'web-shop/staging') return response.writeHead(400).end('{}');
    return response.end(JSON.stringify({ Name: SecretId, SecretString: JSON.stringify(secrets) }));
  };
  const service = await untilEnd(startReceiver(answer));
  const env = { AWS_ENDPOINT_URL: service.url, AWS_REGION: 'eu-central-1', AWS_DEFAULT_REGION: 'eu-central-1' };
  const credentials = { AWS_ACCESS_KEY_ID: 'A', AWS_SECRET_ACCESS_KEY: 's' };
  await world.shell(text, { ...env, ...credentials });
  exported = readFileSync(join(world.home, 'work/secrets.json'), 'utf8');
  expect(JSON.parse(exported)).toEqual(secrets);
};

const moveFromAws: Run = async (text, world) => {
  await empty(world);
  const file = world.file('exported.json', exported || JSON.stringify(secrets));
  await world.shell(`${before}\ncp ${file} secrets.json\n${text}`, signedIn(world));

  expect(await stored(world)).toEqual(secrets);
};

const finish: Run = async (text, world) => {
  await world.api.post('/secrets/acme/web-shop/staging/bulk', { secrets }, world.ada.session);
  const output = await world.shell(`${before}\ntouch secrets.json\n${text}\nls -A`, signedIn(world));

  expect(output).toBe('');
};

export const moving = [choose, moveDotenv, moveDoppler, moveInfisical, exportFromAws, moveFromAws, finish];
