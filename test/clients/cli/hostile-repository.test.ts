import { execFileSync, spawn } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { formats } from '#lib/contracts/fields/formats/formats.ts';
import { shared } from '#test/support/fixtures.ts';
import { pullAnswer, startServer } from '../sdk/scripted-server.ts';
import { buildCli, type Ending, variablesOf } from './cli.ts';

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
  const decideCode = `PATH LD_PRELOAD DYLD_INSERT_LIBRARIES GCONV_PATH BASH_ENV ENV PERL5OPT PERL5LIB PERL5DB PYTHONPATH
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
    values = Object.fromEntries(names.map(name => [name, 'planted']));
    const { code, stdout, stderr } = await holdfast(['run', 'echo', 'started']);
    expect({ code, stdout }).toEqual({ code: 125, stdout: '' });
    expect(names.filter(name => !new RegExp(`^  ${name} \\w.*--allow-name ${name}$`, 'm').test(stderr))).toEqual([]);
    expect(stderr).not.toContain('planted');
  });

  it.each(Object.keys(formats).filter(name => formats[name]?.isData === undefined))(
    'is not written as %s, with the same reason, unless it is allowed',
    async format => {
      values = { ...Object.fromEntries(names.map(name => [name, 'planted'])), GREETING: 'hello' };
      const { code, stdout, stderr } = await holdfast(['pull', '--format', format]);
      expect({ code, stdout }).toEqual({ code: 9, stdout: '' });
      // The runner and fish refuse some of them for reasons of their own.
      expect(names.filter(name => !new RegExp(`^  ${name} \\w`, 'm').test(stderr))).toEqual([]);
      expect(stderr).toMatch(/^ {2}BASH_ENV makes a shell run code; to pass it anyway: --allow-name BASH_ENV$/m);
      expect(stderr).not.toMatch(/planted|hello/);
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
    const { code, stderr } = await holdfast(['run', '--name-transformer', 'lower', 'echo', 'started']);
    expect([code, stderr]).toEqual([
      125,
      expect.stringMatching(/https_proxy redirects[\s\S]*fish_greeting makes a shell/),
    ]);
    const tfVar = await holdfast(['run', '--name-transformer', 'tf-var', 'sh', '-c', 'echo $TF_VAR_https_proxy']);
    expect([tfVar.code, tfVar.stdout]).toEqual([0, 'http://planted\n']);
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
    const names = ['HOLDFAST_TOKEN_FILE', 'HOLDFAST_ID_TOKEN', 'HOLDFAST_ID_TOKEN_FILE', 'HOLDFAST_ID_TOKEN_COMMAND'];
    const given = [
      ...names,
      'ACTIONS_ID_TOKEN_REQUEST_URL',
      'ACTIONS_ID_TOKEN_REQUEST_TOKEN',
      'HOLDFAST_ID_TOKEN_SOURCE',
    ];
    const env = environment(Object.fromEntries(given.map(name => [name, 'secret-of-the-job'])));
    const { stdout, code } = await cli.run(['run', 'env'], { env });
    expect(code).toBe(0);
    expect(stdout).toContain('GREETING=hello');
    expect(stdout).not.toMatch(/secret-of-the-job|service_tok_hostile|ID_TOKEN/);
  });

  it('is not sent unencrypted to a name that only looks like this machine', async () => {
    for (const host of ['127.evil.example', '127.0.0.1.evil.example', 'localhost.evil.example', '127.1.evil']) {
      const { code, stderr } = await cli.run(['list'], { env: environment({ HOLDFAST_URL: `http://${host}` }) });
      expect({ host, code, said: stderr.includes('is not encrypted') }).toEqual({ host, code: 2, said: true });
    }
  });
});

