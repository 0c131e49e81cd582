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

/** Runs a block in which programs print this for these arguments, as their documentation says. */
const replay =
  (program: string, answers: Readonly<Record<string, unknown>>): Run =>
  async (text, world) => {
    await empty(world);
    const cases = Object.entries(answers).map(([words, answer], index) => {
      expect(text).toContain(`${program} ${words} `);
      const content = typeof answer === 'string' ? answer : JSON.stringify(answer);
      return `'${words}') cat '${world.file(`${program}-${index}.json`, content)}' ;;`;
    });
    world.shim(program, `case "$*" in\n${cases.join('\n')}\n*) exit 64 ;;\nesac`);
    await world.shell(`${before}\n${text}`, signedIn(world));

    expect(await stored(world)).toEqual(secrets);
  };

/** The two secrets, one document each. */
const each = (documentOf: (key: string, value: string) => unknown) =>
  Object.entries(secrets).map(([key, value]) => documentOf(key, value));
const set = Object.fromEntries(
  Object.entries(secrets).map(([key, value]) => [key, { computed: value, raw: value, note: '' }]),
);
const place = { DOPPLER_CONFIG: { computed: 'stg' }, DOPPLER_PROJECT: { computed: 'web-shop' } };
const listing = 'secrets --project web-shop --config stg --json --raw';
const moveDoppler = replay('doppler', { [listing]: { ...set, ...place } });
const others = { type: 'shared', tags: [], comment: '' };
const infisical = each((key, value) => ({ key, value, ...others }));
const exporting = 'export --projectId 8a1c --env staging --format json --expand=false --secret-overriding=false';
const moveInfisical = replay('infisical', { [exporting]: infisical });
/** An answer of `vault kv get` for version 2 of the engine, as its documentation prints it. */
const vault = { request_id: '5c1b', lease_id: '', data: { data: secrets, metadata: { version: 3, destroyed: false } } };
const moveVault = replay('vault', { 'kv get -format=json -mount=secret web-shop/staging': vault });
const accessing = (key: string) => `secrets versions access latest --secret ${key} --format json`;
const moveGcp = replay(
  'gcloud',
  Object.fromEntries(
    Object.entries(secrets).map(([key, value]) => {
      const payload = { data: Buffer.from(value).toString('base64url'), dataCrc32c: '1' };
      return [accessing(key), { name: `projects/1/secrets/${key}/versions/3`, payload }];
    }),
  ),
);
const fields = each((label, value) => ({ id: label, type: 'CONCEALED', label, value }));
const item = { id: 'i', title: 'staging', vault: { id: 'v', name: 'web-shop' }, fields };
const moveOnePassword = replay('op', { 'item get staging --vault web-shop --format json --reveal': item });
const moveBitwarden = replay('bws', {
  'secret list': each((key, value) => ({ id: key, projectId: 'p', key, value, note: '' })),
  'project list': [{ id: 'p', name: 'web-shop/staging' }],
});
/** All three have the same values, so the second and the third change nothing. */
const moveFiles: Run = (text, world) => {
  const { API_KEY, DATABASE_URL } = secrets;
  const dotenv = world.file('dotenvx.env', `API_KEY=\`${API_KEY}\`\nDATABASE_URL='${DATABASE_URL}'\n`);
  const exported = world.file('chamber.json', JSON.stringify(secrets));
  world.shim('chamber', `[ "$*" = 'export --format json web-shop/staging' ] || exit 64\ncat '${exported}'`);
  return replay('sops', { 'decrypt staging.yaml': secrets })(
    `cp '${dotenv}' .env.staging\n${text}`,
    world,
    () => undefined,
  );
};

/** The real command, with answers of the service, and then the import of the file that it wrote. */
function fromAws(target: string, file: string, answers: readonly { asked: object; answer: object }[]): [Run, Run] {
  let exported = JSON.stringify(answers.length === 1 ? answers[0]?.answer : { Parameters: parametersOf(secrets) });
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
const path = { Path: '/web-shop', Recursive: true, WithDecryption: true };
const moveParameters = fromAws('AmazonSSM.GetParametersByPath', 'parameters.json', [
  { asked: { ...path, NextToken: 'more' }, answer: { Parameters: rest } },
  { asked: path, answer: { Parameters: [first], NextToken: 'more' } },
]);
const aws = { ARN: 'arn:aws:secretsmanager:eu-central-1:1:secret:s', Name: 'web-shop/staging', VersionId: 'v' };
const moveFromAws = fromAws('secretsmanager.GetSecretValue', 'secrets.json', [
  { asked: { SecretId: 'web-shop/staging' }, answer: { ...aws, SecretString: JSON.stringify(secrets) } },
]);

const finish: Run = async (text, world) => {
  await world.api.post('/secrets/acme/web-shop/staging/bulk', { secrets }, world.ada.session);
  const output = await world.shell(
    `${before}\ntouch secrets.json parameters.json projects.json item.json map.json\n${text}\nls -A`,
    signedIn(world),
  );

  expect(output).toBe('');
};

const showMap: Run = async text => {
  expect(Object.values(JSON.parse(text))).toEqual(['web-shop/production', 'web-shop/staging', null]);
};

export const moving = [
  choose,
  showMap,
  moveDotenv,
  moveDoppler,
  moveInfisical,
  moveVault,
  ...moveParameters,
  ...moveFromAws,
  moveGcp,
  moveOnePassword,
  moveBitwarden,
  moveFiles,
  finish,
];
