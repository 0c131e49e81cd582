import { describe, expect, it } from 'vitest';
import type { Exported, SourceFile } from '#clients/cli/src/import/exported.ts';
import type { SourceName } from '#clients/cli/src/import/source.ts';
import { sources } from '#clients/cli/src/import/sources/all-sources.ts';
import { readYaml } from '#clients/cli/src/yaml-fields.ts';

/* Exports as the products' documentation and sources say. test/clients/cli/import.test.ts imports them. */

const file = (text: unknown, name = 'export.json'): SourceFile => ({
  name,
  text: typeof text === 'string' ? text : JSON.stringify(text),
});

function read(source: SourceName, ...files: unknown[]) {
  const exported: Exported = { values: [], refused: [], left: [] };
  sources[source].read(
    files.map(one => (typeof one === 'object' && one !== null && 'text' in one ? (one as SourceFile) : file(one))),
    exported,
    readYaml,
  );
  const places: Record<string, Record<string, unknown>> = {};
  for (const { place, key, value, template } of exported.values) {
    places[place.name] = { ...places[place.name], [key]: value ?? template };
  }
  return {
    places,
    ways: Object.fromEntries(exported.values.map(({ place: { name, ...way } }) => [name, way])),
    refused: exported.refused.map(({ place, key, reason }) => `${place}: ${key} ${reason}`),
    left: exported.left,
  };
}

const failureOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    return String(error);
  }
  return '';
};

describe('Doppler', () => {
  it('names the project and config in the download, and in what the command line lists', () => {
    const place = { DOPPLER_PROJECT: 'web-shop', DOPPLER_CONFIG: 'prd_eu', DOPPLER_ENVIRONMENT: 'prd' };
    const computed = (value: string) => ({ computed: value, computedVisibility: 'masked', note: '' });
    const listed = Object.fromEntries(Object.entries(place).map(([key, value]) => [key, computed(value)]));
    const expected = { 'web-shop/prd_eu': { A: '1', B: 'two\nlines' } };
    expect(read('doppler', { ...place, A: '1', B: 'two\nlines' })).toMatchObject({
      places: expected,
      ways: { 'web-shop/prd_eu': { project: 'web-shop', environment: 'prd_eu' } },
      refused: [],
      left: [],
    });
    const secrets = { ...listed, A: computed('1'), B: { ...computed('two\nlines'), note: 'of the shop' } };
    expect(read('doppler', secrets)).toMatchObject({
      places: expected,
      left: ['web-shop/prd_eu: the notes of B'],
    });
    expect(read('doppler', { secrets }).places).toEqual(expected);
    expect(read('doppler', { A: '1' }).places).toEqual({ 'export.json': { A: '1' } });
  });

  it('refuses what its visibility hides', () => {
    expect(read('doppler', { A: { computed: null, note: '' } }).refused).toEqual(['export.json: A is empty (null)']);
  });

  it('reads references where the export has them', () => {
    const { places } = read('doppler', {
      URL: { computed: 'postgres://x:y@db', raw: 'postgres://x:\u0024{PW}@\u0024{prd.HOST}\u0024{api.prd.PATH}' },
      PLAIN: { computed: '1', raw: '1' },
    });
    expect(places['export.json']).toEqual({ URL: 'postgres://x:y@db', PLAIN: '1' });
  });
});

