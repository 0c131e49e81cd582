import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { configNames, readConfig } from '#infra/plan/config.ts';
import { settings } from '#lib/core/settings.ts';
import { claimsOfOwner } from '#lib/identities/shared-issuers.ts';
import { keys, ranges, rareKeys } from '#lib/table/keys.ts';
import { useSettings } from '../support/api.ts';
import { exampleSettings, exampleVault, fullSettings, synthesize } from '../support/installation.ts';
import { chapterOf, read, root, rowsOf } from './pages.ts';

const paths = globSync(['*.md', 'docs/**/*.md'], { cwd: root }).toSorted();
const ofClients = globSync('clients/*/README.md', { cwd: root });
const pages = paths.map(path => ({ path, text: read(path) }));
const scripts = JSON.parse(read('package.json')).scripts as Record<string, string>;

const codeOf = (text: string) => [
  ...[...text.matchAll(/^ *```\w*\n([\s\S]*?)^ *```$/gm)].map(match => match[1] as string),
  ...[...text.replaceAll(/^ *```[\s\S]*?^ *```$/gm, '').matchAll(/`([^`]+)`/g)].map(match => match[1] as string),
];

const inCode = (find: (code: string) => string[]) =>
  pages.flatMap(({ path, text }) => codeOf(text).flatMap(code => find(code).map(found => ({ path, found }))));

const rowsIn = (path: string, heading: string) =>
  rowsOf(chapterOf(path, heading), 'Setting', 'operation', 'Per million');

const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

describe('the documentation', () => {
  it('has the pages that newcomers look for', () => {
    const expected = ['README', 'CONTRIBUTING', 'SECURITY', 'CHANGELOG'].map(name => `${name}.md`);
    const inDocs = ['architecture', 'operations', 'security', 'performance'].map(name => `docs/${name}.md`);
    expect(paths).toEqual(expect.arrayContaining([...expected, ...inDocs, 'docs/decisions/README.md']));
  });

  it.each(paths)('%s is wrapped at 120 columns', path => {
    const lines = read(path).split('\n');
    expect(lines.filter(line => line.length > 120)).toEqual([]);
  });

  it.each([...paths, ...ofClients])('%s has no broken link', path => {
    const text = read(path);
    const broken = [...text.matchAll(/\]\((?!https?:)([^)]+)\)/g)]
      .map(match => match[1] as string)
      .filter(link => {
        const [file = '', anchor] = link.split('#');
        const target = file === '' ? path : join(dirname(path), file);
        if (!existsSync(join(root, target))) return true;
        if (anchor === undefined) return false;
        const headings = [...read(target).matchAll(/^#+ (.+)$/gm)].map(match => anchorOf(match[1] as string));
        return !headings.includes(anchor);
      });
    expect(broken).toEqual([]);
  });

  it('refers only to existing files and directories', () => {
    const folders = 'lib|infra|functions|test|docs|clients';
    const file = new RegExp(
      `(?<![\\w./-])(?:(?:${folders})/[\\w./<>*-]*[\\w>*]|[\\w.-]+\\.(?:json|ts|md|yaml))(?![\\w/])`,
      'g',
    );
    const named = inCode(code => code.match(file) ?? []).filter(({ found }) => !madeByCommands.has(found));
    const missing = named.filter(({ path, found }) => {
      const pattern = found.replaceAll(/<[\w-]+>/g, '*');
      const near = [pattern, join(dirname(path), pattern), `lib/secrets/engine/${pattern}`];
      return near.every(candidate => globSync(candidate, { cwd: root }).length === 0);
    });
    expect(named.length).toBeGreaterThan(50);
    expect(missing).toEqual([]);
  });

  it('refers only to commands of the package', () => {
    const named = inCode(code => [
      ...[...code.matchAll(/npm run (?:-s )?([\w:-]+)/g)].map(match => match[1] as string),
      ...[...code.matchAll(/npm (start|test)\b/g)].map(match => match[1] as string),
    ]);
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter(({ found }) => !Object.hasOwn(scripts, found))).toEqual([]);
  });

  it('refers only to existing AWS commands and options', () => {
    // A block may have several commands.
    const parts = (code: string) => (code.endsWith('\n') ? code.split(/(?<!\\)\n|[;|]\s|\$\(/) : [code]);
    const commands = inCode(code => parts(code).flatMap(part => part.match(/aws [a-z][a-z-]* [a-z-]+[^`]*/g) ?? []));
    expect(commands.length).toBeGreaterThan(5);
    const unknown = commands.flatMap(({ found }) => {
      const [, service = '', action = '', ...options] = found.split(/['")]*(?:\s+|$)/);
      const known = otherServices[service] ?? awsNames(`@aws-sdk/client-${service}`);
      // `--no-…` sets a boolean to false.
      const named = options.filter(one => one.startsWith('--')).map(one => pascal(one.replace(/^--no-/, '--')));
      // `Create={RegionName=eu-west-1}` names two members.
      const members = options.flatMap(one => one.match(/[A-Z]\w*(?==)/g) ?? []);
      const call = action === 'wait' ? `waitUntil${pascal(options[0] ?? '')}` : `${pascal(action)}Command`;
      const wanted = [call, ...named, ...members];
      return wanted.filter(name => !known.has(name) && !ofEveryCommand.has(name)).map(name => `${found}: ${name}`);
    });
    expect(unknown).toEqual([]);
  });

  it('lists every decision in its index', () => {
    const files = readdirSync(join(root, 'docs/decisions')).filter(name => name !== 'README.md');
    const listed = [...read('docs/decisions/README.md').matchAll(/^\| (\d{4}-\d\d-\d\d) \| \[(.+)\]\((.+)\) \|$/gm)];
    expect(listed.map(match => match[3])).toEqual(files.toSorted());
    for (const [, date, title, file] of listed) {
      const text = read(`docs/decisions/${file}`);
      expect(text.startsWith(`# ${title}\n\n${date}\n`), file).toBe(true);
      for (const part of ['Context', 'Decision', 'Consequences']) expect(text).toContain(`\n## ${part}\n`);
    }
  });
});

