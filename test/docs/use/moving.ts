import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
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
    expect(text).toContain(`${name} ${args} `);
    await world.shell(`${before}\n${text}`, signedIn(world));

    expect(await stored(world)).toMatchObject(secrets);
  };

const doppler = { ...secrets, DOPPLER_CONFIG: 'stg', DOPPLER_ENVIRONMENT: 'stg', DOPPLER_PROJECT: 'web-shop' };
const download = 'secrets download --project web-shop --config stg --no-file --format json';
const moveDoppler = replay('doppler', download, doppler);
const others = { type: 'shared', tags: [], comment: '' };
const infisical = Object.entries(secrets).map(([key, value]) => ({ key, value, ...others }));
const moveInfisical = replay('infisical', 'export --projectId 8a1c --env staging --format json', infisical);
/** An answer of `vault kv get` for version 2 of the engine, as its documentation prints it. */
const vault = { request_id: '5c1b', lease_id: '', data: { data: secrets, metadata: { version: 3, destroyed: false } } };
const moveVault = replay('vault', 'kv get -format=json -mount=secret web-shop/staging', vault);

/** The real command, with answers of the service, and then the import of the file that it wrote. */
function fromAws(target: string, file: string, answers: readonly { asked: object; answer: object }[]): [Run, Run] {
  const text = JSON.stringify(answers.length === 1 ? secrets : { Parameters: parametersOf(secrets) });
  let exported = text;
  const download: Run = async (script, world, skip) => {
    if (!isInstalled('aws')) return skip('aws is not installed');
    const service = await untilEnd(
      startReceiver((response, { headers, body }) => {
        const asked = JSON.parse(body.toString());
        const found = answers.find(one => isDeepStrictEqual({ ...asked, ...one.asked }, asked));
        response.setHeader('content-type', 'application/x-amz-json-1.1');
        if (headers['x-amz-target'] !== target || found === undefined) return response.writeHead(400).end('{}');
        return response.end(JSON.stringify(found.answer));
      }),
    );
    const env = { AWS_ENDPOINT_URL: service.url, AWS_REGION: 'eu-central-1', AWS_DEFAULT_REGION: 'eu-central-1' };
    await world.shell(script, { ...env, AWS_ACCESS_KEY_ID: 'A', AWS_SECRET_ACCESS_KEY: 's' });
    exported = readFileSync(join(world.home, 'work', file), 'utf8');
  };
  const move: Run = async (script, world) => {
    await empty(world);
    const copy = world.file('exported.json', exported);
    await world.shell(`${before}\ncp ${copy} ${file}\n${script}`, signedIn(world));

    expect(await stored(world)).toEqual(secrets);
  };
  return [download, move];
}

const parametersOf = (some: object) =>
  Object.entries(some).map(([key, Value]) => ({ Name: `/web-shop/staging/${key}`, Type: 'SecureString', Value }));
const [first, ...rest] = parametersOf(secrets);
const path = { Path: '/web-shop/staging', WithDecryption: true };
const moveParameters = fromAws('AmazonSSM.GetParametersByPath', 'parameters.json', [
  { asked: { ...path, NextToken: 'more' }, answer: { Parameters: rest } },
  { asked: path, answer: { Parameters: [first], NextToken: 'more' } },
]);
const SecretString = JSON.stringify(secrets);
const moveFromAws = fromAws('secretsmanager.GetSecretValue', 'secrets.json', [
  { asked: { SecretId: 'web-shop/staging' }, answer: { Name: 'web-shop/staging', SecretString } },
]);

const finish: Run = async (text, world) => {
  await world.api.post('/secrets/acme/web-shop/staging/bulk', { secrets }, world.ada.session);
  const output = await world.shell(`${before}\ntouch secrets.json parameters.json\n${text}\nls -A`, signedIn(world));

  expect(output).toBe('');
};

export const moving = [
  choose,
  moveDotenv,
  moveDoppler,
  moveInfisical,
  moveVault,
  ...moveParameters,
  ...moveFromAws,
  finish,
];