describe('Infisical', () => {
  const secrets = [
    { key: 'A', value: '1', type: 'shared', _id: '65f', tags: [], comment: 'a note' },
    { key: 'B', value: 'x\ny', type: 'shared', _id: '660', secretPath: '/frontend/web' },
  ];

  it('has a list with folders, a YAML mapping, or the list of the API', () => {
    expect(read('infisical', secrets)).toMatchObject({
      places: { 'export.json': { A: '1' }, 'frontend/web': { B: 'x\ny' } },
      ways: { 'frontend/web': { folder: 'frontend/web' } },
      left: ['the comments of A'],
    });
    const yaml = file('A: "1"\nB: |-\n  x\n  y\nC: 5432\nD: 1.0\nE: 0o17\n', 'prod.yaml');
    expect(read('infisical', yaml).places).toEqual({
      'prod.yaml': { A: '1', B: 'x\ny', C: '5432', D: '1.0', E: '0o17' },
    });
    const api = { secretKey: 'A', secretValue: '1', environment: 'prod', secretPath: '/' };
    const answer = { secrets: [api, { ...api, environment: 'dev' }], imports: [{ environment: 'base', secrets: [] }] };
    expect(read('infisical', answer)).toMatchObject({
      places: { prod: { A: '1' }, dev: { A: '1' } },
      ways: { prod: { environment: 'prod' } },
      left: ['secrets that Infisical imports from base'],
    });
  });

  it('has one environment in each of several files that name none', () => {
    const [one, two] = ['staging.json', 'prod.json'].map(name => file(secrets, name));
    expect(read('infisical', one, two).places).toEqual({
      'staging.json': { A: '1' },
      'staging.json/frontend/web': { B: 'x\ny' },
      'prod.json': { A: '1' },
      'prod.json/frontend/web': { B: 'x\ny' },
    });
    const named = file([{ ...secrets[1], environment: 'prod' }], 'named.json');
    expect(Object.keys(read('infisical', one, named).places)).toContain('prod/frontend/web');
  });

  it('has personal values, which are nobody else’s', () => {
    const own = { ...secrets[0], value: 'geheim \u0024{A}', type: 'personal' };
    expect(read('infisical', [own, secrets[1]])).toMatchObject({
      places: { 'frontend/web': { B: 'x\ny' } },
      refused: ['export.json: A is a personal override'],
    });
  });

  it('has references of four forms, and none within another', () => {
    const value = '\u0024{A} \u0024{dev.B} \u0024{prod.web.api.C} \u0024{@shop.prod.web.D} $E \u0024{} \u0024{F G}';
    const { places } = read('infisical', [{ key: 'URL', value }]);
    expect(places['export.json']?.URL).toEqual([
      '',
      { text: '\u0024{A}', key: 'A' },
      ' ',
      { text: '\u0024{dev.B}', key: 'B', environment: 'dev', folder: '' },
      ' ',
      { text: '\u0024{prod.web.api.C}', key: 'C', environment: 'prod', folder: 'web/api' },
      ' ',
      { text: '\u0024{@shop.prod.web.D}', key: 'D', project: 'shop', environment: 'prod', folder: 'web' },
      ' $E \u0024{} \u0024{F G}',
    ]);
    const nested = '\u0024{dev.common.\u0024{VENDOR}.KEY}';
    expect(read('infisical', [{ key: 'N', value: nested }]).refused).toEqual([
      'export.json: N has a reference within a reference',
    ]);
  });
});

describe('HashiCorp Vault', () => {
  it('has a secret of either version of the engine, whose numbers stay as they are written', () => {
    const text = '{"A": "1", "PORT": 5432, "PI": 1.50, "ON": true, "NONE": null, "LIST": [1], "MORE": {"B": "2"}}';
    const metadata = '{"version": 3, "created_time": "2026-01-01T00:00:00Z"}';
    const expected = { A: '1', PORT: '5432', PI: '1.50', ON: 'true' };
    const refused = ['NONE is empty (null)', 'LIST is a list', 'MORE is an object'].map(line => `export.json: ${line}`);
    const second = `{"request_id": "5c1b", "data": {"data": ${text}, "metadata": ${metadata}}, "warnings": null}`;
    expect(read('vault', second)).toMatchObject({ places: { 'export.json': expected }, refused });
    expect(read('vault', `{"data": ${text}}`)).toMatchObject({ places: { 'export.json': expected }, refused });
    expect(failureOf(() => read('vault', '{"errors": ["geheim"]}'))).toMatch(/export.json is not an answer of vault/);
  });

  it('says that a version is deleted', () => {
    const metadata = { version: 3, deletion_time: '2026-01-01T00:00:00Z', destroyed: false };
    expect(read('vault', { data: { data: null, metadata } })).toEqual({
      places: {},
      ways: {},
      refused: [],
      left: ['export.json: the latest version, which is deleted'],
    });
  });

  it('takes the place from the path that was asked for', () => {
    const asked = { name: 'acme/web-shop/prod', text: '{"data": {"A": "1"}}', place: {} };
    expect(read('vault', asked).ways).toEqual({
      'acme/web-shop/prod': { project: 'web-shop', environment: 'prod' },
    });
  });
});

