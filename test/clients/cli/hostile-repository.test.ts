import { execFileSync, spawn } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { formats } from '#lib/contracts/fields/formats/formats.ts';
import { shared, untilEnd } from '#test/support/fixtures.ts';
import { json, pullAnswer, startServer } from '../sdk/scripted-server.ts';
import { buildCli, type Ending, failure, variablesOf } from './cli.ts';

let values: Record<string, string> = {};
const cli = shared(buildCli);
const server = shared(() => startServer((request, response) => pullAnswer(3, values)(request, response)));
beforeEach(() => {
  values = { GREETING: 'hello' };
});

const environment = (more: Record<string, string> = {}) => ({
  ...variablesOf(server.url, 'service_tok_hostile', 'acme/web-shop/production'),
  ...more,
});
const holdfast = (words: string[], cwd = cli.home): Promise<Ending> => cli.run(words, { env: environment(), cwd });

describe('a name that a developer wrote to an environment they may not read', () => {
  const decideCode = `PATH LD_PRELOAD DYLD_X DYLD_INSERT_LIBRARIES GCONV_PATH BASH_ENV ENV PERL5OPT PERL5LIB PERL5DB PYTHONPATH
    PYTHONSTARTUP PYTHONHOME PYTHONWARNINGS RUBYOPT RUBYLIB NODE_OPTIONS NODE_PATH JAVA_TOOL_OPTIONS _JAVA_OPTIONS
    JDK_JAVA_OPTIONS CLASSPATH GIT_SSH_COMMAND GIT_SSH GIT_EXTERNAL_DIFF GIT_ASKPASS GIT_CONFIG_GLOBAL npm_config_script_shell
    NPM_CONFIG_REGISTRY DOTNET_STARTUP_HOOKS PHPRC LESSOPEN EDITOR PAGER HOME XDG_CONFIG_HOME HOLDFAST_ID_TOKEN_COMMAND
    LOCPATH NLSPATH INPUTRC MAKEFILES TAR_OPTIONS LESS VIMINIT AWS_PAGER SSH_SK_PROVIDER GIT_COMMON_DIR JAVACMD ES_JAVA_OPTS
    DOTNET_GCName DOTNET_gcName COMPlus_GCName PYTEST_ADDOPTS _PYTHON_SYSCONFIGDATA_NAME MPLBACKEND GUNICORN_CMD_ARGS
    RUBYGEMS_GEMDEPS BOOTSNAP_CACHE_DIR GOCACHEPROG RSYNC_CONNECT_PROG CLOUDSDK_PYTHON KUBECTL_EXTERNAL_DIFF GNUPGHOME
    DOCKER_CONFIG NAPI_RS_NATIVE_LIBRARY_PATH ESBUILD_BINARY_PATH npm_execpath SASL_PATH GSS_MECH_CONFIG ODBCSYSINI
    LIBMYSQL_PLUGINS TF_CLI_CONFIG_FILE ANSIBLE_CONFIG fish_function_path NULLCMD CFLAGS CCACHE_PREFIX
    PSModulePath XONSHRC HADOOP_CLASSPATH SERVER_JVMFLAGS JRUBY_OPTS LIBGL_DRIVERS_PATH VK_LAYER_PATH GTK3_MODULES
    QT_QPA_PLATFORM_PLUGIN_PATH COMPOSE_FILE TG_TF_PATH`;
  const decideTrust = `HTTPS_PROXY https_proxy HTTP_PROXY ALL_PROXY all_proxy NO_PROXY NODE_TLS_REJECT_UNAUTHORIZED
    NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR CURL_CA_BUNDLE REQUESTS_CA_BUNDLE GIT_SSL_NO_VERIFY SSLKEYLOGFILE
    AWS_ENDPOINT_URL GCE_METADATA_HOST DOCKER_CONTEXT AWS_CONTAINER_CREDENTIALS_FULL_URI SSH_AUTH_SOCK KRB5_CONFIG`;
  const names = `${decideCode} ${decideTrust}`.split(/\s+/);

  it('is rejected with its reason, and nothing is started', async () => {
    values = { ...Object.fromEntries(names.map(name => [name, 'planted'])), FINE: 'planted' };
    const ended = await holdfast(['run', 'echo', 'started']);
    expect(ended).toEqual(failure(125, /^(?!.*(?:planted|FINE))/s));
    const isNamed = (name: string) => new RegExp(`^  ${name} \\w.*--allow-name ${name}$`, 'm').test(ended.stderr);
    expect(names.filter(name => !isNamed(name))).toEqual([]);
  });

  it.each(Object.keys(formats).filter(name => formats[name]?.isData === undefined))(
    'is not written as %s, with the same reason, unless it is allowed',
    async format => {
      values = { ...Object.fromEntries(names.map(name => [name, 'planted'])), GREETING: 'hello' };
      const ended = await holdfast(['pull', '--format', format]);
      expect(ended).toEqual(failure(9, /^(?!.*(?:planted|hello))/s));
      // The runner and fish refuse some of them for reasons of their own.
      expect(names.filter(name => !new RegExp(`^  ${name} \\w`, 'm').test(ended.stderr))).toEqual([]);
      expect(ended.stderr).toMatch(/^ {2}BASH_ENV makes a shell run code; to pass it anyway: --allow-name BASH_ENV$/m);
      values = { BASH_ENV: 'allowed', LD_BIND_NOW: 'allowed' };
      expect((await holdfast(['pull', '--format', format, '--allow-name', 'BASH_ENV'])).code).toBe(9);
      const allowed = await holdfast(['pull', '--format', format, '--allow-name', 'BASH_ENV,LD_BIND_NOW']);
      expect([allowed.code, allowed.stdout.includes('LD_BIND_NOW')]).toEqual([0, true]);
    },
  );

  it.each(['json', 'yaml', 'tfvars'])('is written as %s, which is data', async format => {
    values = { BASH_ENV: 'planted' };
    const { code, stdout } = await holdfast(['pull', '--format', format]);
    expect([code, stdout.includes('planted')]).toEqual([0, true]);
  });

  it('is rejected as the name that a transformer makes, and passed under a harmless one', async () => {
    values = { HTTPS_PROXY: 'http://planted', FISH_GREETING: 'planted' };
    const lower = await holdfast(['run', '--name-transformer', 'lower', 'echo', 'started']);
    expect(lower).toEqual(failure(125, /https_proxy redirects[\s\S]*fish_greeting makes a shell/));
    const tfVar = await holdfast(['run', '--name-transformer', 'tf-var', 'sh', '-c', 'echo $TF_VAR_https_proxy']);
    expect(tfVar).toMatchObject({ code: 0, stdout: 'http://planted\n' });
  });

  it('is passed if allowed by name', async () => {
    values = { PYTHONPATH: '/opt/app', GREETING: 'hello' };
    const { code, stdout } = await holdfast(['run', '--allow-name', 'PYTHONPATH', 'sh', '-c', 'echo $PYTHONPATH']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '/opt/app\n' });
  });

  it('does not affect ordinary names', async () => {
    values = Object.fromEntries(
      `DATABASE_URL PYTHONUNBUFFERED NODE_ENV GIT_TOKEN GIT_SHA JAVA_VERSION MAVEN_PASSWORD NPM_TOKEN PGPASSWORD
      PROXY_USER CARGO_REGISTRY_TOKEN YARN_NPM_AUTH_TOKEN COMPOSER_AUTH DOCKER_PASSWORD TF_VAR_name SSH_PRIVATE_KEY
      AWS_REGION GOOGLE_APPLICATION_CREDENTIALS PGHOST VAULT_TOKEN BUNDLE_GITHUB__COM DOTNET_ENVIRONMENT
      UV_THREADPOOL_SIZE ENVIRONMENT PATH_PREFIX path`
        .split(/\s+/)
        .map(name => [name, 'fine']),
    );
    expect((await holdfast(['run', 'true'])).code).toBe(0);
  });
});