it('a directory of settings in a repository is not the user’s own, even if HOME is empty', async () => {
  const cwd = join(cli.home, 'planted');
  const settings = { organization: 'acme', project: 'web-shop', environment: 'dev', url: server.url };
  cli.file('planted/.config/holdfast/settings.json', JSON.stringify(settings));
  for (const HOME of ['', '.']) {
    const env = { HOME, HOLDFAST_TOKEN: 'service_tok_hostile' };
    const { code, stderr } = await cli.run(['list'], { env, cwd });
    expect({ code, said: stderr.includes('No service address is set') }).toEqual({ code: 2, said: true });
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
      const { code, stdout, stderr } = await holdfast(['pull', '-o', name], repository());
      expect({ name, code, stdout }).toEqual({ name, code: 1, stdout: '' });
      expect(stderr).toContain('outside of this directory');
    }
    expect(readFileSync(join(cli.home, 'bashrc'), 'utf8')).toBe('as it was\n');
    expect(existsSync(join(cli.home, 'elsewhere/app.env'))).toBe(false);
    expect(existsSync(join(cli.home, 'elsewhere/new'))).toBe(false);
  });

  it('does not decide where a path through the parent directory leads', async () => {
    const inside = join(repository(), 'config');
    for (const name of ['../linked/app.env', '../.env', join(repository(), 'linked/app.env')]) {
      const { code, stderr } = await holdfast(['pull', '-o', name], inside);
      expect({ name, code, said: stderr.includes('nothing was written') }).toEqual({ name, code: 1, said: true });
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
  const escapes = '\u001b]0;title\u0007\u001b[2Jgone\u009b31m\u202eback';

  it('reaches a terminal without control sequences, and a pipe unchanged', async () => {
    values = { GREETING: `${escapes}\nsecond line` };
    expect((await holdfast(['get', 'GREETING'])).stdout).toBe(values.GREETING);
    const onTerminal = cli.start(['get', 'GREETING'], { env: environment(), terminal: true });
    const { stdout } = await onTerminal.ended;
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may be there
    expect(stdout).not.toMatch(/[\u001b\u0007\u009b\u202e]/);
    expect(stdout).toContain('second line');
  });

  it('stands in a question without it: a directory of the repository', async () => {
    const cwd = join(cli.home, 'title\u001b]0;planted\u0007\u202e');
    mkdirSync(cwd);
    const settings = { organization: 'acme', project: 'web-shop', environment: 'dev', url: 'https://evil.example' };
    writeFileSync(join(cwd, '.holdfast.json'), JSON.stringify(settings));
    const asked = cli.start(['login', '--no-browser'], { cwd, terminal: true });
    await asked.until('Sign in there? [y/N]');
    asked.child.stdin?.write('n\r');
    const { code, stdout } = await asked.ended;
    expect(code).toBe(2);
    expect(stdout).toContain('\\u001b]0;planted\\u0007\\u202e');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may be there
    expect(stdout).not.toMatch(/\u001b\]|[\u0007\u202e]/);
  });

  it('is no slug: a server can choose neither what a question shows nor where edit puts its file', async () => {
    const slugs = ['../../planted', escapes, 'dev'];
    const hostile = await startServer(({ path }, response) => {
      const body = path.endsWith('/me')
        ? {
            user: {},
            organizations: [{ id: 'o-1', slug: 'acme', role: 'owner' }],
            authentication: { method: 'session' },
          }
        : { projects: [{ id: 'p-1', slug: 'web-shop', environments: slugs.map((slug, id) => ({ id, slug })) }] };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    });
    try {
      const env = environment({ HOLDFAST_URL: hostile.url, HOLDFAST_ENV: '', EDITOR: 'cat' });
      const { code, stdout } = await cli.start(['edit'], { env, terminal: true }).ended;
      expect(code).toBe(2);
      expect(stdout).toContain('must be a slug');
    } finally {
      await hostile.stop();
    }
  });

  it('appears in service messages without control sequences too', async () => {
    const hostile = await startServer((_request, response) => {
      response.writeHead(403, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({ error: { code: 'forbidden', message: `No ${escapes}.`, requestId: 'in-the-body' } }),
      );
    });
    try {
      const { stderr, code } = await cli.run(['list'], { env: environment({ HOLDFAST_URL: hostile.url }) });
      expect(code).toBe(4);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may be there
      expect(stderr).not.toMatch(/[\u001b\u0007\u009b\u202e]/);
      // A proxy stripped the header, but the body has the id too.
      expect(stderr).toContain('(request in-the-body)');
    } finally {
      await hostile.stop();
    }
  });
});

describe('pull --json', () => {
  it('leaves the file to --format, and reports on stdout what was written', async () => {
    const path = join(cli.home, 'app.yaml');
    const { code, stdout } = await holdfast(['pull', '--json', '--format', 'yaml', '--output', path]);
    expect(code).toBe(0);
    expect(readFileSync(path, 'utf8')).toBe('"GREETING": "hello"\n');
    expect(JSON.parse(stdout)).toEqual({
      organization: 'acme',
      project: 'web-shop',
      environment: 'production',
      revision: 3,
      format: 'yaml',
      file: path,
      count: 1,
    });
  });

  it('is rejected with a format for stdout, where it could only be ignored', async () => {
    const { code, stdout, stderr } = await holdfast(['pull', '--json', '--format', 'yaml']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('--output FILE');
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
    const { code, stdout, stderr } = await holdfast([...words]);
    expect([code, stdout]).toEqual([exitCode, '']);
    expect(stderr).toContain('/dev/zero has more than 16 MiB');
  });

  it('is not read whole from a named pipe or from standard input', async () => {
    const pipe = join(cli.home, 'pipe');
    execFileSync('sh', ['-c', 'mkfifo "$0"', pipe]);
    const writer = spawn('sh', ['-c', `yes >${pipe}`], { stdio: 'ignore' });
    const ended = new Promise(resolve => writer.once('exit', resolve));
    const { code, stderr } = await holdfast(['run', '--allow-override', '--override', pipe, 'echo', 'started']);
    expect([code, stderr]).toEqual([125, expect.stringContaining('pipe has more than 16 MiB')]);
    // It can't write to a pipe that nobody reads.
    await ended;
    const input = 'A=1\n'.repeat(5_000_000);
    const pushed = await cli.run(['push', '-'], { env: environment(), input });
    expect([pushed.code, pushed.stderr]).toEqual([1, expect.stringContaining('Standard input has more than 16 MiB')]);
  });

  it('is not read whole as the settings of a repository', async () => {
    const repository = join(cli.home, 'endless');
    mkdirSync(repository);
    symlinkSync(zero, join(repository, '.holdfast.json'));
    const { code, stderr } = await holdfast(['run', 'echo', 'started'], repository);
    expect([code, stderr]).toEqual([125, expect.stringContaining('.holdfast.json has more than 16 MiB')]);
  });
});