/** Files that commands write, and files of the reader. */
const madeByCommands = new Set([
  '.holdfast.json',
  'compose.yaml',
  'cookies.txt',
  'event.json',
  'item.json',
  'map.json',
  'parameters.json',
  'projects.json',
  'registered.json',
  'secrets.json',
  'staging.yaml',
]);

const pascal = (kebab: string) =>
  kebab.replaceAll(/(?:^-*|-)([a-z])/g, (_, letter: string) => letter.toUpperCase()).replaceAll('-', '');

/** Services whose client isn't installed, with the names that the pages may use (their API references). */
const otherServices: Readonly<Record<string, ReadonlySet<string>>> = {
  cloudwatch: new Set(['SetAlarmStateCommand', 'AlarmName', 'StateValue', 'StateReason']),
  deploy: new Set([
    'StopDeploymentCommand',
    'DeploymentId',
    'AutoRollbackEnabled',
    'ListDeploymentsCommand',
    'IncludeOnlyStatuses',
  ]),
  iam: new Set([
    'EnableOutboundWebIdentityFederationCommand',
    'ListAccessKeysCommand',
    'CreateAccessKeyCommand',
    'UpdateAccessKeyCommand',
    'DeleteAccessKeyCommand',
    'UserName',
    'AccessKeyId',
    'Status',
  ]),
  secretsmanager: new Set(['GetSecretValueCommand', 'SecretId', 'Query', 'Output']),
  'service-quotas': new Set(['RequestServiceQuotaIncreaseCommand', 'ServiceCode', 'QuotaCode', 'DesiredValue']),
};

/** Options that the command line itself has. */
const ofEveryCommand: ReadonlySet<string> = new Set(['Output', 'Query', 'Region']);

/** Every name that the types of an SDK client declare: its commands, the members of their inputs, and its waits. */
function awsNames(client: string): Set<string> {
  const entry = createRequire(import.meta.url).resolve(client);
  const types = globSync('dist-types/{commands/*,models/*,waiters/*}.d.ts', { cwd: join(dirname(entry), '..') });
  return new Set(types.flatMap(file => readFileSync(join(dirname(entry), '..', file), 'utf8').match(/\w+/g) ?? []));
}