describe('a credential', () => {
  it('is not passed to the command that run starts', async () => {
    const given = `HOLDFAST_TOKEN_FILE HOLDFAST_ID_TOKEN HOLDFAST_ID_TOKEN_FILE HOLDFAST_ID_TOKEN_COMMAND
      HOLDFAST_ID_TOKEN_SOURCE ACTIONS_ID_TOKEN_REQUEST_URL ACTIONS_ID_TOKEN_REQUEST_TOKEN`.split(/\s+/);
    const env = environment(Object.fromEntries(given.map(name => [name, 'secret-of-the-job'])));
    const { stdout, code } = await cli.run(['run', 'env'], { env });
    expect(code).toBe(0);
    expect(stdout).toContain('GREETING=hello');
    expect(stdout).not.toMatch(/secret-of-the-job|service_tok_hostile|ID_TOKEN/);
  });

  it('is not sent unencrypted to a name that only looks like this machine', async () => {
    for (const host of ['127.evil.example', '127.0.0.1.evil.example', 'localhost.evil.example', '127.1.evil']) {
      const env = environment({ HOLDFAST_URL: `http://${host}` });
      expect(await cli.run(['list'], { env })).toEqual(failure(2, 'is not encrypted'));
    }
  });
});

it('a directory of settings in a repository is not the user’s own, even if HOME is empty', async () => {
  const cwd = join(cli.home, 'planted');
  const settings = { organization: 'acme', project: 'web-shop', environment: 'dev', url: server.url };
  cli.file('planted/.config/holdfast/settings.json', JSON.stringify(settings));
  for (const HOME of ['', '.']) {
    const env = { HOME, HOLDFAST_TOKEN: 'service_tok_hostile' };
    expect(await cli.run(['list'], { env, cwd })).toEqual(failure(2, 'No service address is set'));
  }
});