describe('AWS', () => {
  it('has parameters whose path is the place', () => {
    const Parameters = [
      { Name: '/web-shop/prod/DATABASE_URL', Type: 'SecureString', Value: 'postgres://x', Version: 3 },
      { Name: '/acme/web-shop/prod/LIST', Type: 'StringList', Value: 'a,b' },
      { Name: '/staging/KEY', Type: 'String', Value: ' 1 ' },
      { Name: 'PLAIN', Type: 'String', Value: '' },
      ...['AQICAH', 'AQECAH', 'AYADeA', 'AgV4xy'].map((start, index) => {
        return { Name: `/web-shop/prod/SEALED_${index}`, Type: 'SecureString', Value: start + 'x'.repeat(120) };
      }),
    ];
    expect(read('aws-ssm', { Parameters, InvalidParameters: ['/gone'] })).toMatchObject({
      places: {
        'web-shop/prod': { DATABASE_URL: 'postgres://x' },
        'acme/web-shop/prod': { LIST: 'a,b' },
        staging: { KEY: ' 1 ' },
        'export.json': { PLAIN: '' },
      },
      ways: { 'acme/web-shop/prod': { project: 'web-shop', environment: 'prod' }, staging: { environment: 'staging' } },
      refused: [
        ...[0, 1, 2, 3].map(index => `web-shop/prod: SEALED_${index} is still encrypted: export it --with-decryption`),
        'export.json: /gone is not in the export',
      ],
    });
    // `aws ssm get-parameter`
    expect(read('aws-ssm', { Parameter: Parameters[0] }).places).toEqual({
      'web-shop/prod': { DATABASE_URL: 'postgres://x' },
    });
  });

  it('has secrets that are an object of values, or one value named by its key', () => {
    const secret = (Name: string, SecretString: string) => ({ ARN: `arn:${Name}`, Name, SecretString });
    const SecretValues = [
      secret('web-shop/prod', '{"A": "x", "port": 5432, "big": 12345678901234567890, "deep": {"B": "y"}}'),
      secret('web-shop/dev/API_KEY', 'sk-\u{1f642}"'),
      secret('web-shop/dev/NUMBER', '42'),
      secret('lone', '{"C": "1"}'),
      { ARN: 'arn:b', Name: 'web-shop/dev/BINARY', SecretBinary: 'AAEC' },
    ];
    const Errors = [{ SecretId: 'web-shop/gone', ErrorCode: 'ResourceNotFoundException', Message: '…' }];
    expect(read('aws-secrets-manager', { SecretValues, Errors })).toMatchObject({
      places: {
        'web-shop/prod': { A: 'x', port: '5432', big: '12345678901234567890' },
        'web-shop/dev': { API_KEY: 'sk-\u{1f642}"', NUMBER: '42' },
        lone: { C: '1' },
      },
      refused: [
        'web-shop/prod: deep is an object',
        'web-shop/dev: BINARY is binary',
        'export.json: web-shop/gone is not in the export',
      ],
    });
    // Documents one after another, as `>>` leaves them.
    const two = `${JSON.stringify(SecretValues[0])}\n${JSON.stringify(SecretValues[1], null, 4)}`;
    expect(Object.keys(read('aws-secrets-manager', two).places)).toEqual(['web-shop/prod', 'web-shop/dev']);
  });
});

describe('Google Secret Manager', () => {
  it('has versions in Base64 of either alphabet, one document each', () => {
    const version = (key: string, bytes: Uint8Array | string, alphabet: BufferEncoding) => ({
      name: `projects/123456/secrets/${key}/versions/7`,
      payload: { data: Buffer.from(bytes as string).toString(alphabet), dataCrc32c: '1' },
    });
    const text = [
      version('DATABASE_URL', 'postgres://\u00ff?>~\n', 'base64url'),
      version('OTHER', '\ufeff\u00ff?>~', 'base64'),
      version('BINARY', new Uint8Array([0xff, 0xfe]), 'base64'),
    ]
      .map(one => JSON.stringify(one, null, 2))
      .join('\n');
    expect(read('gcp', text)).toMatchObject({
      places: { 'export.json': { DATABASE_URL: 'postgres://\u00ff?>~\n', OTHER: '\ufeff\u00ff?>~' } },
      refused: ['export.json: BINARY is binary'],
    });
  });
});

