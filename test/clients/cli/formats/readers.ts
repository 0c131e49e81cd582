import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { parse as parse16 } from 'dotenv-16';
import { parse as parse17 } from 'dotenv-17';
import { parse as parse18 } from 'dotenv-18';
import { parse as parseYaml } from 'yaml';
import { parseDotenv } from '#lib/contracts/fields/dotenv.ts';
import { readAsCompose, readAsGithubRunner, readAsPowershell } from './transcribed-readers.ts';

type Values = Map<string, string>;

/** A program that reads a format. */
export interface Reader {
  name: string;
  format: string;
  /** Why it can't run on this machine. */
  missing?: string | undefined;
  read: (text: string) => Values | Promise<Values>;
  /** The number of entries per call; small if they are passed in an environment. */
  batch?: number;
}

const directory = mkdtempSync(join(tmpdir(), 'holdfast-formats-'));
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));

const printer = join(directory, 'print.mjs');
writeFileSync(printer, 'process.stdout.write(JSON.stringify(Object.entries(process.env)));');

function fileOf(text: string, name = 'file'): string {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
}

const valuesOf = (object: object): Values => new Map(Object.entries(object) as [string, string][]);

const maxBuffer = 1 << 28;

function output(command: string, args: string[], input = '', env: Record<string, string> = {}): string {
  return execFileSync(command, args, {
    input,
    maxBuffer,
    encoding: 'utf8',
    env: { PATH: process.env.PATH ?? '', HOME: directory, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

const missingUnless = (command: string): string | undefined =>
  spawnSync('sh', ['-c', `command -v ${command}`]).status === 0 ? undefined : `${command} is not installed`;

const missingPython = (module: string): string | undefined =>
  spawnSync('python3', ['-c', `import ${module}`]).status === 0 ? undefined : `python3 has no ${module}`;

const python = (script: string, path: string, input = ''): Values =>
  new Map(JSON.parse(output('python3', ['-X', 'utf8', '-c', script, path], input)));

/** The variables that a child process of the shell gets from the file. */
function shell(name: string, format: string, command: string[], before: string): Reader {
  const [program = ''] = command;
  return {
    name,
    format,
    missing: missingUnless(program),
    batch: 100,
    read: text => {
      const path = fileOf(text);
      const script = `${before} ${path}; exec ${process.execPath} ${printer}`;
      return new Map(JSON.parse(output(program, [...command.slice(1), '-c', script])));
    },
  };
}

const shells: [string, string[]][] = [
  ['dash', ['dash']],
  ['bash', ['bash', '--norc']],
  ['bash --posix', ['bash', '--posix']],
  ['zsh', ['zsh', '-f']],
  ['busybox', ['busybox', 'sh']],
];

/** The real docker command, with a fake daemon that records its request. */
async function readAsDocker(text: string): Promise<Values> {
  let variables: string[] = [];
  const daemon = createServer((request, response) => void answer(request, response));
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    response.setHeader('Api-Version', '1.50');
    response.setHeader('Content-Type', 'application/json');
    if (request.url?.includes('/containers/create')) {
      variables = JSON.parse(Buffer.concat(chunks).toString()).Env ?? [];
      response.writeHead(201).end('{"Id":"0123456789abcdef"}');
    } else response.end('{}');
  };
  await new Promise<void>(resolve => daemon.listen(0, '127.0.0.1', resolve));
  const { port } = daemon.address() as AddressInfo;
  const { spawn } = await import('node:child_process');
  try {
    const path = fileOf(text);
    await new Promise<void>((resolve, reject) => {
      let errors = '';
      const child = spawn('docker', ['create', '--env-file', path, 'image'], {
        env: { PATH: process.env.PATH ?? '', HOME: directory, DOCKER_HOST: `tcp://127.0.0.1:${port}` },
      });
      child.stderr.on('data', chunk => {
        errors += chunk;
      });
      child.on('exit', code => (code === 0 ? resolve() : reject(new Error(`docker: ${errors.slice(0, 300)}`))));
    });
  } finally {
    daemon.closeAllConnections();
    daemon.close();
  }
  return new Map(variables.map(line => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
}

/** systemd's own parser, in the library that all of its programs share. */
const systemdLibrary = globSync([
  '/usr/lib/*/systemd/libsystemd-shared-*.so',
  '/usr/lib/systemd/libsystemd-shared-*.so',
  '/lib/systemd/libsystemd-shared-*.so',
])[0];
const systemdScript = `
import ctypes, json, sys
library = ctypes.CDLL("${systemdLibrary}")
load = library.load_env_file
load.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.POINTER(ctypes.POINTER(ctypes.c_char_p))]
found = ctypes.POINTER(ctypes.c_char_p)()
result = load(None, sys.argv[1].encode(), ctypes.byref(found))
if result < 0: sys.exit("load_env_file: %d" % result)
entries, at = [], 0
while found and found[at] is not None:
    entries.append(found[at].decode().split("=", 1))
    at += 1
json.dump(entries, sys.stdout)
`;

function readAsTerraform(text: string): Values {
  const folder = mkdtempSync(join(directory, 'terraform-'));
  const names = Object.keys(JSON.parse(text));
  const declared = names.map(
    name => `variable "${name}" {\n  type = string\n}\noutput "${name}" {\n  value = var.${name}\n}\n`,
  );
  writeFileSync(join(folder, 'main.tf'), declared.join(''));
  writeFileSync(join(folder, 'secrets.tfvars.json'), text);
  const env = { TF_IN_AUTOMATION: '1', CHECKPOINT_DISABLE: '1' };
  const run = (...args: string[]) => output('terraform', [`-chdir=${folder}`, ...args], '', env);
  run('apply', '-auto-approve', '-input=false', '-no-color', '-var-file=secrets.tfvars.json');
  const outputs = JSON.parse(run('output', '-json')) as Record<string, { value: string }>;
  rmSync(folder, { recursive: true });
  return new Map(Object.entries(outputs).map(([name, { value }]) => [name, value]));
}

function readAsKubectl(text: string): Values {
  const folder = fileOf(text, 'secret.yaml');
  const { data = {} } = JSON.parse(output('kubectl', ['annotate', '--local', '-f', folder, '-o', 'json', 'read=yes']));
  return new Map(
    Object.entries(data as Record<string, string>).map(([key, value]) => [
      key,
      Buffer.from(value, 'base64').toString(),
    ]),
  );
}

const pythonDotenv = `
import dotenv, json, sys
json.dump(list(dotenv.dotenv_values(sys.argv[1], encoding="utf-8").items()), sys.stdout)
`;
const pyYaml =
  'import json, sys, yaml; json.dump(list(yaml.safe_load(open(sys.argv[1], encoding="utf-8", newline="")).items()), sys.stdout)';
const pyJson =
  'import json, sys; json.dump(list(json.load(open(sys.argv[1], encoding="utf-8", newline="")).items()), sys.stdout)';

const dotenvs: [string, (text: string) => object][] = [
  ['npm dotenv 16', parse16],
  ['npm dotenv 17', parse17],
  ['npm dotenv 18', parse18],
];

const readsOwnImport = (text: string): Values => {
  const { entries, problems } = parseDotenv(text);
  if (problems.length > 0) throw new Error(JSON.stringify(problems));
  return new Map(entries.map(({ key, value }) => [key, value]));
};

const systemd = (format: string): Reader => ({
  name: 'systemd',
  format,
  missing:
    systemdLibrary === undefined || !existsSync(systemdLibrary)
      ? 'libsystemd-shared is not there'
      : missingUnless('python3'),
  read: text => python(systemdScript, fileOf(text)),
});
const pythonReader = (format: string): Reader => ({
  name: 'python-dotenv',
  format,
  missing: missingPython('dotenv'),
  read: text => python(pythonDotenv, fileOf(text)),
});
const nodeReader = (format: string): Reader => ({
  name: `util.parseEnv of Node ${process.versions.node}`,
  format,
  read: text => valuesOf(parseEnv(text)),
});

export const readers: readonly Reader[] = [
  ...dotenvs.flatMap(([name, parse]) =>
    ['env', 'dotenv'].map(format => ({ name, format, read: (text: string) => valuesOf(parse(text)) })),
  ),
  nodeReader('env'),
  nodeReader('node'),
  pythonReader('env'),
  pythonReader('python-dotenv'),
  { name: 'our import', format: 'env', read: readsOwnImport },
  ...shells.map(([name, command]) => shell(name, 'env', command, 'set -a; .')),
  systemd('env'),
  { name: 'compose-go, transcribed', format: 'env', read: readAsCompose },
  ...shells.map(([name, command]) => shell(name, 'sh', command, '.')),
  shell('fish', 'fish', ['fish', '--no-config'], 'source'),
  { name: 'docker', format: 'docker', missing: missingUnless('docker'), read: readAsDocker },
  { name: 'compose-go, transcribed', format: 'compose', read: readAsCompose },
  systemd('systemd'),
  { name: 'JSON.parse', format: 'json', read: text => valuesOf(JSON.parse(text)) },
  {
    name: 'Python’s json',
    format: 'json',
    missing: missingUnless('python3'),
    read: text => python(pyJson, fileOf(text)),
  },
  { name: 'npm yaml', format: 'yaml', read: text => valuesOf(parseYaml(text)) },
  { name: 'PyYAML', format: 'yaml', missing: missingPython('yaml'), read: text => python(pyYaml, fileOf(text)) },
  { name: 'kubectl', format: 'k8s', missing: missingUnless('kubectl'), read: readAsKubectl, batch: 200 },
  { name: 'terraform', format: 'tfvars', missing: missingUnless('terraform'), read: readAsTerraform, batch: 500 },
  { name: 'the GitHub runner, transcribed', format: 'github', read: readAsGithubRunner },
  { name: 'PowerShell, after its documentation', format: 'powershell', read: readAsPowershell },
];
