import { execFile } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { shared, untilEnd } from '#test/support/fixtures.ts';
import { startApi } from '../support/api.ts';
import { seedPerson } from '../support/people.ts';
import { read, root } from './pages.ts';

/* The documented commands that no other test runs as printed. */
const runbooks = globSync('docs/runbooks/*.md', { cwd: root });
const operatorsPages = ['docs/operations.md', 'docs/first-deployment.md', ...runbooks];
/** Every piece of code of the operators' pages, in order and on one line each. */
const operatorsCode = operatorsPages.flatMap(page =>
  [...read(page).matchAll(/^ *```\w*\n([\s\S]*?)^ *```$|`([^`]+)`/gm)].flatMap(
    ([, block, inline = '']) => block?.trim().split(/\s*\n\s*/) ?? [inline.replaceAll(/\s+/g, ' ')],
  ),
);

/** Commands with arguments, as `script argument …`; the name of an operator's command is not an argument. */
const documentedCommands = operatorsCode.flatMap(code => {
  const [, script = '', args = ''] = /npm run ([\w:-]+) -- (.+)$/.exec(code) ?? [];
  const hasArguments = script === 'operate' ? args.includes(' ') : args !== '';
  return hasArguments ? [`${script} ${args}`] : [];
});

/** Values for the placeholders in documented commands. */
const placeholders: Readonly<Record<string, string>> = {
  '<Url>': 'http://127.0.0.1:1/v1',
  '<time>': '2026-11-26T10:00:00Z',
  $OLD_TABLE: 'holdfast-foundation-Table',
  $SINCE: '2026-11-26T10:00:00Z',
  '<role-arn>': 'arn:aws:iam::123456789012:role/restore',
};
/** A workflow's variables are single arguments too. */
const splitAtSpaces = (command: string) => command.replaceAll(/\$\{\{.*?\}\}/g, '<role-arn>').split(' ');
const filledIn = (argument: string) => placeholders[argument] ?? argument.replaceAll(/[<>]/g, '');

/** How the commands, Node's parser and the CDK reject arguments. */
const isRejected = (stderr: string) => /^Usage:|Unknown (option|argument|command)|Unexpected argument/im.test(stderr);
const api = shared(startApi);

interface Result {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a script of the package without any AWS credentials. */
async function npmRun(script: string, args: readonly string[] = [], env: Record<string, string> = {}): Promise<Result> {
  const { PATH, HOME } = process.env;
  try {
    const result = await promisify(execFile)('npm', ['run', '--silent', script, '--', ...args], {
      cwd: root,
      env: { ...(PATH === undefined ? {} : { PATH }), ...(HOME === undefined ? {} : { HOME }), ...env },
    });
    return { code: 0, ...result };
  } catch (error) {
    const { code, stdout, stderr } = error as Result;
    return { code, stdout, stderr };
  }
}

describe('the command', () => {
  it('`npm run operate -- recount` compares the counters of the running service with the actual counts', async () => {
    await seedPerson();
    const result = await npmRun('operate', ['recount'], { PORT: new URL(api.url).port });
    const stdout = expect.stringContaining('1 organization recounted, no drift.');
    expect(result).toEqual({ code: 0, stdout, stderr: '' });
  });

  it('`npm run deploy` rejects the example settings before it builds anything', async () => {
    const { code, stderr } = await npmRun('deploy', ['example']);
    expect(stderr).toBe('The setting mailFrom in installations/example.json still has its example value.\n');
    expect(code).toBe(1);
  });

  it('`npm run deploy` accepts settings only from a committed file', async () => {
    const unknown = await npmRun('deploy', ['nowhere']);
    expect(unknown.stderr).toContain('There is no file installations/nowhere.json.');
    const extra = await npmRun('deploy', ['example', '-c', 'domainName=secrets.acme.dev']);
    expect(extra.stderr).toContain('Settings come only from installations/example.json');
    const none = await npmRun('deploy');
    expect(none.stderr).toContain('Usage: npm run deploy -- <installation>');
    expect([unknown.code, extra.code, none.code]).toEqual([1, 1, 1]);
  });

  it('`npm run synth` creates the templates without credentials', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'holdfast-commands-'));
    await untilEnd({ stop: () => rmSync(directory, { recursive: true }) });
    const output = join(directory, 'cdk.out');
    const { code, stderr } = await npmRun('synth', ['--output', output]);
    expect(code, stderr).toBe(0);
    const templates = readdirSync(output).filter(name => name.endsWith('.template.json'));
    const expected = ['holdfast-foundation.template.json', 'holdfast-api.template.json'];
    expect(templates).toEqual(expect.arrayContaining(expected));
  });

  it('`npm run build` prints the contents of a named bundle', async () => {
    const { code, stdout, stderr } = await npmRun('build', ['pull-secrets']);
    expect(code, stderr).toBe(0);
    expect(stdout).toContain('pull-secrets contains:');
    expect(existsSync(join(root, 'dist/pull-secrets/index.mjs.map'))).toBe(true);
  });
});

describe('an operator’s page', () => {
  /** With the table of this test, and no other service of AWS. */
  const run = (script: string, args: readonly string[]) =>
    npmRun(script, args, {
      PORT: new URL(api.url).port,
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      AWS_ENDPOINT_URL: 'http://127.0.0.1:1',
      AWS_MAX_ATTEMPTS: '1',
    });

  it('has commands with arguments', () => {
    expect(documentedCommands).toEqual(
      expect.arrayContaining([
        'synth -c installation=production',
        'operate recount --fix',
        'operate recount --from <slug>',
        'grant-admin you@acme.dev',
        'revoke-admin you@acme.dev',
        'operate move-service production-standby --other-region-lost',
      ]),
    );
  });

  it.each([...new Set(documentedCommands)])('passes arguments that the command accepts: npm run %s', async command => {
    const [script = '', ...args] = splitAtSpaces(command);
    const { stderr } = await run(script, args.map(filledIn));
    expect(stderr).not.toSatisfy(isRejected);
  });

  it.each([
    'operate recount --nothing',
    'operate repair-environment acme',
    'grant-admin',
    'revoke-admin',
    'operate add-check-account acme /holdfast/check you@acme.dev',
    'operate move-service production --nothing',
    'operate ready-for-failover production standby',
    'operate smoke /holdfast/check',
    'operate parked production mails',
    'operate parked production webhooks --retry 1',
    'operate previous-version production',
  ])('could not pass other arguments: npm run %s', async command => {
    const [script = '', ...args] = command.split(' ');
    expect((await run(script, args)).stderr).toSatisfy(isRejected);
  });

  it('names only commands of the CDK', async () => {
    const named = new Set(operatorsCode.flatMap(code => code.match(/(?<=npx cdk )[\w-]+/g) ?? []));
    expect([...named].sort()).toEqual(['bootstrap', 'diff']);
    for (const command of named) {
      const { stdout } = await promisify(execFile)(join(root, 'node_modules/.bin/cdk'), [command, '--help']);
      expect(stdout).toContain(`cdk ${command}`);
    }
  });
});