describe('1Password', () => {
  it('has items whose fields are the values, in a vault', () => {
    const item = {
      id: 'abc',
      title: 'production',
      vault: { id: 'v', name: 'Web shop' },
      category: 'API_CREDENTIAL',
      fields: [
        { id: 'notesPlain', type: 'STRING', purpose: 'NOTES', label: 'notesPlain', value: 'how to renew it' },
        { id: 'username', type: 'STRING', purpose: 'USERNAME', label: 'username' },
        { id: 'x1', section: { id: 's' }, type: 'CONCEALED', label: 'DATABASE_URL', value: 'postgres://x' },
        { id: 'x2', type: 'STRING', label: 'api key', value: 'k' },
        { id: 'x4', type: 'STRING', label: 'EMPTY', value: '' },
        { id: 'x3', type: 'CONCEALED', label: 'HIDDEN', value: "[use 'op item get abc --reveal' to reveal]" },
      ],
      files: [{ id: 'f', name: 'cert.pem', size: 12 }],
    };
    expect(read('1password', item)).toMatchObject({
      places: { 'Web shop/production': { DATABASE_URL: 'postgres://x', 'api key': 'k', EMPTY: '' } },
      ways: { 'Web shop/production': { project: 'Web shop', environment: 'production' } },
      refused: [
        'Web shop/production: HIDDEN is concealed: export it with --reveal',
        'Web shop/production: cert.pem is an attached file',
      ],
      left: ['Web shop/production: the notes'],
    });
  });
});

describe('items of one name', () => {
  it('are told apart by their ids', () => {
    const item = { title: 'prod', vault: { name: 'shop' }, fields: [{ label: 'A', value: '1' }] };
    const items = [
      { ...item, id: 'x' },
      { ...item, id: 'y' },
      { ...item, id: 'z', title: 'dev' },
    ];
    const way = { project: 'shop', environment: 'prod' };
    expect(read('1password', ...items).ways).toEqual({
      'shop/prod (x)': way,
      'shop/prod (y)': way,
      'shop/dev': { ...way, environment: 'dev' },
    });
    // The same item twice has each of its keys twice.
    expect(Object.keys(read('1password', items[0], items[0]).places)).toEqual(['shop/prod']);

    const own = { name: 'prod', folderId: 'f', fields: [{ name: 'A', value: '1', type: 0 }] };
    const vault = {
      encrypted: false,
      folders: [{ id: 'f', name: 'shop' }],
      items: [
        { ...own, id: 'x' },
        { ...own, id: 'y' },
      ],
    };
    expect(read('bitwarden', vault).ways).toEqual({ 'shop/prod (x)': way, 'shop/prod (y)': way });

    const projects = ['x', 'y'].map(id => ({ id, name: 'shop/prod' }));
    const secrets = projects.map(({ id }) => ({ id, projectId: id, key: 'A', value: '1' }));
    expect(read('bitwarden', secrets, projects).ways).toEqual({ 'shop/prod (x)': way, 'shop/prod (y)': way });
  });
});

describe('Bitwarden', () => {
  it('has the secrets of Secrets Manager, and the names of their projects', () => {
    const ids = { organizationId: 'o', creationDate: '2026-01-01T00:00:00Z', revisionDate: '2026-01-01T00:00:00Z' };
    const secrets = [
      { id: '1', projectId: 'p1', key: 'A', value: '1', note: 'a note', ...ids },
      { id: '2', projectId: 'p2', key: 'A', value: '2', note: '', ...ids },
      { id: '3', projectId: null, key: 'B', value: '3', note: '', ...ids },
    ];
    const projects = [
      { id: 'p1', name: 'web-shop/prod', ...ids },
      { id: 'p2', name: 'billing', ...ids },
    ];
    expect(read('bitwarden', secrets, projects)).toMatchObject({
      places: { 'web-shop/prod': { A: '1' }, billing: { A: '2' }, 'export.json': { B: '3' } },
      ways: { 'web-shop/prod': { project: 'web-shop', environment: 'prod' }, billing: { project: 'billing' } },
      refused: [],
      left: ['the notes of A'],
    });
    expect(Object.keys(read('bitwarden', secrets).places)).toEqual(['p1', 'p2', 'export.json']);
  });

  it('has the items of a vault, whose own fields are the values', () => {
    const vault = {
      encrypted: false,
      folders: [{ id: 'f', name: 'web-shop' }],
      items: [
        {
          id: 'i',
          folderId: 'f',
          type: 1,
          name: 'prod',
          notes: 'n',
          fields: [
            { name: 'A', value: '1', type: 0 },
            { name: 'B', value: 'true', type: 2 },
            { name: 'C', value: null, type: 3, linkedId: 100 },
          ],
          login: { username: 'ada', password: 'geheim', totp: null, uris: [{ uri: 'https://example.com' }] },
        },
      ],
    };
    const { refused, left, places } = read('bitwarden', vault);
    expect(places).toEqual({ 'web-shop/prod': { A: '1', B: 'true' } });
    expect(refused).toEqual([
      'web-shop/prod: login.username is no field of its own',
      'web-shop/prod: login.password is no field of its own',
    ]);
    expect(left).toEqual(['web-shop/prod: C, which repeats another field', 'web-shop/prod: the notes']);
    const sealed = { encrypted: true, passwordProtected: true, data: '2.geheim' };
    expect(failureOf(() => read('bitwarden', sealed))).toMatch(/is still encrypted; nothing was imported/);
  });
});