describe('a symbolic link in a repository', () => {
  const repository = () => join(cli.home, 'repository');

  beforeAll(() => {
    mkdirSync(join(repository(), 'config'), { recursive: true });
    mkdirSync(join(cli.home, 'elsewhere'));
    cli.file('bashrc', 'as it was\n');
    symlinkSync('../bashrc', join(repository(), '.env'));
    symlinkSync(join(cli.home, 'elsewhere'), join(repository(), 'linked'));
    symlinkSync('../elsewhere/new', join(repository(), 'dangling.env'));
    symlinkSync('config/real.env', join(repository(), 'inner.env'));
  });

  it('does not determine which of the user’s files is overwritten', async () => {
    for (const name of ['.env', 'linked/app.env', 'dangling.env', join(repository(), '.env')]) {
      const ended = await holdfast(['pull', '-o', name], repository());
      expect(ended, name).toEqual(failure(1, 'outside of this directory'));
    }
    expect(readFileSync(join(cli.home, 'bashrc'), 'utf8')).toBe('as it was\n');
    expect(existsSync(join(cli.home, 'elsewhere/app.env'))).toBe(false);
    expect(existsSync(join(cli.home, 'elsewhere/new'))).toBe(false);
  });

  it('does not decide where a path through the parent directory leads', async () => {
    const inside = join(repository(), 'config');
    for (const name of ['../linked/app.env', '../.env', join(repository(), 'linked/app.env')]) {
      expect(await holdfast(['pull', '-o', name], inside), name).toEqual(failure(1, 'nothing was written'));
    }
    expect(existsSync(join(cli.home, 'elsewhere/app.env'))).toBe(false);
  });

  it('is followed within the directory', async () => {
    expect((await holdfast(['pull', '-o', 'inner.env'], repository())).code).toBe(0);
    expect(lstatSync(join(repository(), 'inner.env')).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(repository(), 'config/real.env'), 'utf8')).toBe('GREETING=hello\n');
  });

  it('does not affect a file that the user names by its own path', async () => {
    expect((await holdfast(['pull', '-o', '../elsewhere/own.env'], repository())).code).toBe(0);
    expect(readFileSync(join(cli.home, 'elsewhere/own.env'), 'utf8')).toBe('GREETING=hello\n');
  });
});