describe('architecture.md', () => {
  const page = 'docs/architecture.md';

  it('shows every module of lib, and no other', () => {
    const [, drawing = ''] = chapterOf(page, '## Layers').split('```');
    const modules = [...drawing.matchAll(/^ {3}((?:[a-z]+ {1,2})+)(?= |$)/gm)].flatMap(match =>
      (match[1] as string).trim().split(/\s+/),
    );
    expect(modules.toSorted()).toEqual(readdirSync(join(root, 'lib')).toSorted());
  });

  it('refers only to key formats of the table', () => {
    const named = new Set(
      codeOf(chapterOf(page, '## Access patterns')).flatMap(code => code.match(/\b[A-Z]+(?=#)/g) ?? []),
    );
    const known = new Set(
      [keys, rareKeys, ranges]
        .flatMap(all => Object.values(all))
        .flatMap(make => String(make).match(/[A-Z]+(?=#)/g) ?? []),
    );
    expect(named.size).toBeGreaterThan(10);
    expect([...named].filter(name => !known.has(name))).toEqual([]);
  });
});

describe('operations.md', () => {
  const page = 'docs/operations.md';
  const rows = rowsIn(page, '## Configure').filter(([name]) => name?.startsWith('`'));

  it('explains every setting, and no other', () => {
    expect(rows.map(([name]) => name?.replaceAll('`', '')).toSorted()).toEqual(configNames.toSorted());
  });

  it('states every default as in the code', () => {
    useSettings({ TABLE_NAME: 'documentation' });
    // Settings that the deployment leaves at the functions' defaults.
    const own = settings();
    const { mailFrom, tags: _, allowedNetworks: __, ...config } = readConfig(exampleSettings);
    expect([mailFrom.text]).toEqual(Object.values(exampleSettings));
    const defaults: Record<string, string | number | boolean | undefined> = {
      registerLimitPerHour: own.REGISTER_LIMIT_PER_HOUR,
      loginFailureLimit: own.LOGIN_FAILURE_LIMIT,
      passwordResetLimitPerHour: own.PASSWORD_RESET_LIMIT_PER_HOUR,
      organizationsPerUser: own.ORGANIZATIONS_PER_USER,
      invitationLimitPerDay: own.INVITATION_LIMIT_PER_DAY,
      requestsPerMinute: own.REQUESTS_PER_MINUTE,
      stepUpFreshSeconds: own.STEP_UP_FRESH_SECONDS,
      snapshotCacheBytes: own.SNAPSHOT_CACHE_BYTES,
      verifiedEmailRequired: own.VERIFIED_EMAIL_REQUIRED,
      ...config,
    };
    const expected = configNames.map(name => [name, defaults[name] === undefined ? '–' : `\`${defaults[name]}\``]);
    const written = rows.map(([name, value]) => [name?.replaceAll('`', ''), value]);
    expect(Object.fromEntries(written)).toEqual(Object.fromEntries(expected));
  });

  it('deploys with settings that the code accepts', () => {
    const [, settings = ''] = chapterOf(page, '## Deploy').match(/^```json\n([\s\S]*?)^```$/m) ?? [];
    expect(() => readConfig(JSON.parse(settings))).not.toThrow();
    expect(chapterOf(page, '## Deploy')).toMatch(/^npm run deploy -- production$/m);
  });

  it('says what to do for every alarm and every warning', () => {
    // With the options that bring alarms of their own.
    const backupVaultArn = exampleVault;
    const { ofType } = synthesize({
      ...fullSettings,
      region: 'eu-central-1',
      replicaRegion: 'eu-west-1',
      backupVaultArn,
      auditArchiveDays: 400,
    });
    // One section serves the alarms of all areas that are deployed gradually.
    const sectionOf = (name: string) => name.replace(/^holdfast-/, '').replace(/^(Deployment)-.*/, '$1');
    const alarms = ofType('AWS::CloudWatch::Alarm').map(({ resource: { Properties } }) => ({
      name: sectionOf(String(Properties.AlarmName)),
      text: String(Properties.AlarmDescription),
    }));
    const warnings = ofType('AWS::Events::Rule').flatMap(({ id, resource: { Properties } }) => {
      const [{ Input: text }] = Properties.Targets;
      return String(text).startsWith('"[') ? [{ name: id.replace(/[0-9A-F]{8}$/, ''), text: String(text) }] : [];
    });
    const all = [...alarms, ...warnings];
    const chapter = chapterOf(page, '## When an alarm goes off');
    const sections = [...chapter.matchAll(/^### (\w+)$/gm)].map(match => match[1]);
    expect(sections.toSorted()).toEqual([...new Set(all.map(({ name }) => name))].toSorted());
    const pages = all.filter(({ text }) => /^"?\[page\] /.test(text)).map(({ name }) => name);
    expect(chapter).toContain(`| page | ${pages.toSorted().join(', ')} |`);
  });
});

describe('platform.md', () => {
  it('shows settings that the code accepts', () => {
    const [, given = ''] = read('docs/platform.md').match(/^```json\n([\s\S]*?)^```$/m) ?? [];
    expect(() => readConfig(JSON.parse(given))).not.toThrow();
  });

  it('shows a key policy with exactly the actions that functions use', () => {
    const [, policy = ''] =
      chapterOf('docs/platform.md', '## An existing key').match(/^```json\n([\s\S]*?)^```$/m) ?? [];
    const uses = synthesize()
      .statements()
      .filter(({ Sid }) => Sid?.startsWith('UseKeyOf'));
    expect(JSON.parse(policy).Action).toEqual([...new Set(uses.flatMap(({ Action }) => Action))].toSorted());
  });
});

describe('performance.md', () => {
  const page = 'docs/performance.md';

  it('has the counts committed by the benchmark', () => {
    const committed = read('test/bench/counts.md').split('\n');
    const written = chapterOf(page, '## Counts').match(/^\|.*\|$/gm) ?? [];
    expect(written.length).toBeGreaterThan(5);
    expect(written.filter(row => !committed.includes(row))).toEqual([]);
  });

  it('explains a pull by calls that add up to its counts', () => {
    const rows = rowsIn(page, '## What a pull costs');
    const sum = (kind: string) =>
      rows.reduce(
        (total, [, , units]) => total + Number(new RegExp(`^(\\d+) ${kind}$`).exec(units ?? '')?.[1] ?? 0),
        0,
      );
    const counts = JSON.parse(read('test/bench/counts.json')) as Record<string, unknown>[];
    const pull = counts.find(({ operation }) => operation === 'pull 50 secrets of 200 B');
    expect(pull).toMatchObject({ roundTrips: 2, calls: 4, readUnits: sum('read'), writeUnits: sum('write') });
    expect(rows.filter(([trip]) => /^\d$/.test(trip ?? ''))).toHaveLength(5);
  });

  it('has the costs that `npm run operate -- cost-table` prints', () => {
    const printed = execFileSync('npm', ['run', '--silent', 'operate', '--', 'cost-table'], {
      cwd: root,
      encoding: 'utf8',
    }).split('\n');
    const written = chapterOf(page, '## Costs')
      .split('\n')
      .filter(line => line.startsWith('|') || line.startsWith('Storage:'));
    expect(written.length).toBeGreaterThan(10);
    expect(written.filter(line => !printed.includes(line))).toEqual([]);
    // The months must be complete, or their sums would be wrong.
    const months = printed.slice(printed.indexOf('| An idle month | |')).filter(line => line !== '');
    expect(written).toEqual(expect.arrayContaining(months));
  });
});

it('lists the claims that identify the owner at each shared issuer', () => {
  const items = chapterOf('docs/workload-identity.md', '## Shared issuers').replaceAll(/\n +/g, ' ');
  const named = (list = '') => [...list.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
  const documented = [...items.matchAll(/^- (.+): (.+)$/gm)].flatMap(([, issuers, claims]) =>
    named(issuers).map(issuer => [issuer, named(claims)] as const),
  );

  expect(documented.length).toBeGreaterThan(15);
  expect(documented.map(([issuer]) => [issuer, claimsOfOwner(issuer)])).toEqual(documented);
});