describe('SOPS', () => {
  it('has YAML, JSON or dotenv, as sops reads it', () => {
    const yaml = file(
      '# comment\nA: "1"\nPORT: 5432\nOCT: 0777\nWHEN: 2024-01-01\nOFF: no\nE: ~\nF:\n  G: x\n',
      'p.yaml',
    );
    expect(read('sops', yaml)).toMatchObject({
      places: { 'p.yaml': { A: '1', PORT: '5432', OCT: '0777', WHEN: '2024-01-01', OFF: 'no' } },
      refused: ['p.yaml: E is empty (null)', 'p.yaml: F is an object'],
    });
    expect(read('sops', '{"A": "1", "N": 1e3}').places).toEqual({ 'export.json': { A: '1', N: '1e3' } });
    const keys = 'TRUE: a\nNULL: b\nsops_x: c\n"No": d\n';
    expect(read('sops', keys).places['export.json']).toEqual({ TRUE: 'a', NULL: 'b', sops_x: 'c', No: 'd' });
    expect(read('sops', { sops_x: 'c', sops: {} }).places).toEqual({ 'export.json': { sops_x: 'c' } });
    const dotenv = file('# c\nA=1\nB="x\\ny" # z\nC=\n', 'p.env');
    expect(read('sops', dotenv).places).toEqual({ 'p.env': { A: '1', B: '"x\ny" # z', C: '' } });
    expect(failureOf(() => read('sops', '[default]\nA = geheim\n'))).toMatch(/is an INI file/);
  });

  it('refuses values that are still encrypted, by name', () => {
    const value = 'ENC[AES256_GCM,data:abc=,iv:def=,tag:ghi=,type:str]';
    const yaml = `A: ${value}\nB: plain\nsops:\n    mac: ${value}\n`;
    const refused = ['export.json: A is still encrypted'];
    expect(read('sops', yaml)).toMatchObject({ places: { 'export.json': { B: 'plain' } }, refused });
    expect(read('sops', { A: value, sops: { mac: value } })).toMatchObject({ places: {}, refused });
    expect(read('sops', `A=${value}\nsops_mac=${value}\n`)).toMatchObject({ places: {}, refused });
  });
});