describe('other people’s text', () => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may be there
  const controls = /[\u001b\u0007\u009b\u202e]/;
  const escapes = '\u001b]0;title\u0007\u001b[2Jgone\u009b31m\u202eback';

  it('reaches a terminal without control sequences, and a pipe unchanged', async () => {
    values = { GREETING: `${escapes}\nsecond line` };
    expect((await holdfast(['get', 'GREETING'])).stdout).toBe(values.GREETING);
    const { stdout } = await cli.converse(['get', 'GREETING'], [], { env: environment() });
    expect(stdout).not.toMatch(controls);
    expect(stdout).toContain('second line');
  });

  it('stands in a question without it: a directory of the repository', async () => {
    const cwd = join(cli.home, 'title\u001b]0;planted\u0007\u202e');
    mkdirSync(cwd);
    const settings = { organization: 'acme', project: 'web-shop', environment: 'dev', url: 'https://evil.example' };
    writeFileSync(join(cwd, '.holdfast.json'), JSON.stringify(settings));
    const dialog: [string, string][] = [['Sign in there? [y/N]', 'n\r']];
    const { code, stdout } = await cli.converse(['login', '--no-browser'], dialog, { cwd });
    expect(code).toBe(2);
    expect(stdout).toContain('\\u001b]0;planted\\u0007\\u202e');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may be there
    expect(stdout).not.toMatch(/\u001b\]|[\u0007\u202e]/);
  });

  it('is no slug: a server can choose neither what a question shows nor where edit puts its file', async () => {
    const environments = ['../../planted', escapes, 'dev'].map((slug, id) => ({ id, slug }));
    const organizations = [{ id: 'o-1', slug: 'acme', role: 'owner' }];
    const user = { user: {}, organizations, authentication: { method: 'session' } };
    const projects = { projects: [{ id: 'p-1', slug: 'web-shop', environments }] };
    const hostile = await untilEnd(
      startServer((request, ...rest) => json(200, request.path.endsWith('/me') ? user : projects)(request, ...rest)),
    );
    const env = environment({ HOLDFAST_URL: hostile.url, HOLDFAST_ENV: '', EDITOR: 'cat' });
    const { code, stdout } = await cli.converse(['edit'], [], { env });
    expect([code, stdout]).toEqual([2, expect.stringContaining('must be a slug')]);
  });

  it('appears in service messages without control sequences too', async () => {
    const error = { code: 'forbidden', message: `No ${escapes}.`, requestId: 'in-the-body' };
    const hostile = await untilEnd(
      startServer((_, response) =>
        response.writeHead(403, { 'content-type': 'application/json' }).end(JSON.stringify({ error })),
      ),
    );
    const { stderr, code } = await cli.run(['list'], { env: environment({ HOLDFAST_URL: hostile.url }) });
    expect(code).toBe(4);
    expect(stderr).not.toMatch(controls);
    // A proxy stripped the header, but the body has the id too.
    expect(stderr).toContain('(request in-the-body)');
  });
});

describe('pull --json', () => {
  it('leaves the file to --format, and reports on stdout what was written', async () => {
    const path = join(cli.home, 'app.yaml');
    const { code, stdout } = await holdfast(['pull', '--json', '--format', 'yaml', '--output', path]);
    expect(code).toBe(0);
    expect(readFileSync(path, 'utf8')).toBe('"GREETING": "hello"\n');
    const place = { organization: 'acme', project: 'web-shop', environment: 'production' };
    expect(JSON.parse(stdout)).toEqual({ ...place, revision: 3, format: 'yaml', file: path, count: 1 });
  });

  it('is rejected with a format for stdout, where it could only be ignored', async () => {
    expect(await holdfast(['pull', '--json', '--format', 'yaml'])).toEqual(failure(2, '--output FILE'));
  });
});

describe('a file or a pipe that never ends', () => {
  const zero = '/dev/zero';

  it.each([
    ['--override', ['run', '--allow-override', '--override', zero, 'echo', 'started'], 125],
    ['--from-file', ['set', 'KEY', '--from-file', zero], 1],
    ['push', ['push', zero], 1],
    ['diff', ['diff', 'production', zero], 1],
  ] as const)('is not read whole by %s', async (_, words, exitCode) => {
    expect(await holdfast([...words])).toEqual(failure(exitCode, '/dev/zero has more than 16 MiB'));
  });

  it('is not read whole from a named pipe or from standard input', async () => {
    const pipe = join(cli.home, 'pipe');
    execFileSync('sh', ['-c', 'mkfifo "$0"', pipe]);
    const writer = spawn('sh', ['-c', `yes >${pipe}`], { stdio: 'ignore' });
    const ended = new Promise(resolve => writer.once('exit', resolve));
    const overridden = await holdfast(['run', '--allow-override', '--override', pipe, 'echo', 'started']);
    expect(overridden).toEqual(failure(125, 'pipe has more than 16 MiB'));
    // It can't write to a pipe that nobody reads.
    await ended;
    const input = 'A=1\n'.repeat(5_000_000);
    const pushed = await cli.run(['push', '-'], { env: environment(), input });
    expect(pushed).toEqual(failure(1, 'Standard input has more than 16 MiB'));
  });

  it('is not read whole as the settings of a repository', async () => {
    const repository = join(cli.home, 'endless');
    mkdirSync(repository);
    symlinkSync(zero, join(repository, '.holdfast.json'));
    const ended = await holdfast(['run', 'echo', 'started'], repository);
    expect(ended).toEqual(failure(125, '.holdfast.json has more than 16 MiB'));
  });
});