describe('dotenvx', () => {
  const key = 'DOTENV_PUBLIC_KEY_PRODUCTION="0384b48b"\n';

  it('names the environment in the public key, or in the name of the file', () => {
    const text = file(`${key}A="one two"\nB='lit \u0024{A}'\n`, 'web/.env.production');
    expect(read('dotenvx', text)).toMatchObject({
      places: { 'web/.env.production': { A: 'one two', B: 'lit \u0024{A}' } },
      ways: { 'web/.env.production': { environment: 'production' } },
    });
    expect(read('dotenvx', file('A=1\n', '.env.staging')).ways).toEqual({ '.env.staging': { environment: 'staging' } });
    expect(read('dotenvx', file('A=1\n', '.env')).ways).toEqual({ '.env': {} });
    expect(read('dotenvx', { DOTENV_PUBLIC_KEY_CI: '03', A: '$(x) \u0024{A}' })).toMatchObject({
      places: { 'export.json': { A: '$(x) \u0024{A}' } },
      ways: { 'export.json': { environment: 'ci' } },
    });
  });

  it('refuses lines of a decrypted file that Node reads differently', () => {
    const lines = [
      'A="say "hi""',
      'B="{"a":1}"',
      "C='it is'",
      'D="two\nlines" # note',
      'E=`a"b`',
      'F="x\\ny"',
      'G= a b ',
      'H="x" # y"',
    ];
    const reason = 'can be read in several ways: import what dotenvx get prints';
    expect(read('dotenvx', file(`${key}${lines.join('\n')}\n`, '.env'))).toMatchObject({
      places: { '.env': { C: 'it is', D: 'two\nlines', E: 'a"b', G: 'a b' } },
      refused: [`.env: A ${reason}`, `.env: B ${reason}`, `.env: F ${reason}`, `.env: H ${reason}`],
    });
  });

  it('refuses keys that are there twice, whatever they have, and leaves it to the import which names are keys', () => {
    const text = file('A=1\nA="encrypted:BEpR"\nB=2\nB=2\n1ST=3\nC=4\n', '.env');
    expect(read('dotenvx', text)).toMatchObject({
      places: { '.env': { '1ST': '3', C: '4' } },
      refused: ['A', 'A', 'B', 'B'].map(key => `.env: ${key} is there twice`),
    });
    expect(failureOf(() => read('dotenvx', file('A=1\ngeheim\n', '.env')))).toMatch(
      /\.env can’t be read \(line 2 is not KEY=value\); nothing was imported/,
    );
  });

  it('refuses what is still encrypted, and what dotenvx would replace', () => {
    const text = file(`${key}A="encrypted:BEpR"\nB="x \u0024{A} y"\nC=$(whoami)\nD=$HOME\nE='$(not)'\nF=5$\n`, '.env');
    const names = 'names other values: import what dotenvx get prints';
    expect(read('dotenvx', text)).toMatchObject({
      places: { '.env': { E: '$(not)', F: '5$' } },
      refused: ['.env: A is still encrypted', `.env: B ${names}`, `.env: C ${names}`, `.env: D ${names}`],
    });
  });
});

describe('chamber', () => {
  it('has JSON or YAML, with the names that programs see', () => {
    const expected = { 'export.json': { DATABASE_URL: 'x', API_KEY: '5' } };
    expect(read('chamber', { 'database-url': 'x', api_key: '5' }).places).toEqual(expected);
    expect(read('chamber', 'api_key: "5"\ndatabase-url: x\n').places).toEqual(expected);
  });
});

describe('a file that is no export', () => {
  it('is refused without quoting it', () => {
    const broken = ['{"A": "geheim"', '{"A": geheim}', '[1 2]', '{"A": "ge\u0001heim"}', '{"A": 01}', '{"A": 1geheim}'];
    for (const text of broken) {
      const message = failureOf(() => read('doppler', text));
      expect([text, message]).toEqual([text, expect.stringContaining('export.json is not valid JSON')]);
    }
    expect(failureOf(() => read('doppler', ' \n'))).toContain('is empty');
    expect(failureOf(() => read('doppler', `${'['.repeat(1_000_000)}`))).toContain('is not valid JSON');
    const others: [SourceName, unknown][] = [
      ['doppler', ['geheim']],
      ['infisical', { geheim: 'x' }],
      ['infisical', [{ value: 'geheim' }]],
      ['aws-ssm', { geheim: 'x' }],
      ['aws-secrets-manager', { geheim: 'x' }],
      ['gcp', { payload: { data: 'geheim' } }],
      ['1password', { geheim: 'x' }],
      ['bitwarden', { geheim: 'x' }],
      ['chamber', ['geheim']],
    ];
    for (const [source, content] of others) {
      const message = failureOf(() => read(source, content));
      expect([source, message]).toEqual([source, expect.stringContaining('nothing was')]);
      expect(message).not.toContain('geheim');
    }
  });

  it('is refused if it is dotenv, which a reader of YAML would take for something else', () => {
    for (const source of ['infisical', 'doppler', 'chamber'] as const) {
      for (const text of ["\ufeff# c\n\nA='x: geheim'\n", 'export A="x: geheim"\n', 'A.b-c=x: geheim']) {
        const refused = failureOf(() => read(source, text));
        expect([source, text, refused]).toEqual([
          source,
          text,
          expect.stringContaining('export.json is a dotenv file'),
        ]);
      }
    }
    expect(read('chamber', '# A=b\na_b: "A=b"\n').places).toEqual({ 'export.json': { A_B: 'A=b' } });
  });

  it('has keys that a document repeats twice', () => {
    const exported: Exported = { values: [], refused: [], left: [] };
    sources.doppler.read([file('{"A": "1", "\\u0041": "2"}')], exported, readYaml);
    expect(exported.values.map(({ key, value }) => [key, value])).toEqual([
      ['A', '1'],
      ['A', '2'],
    ]);
  });
});
