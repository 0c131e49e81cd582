import { execFile, execFileSync, type StdioOptions, spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv, promisify } from 'node:util';
import { parse as parse16 } from 'dotenv-16';
import { parse as parse17 } from 'dotenv-17';
import { parse as parse18 } from 'dotenv-18';
import { parse as parseYaml } from 'yaml';
import { parseDotenv } from '#lib/contracts/fields/dotenv.ts';
import { startDockerDaemon } from '#test/support/docker-daemon.ts';
import { readFileCommands } from '#test/support/github-runner.ts';
import { pathOf } from '../scripts/image.ts';
import { readAsCompose, readAsPowershell } from './transcribed-readers.ts';

type Values = Map<string, string>;

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

export const printer = join(directory, 'print.mjs');
writeFileSync(printer, 'process.stdout.write(JSON.stringify(Object.entries(process.env)));');

export function fileOf(text: string, name = 'file'): string {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
}

const valuesOf = (object: object): Values => new Map(Object.entries(object) as [string, string][]);

export function output(command: string, args: string[], more: Record<string, string> = {}): string {
  const env = { PATH: process.env.PATH ?? '', HOME: directory, ...more };
  // Not a pipe, which is a socket: bash would read its start files, as for a remote shell.
  const stdio: StdioOptions = ['ignore', 'pipe', 'pipe'];
  return execFileSync(command, args, { maxBuffer: 1 << 28, encoding: 'utf8', env, stdio });
}

const missingUnless = (command: string): string | undefined =>
  pathOf(command) === undefined ? `${command} is not installed` : undefined;

const missingPython = (module: string): string | undefined =>
  spawnSync('python3', ['-c', `import ${module}`]).status === 0 ? undefined : `python3 has no ${module}`;

/** Reads a file whose entries this script of Python prints. */
const python = (script: string) => (text: string) =>
  new Map(JSON.parse(output('python3', ['-X', 'utf8', '-c', script, fileOf(text)]))) as Values;

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
  const daemon = await startDockerDaemon();
  try {
    const env = { PATH: process.env.PATH ?? '', HOME: directory, ...daemon.variables };
    await promisify(execFile)('docker', ['create', '--env-file', fileOf(text), 'image'], { env });
  } finally {
    await daemon.stop();
  }
  const entryOf = (line: string): [string, string] => [
    line.slice(0, line.indexOf('=')),
    line.slice(line.indexOf('=') + 1),
  ];
  return new Map(daemon.createdWith().map(entryOf));
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
  const run = (...args: string[]) => output('terraform', [`-chdir=${folder}`, ...args], env);
  run('apply', '-auto-approve', '-input=false', '-no-color', '-var-file=secrets.tfvars.json');
  const outputs = JSON.parse(run('output', '-json')) as Record<string, { value: string }>;
  rmSync(folder, { recursive: true });
  return new Map(Object.entries(outputs).map(([name, { value }]) => [name, value]));
}

function readAsKubectl(text: string): Values {
  const folder = fileOf(text, 'secret.yaml');
  const { data = {} } = JSON.parse(output('kubectl', ['annotate', '--local', '-f', folder, '-o', 'json', 'read=yes']));
  const decoded = (value: string) => Buffer.from(value, 'base64').toString();
  return new Map(Object.entries(data as Record<string, string>).map(([key, value]) => [key, decoded(value)]));
}

const pythonDotenv = `
import dotenv, json, sys
json.dump(list(dotenv.dotenv_values(sys.argv[1], encoding="utf-8").items()), sys.stdout)
`;
const loaded = (library: string, load: string) =>
  python(`
import json, sys, ${library}
json.dump(list(${library}.${load}(open(sys.argv[1], encoding="utf-8", newline="")).items()), sys.stdout)
`);

const dotenvs = { 'npm dotenv 16': parse16, 'npm dotenv 17': parse17, 'npm dotenv 18': parse18 };

const readsOwnImport = (text: string): Values => {
  const { entries, problems } = parseDotenv(text);
  if (problems.length > 0) throw new Error(JSON.stringify(problems));
  return new Map(entries.map(({ key, value }) => [key, value]));
};

const python3 = missingUnless('python3');
const systemd = {
  name: 'systemd',
  missing: systemdLibrary === undefined ? 'libsystemd-shared is not there' : python3,
  read: python(systemdScript),
};
const pythonReader = { name: 'python-dotenv', missing: missingPython('dotenv'), read: python(pythonDotenv) };
const nodeReader = {
  name: `util.parseEnv of Node ${process.versions.node}`,
  read: (text: string) => valuesOf(parseEnv(text)),
};

export const readers: readonly Reader[] = [
  ...Object.entries(dotenvs).flatMap(([name, parse]) =>
    ['env', 'dotenv'].map(format => ({ name, format, read: (text: string) => valuesOf(parse(text)) })),
  ),
  { format: 'env', ...nodeReader },
  { format: 'node', ...nodeReader },
  { format: 'env', ...pythonReader },
  { format: 'python-dotenv', ...pythonReader },
  { name: 'our import', format: 'env', read: readsOwnImport },
  ...shells.map(([name, command]) => shell(name, 'env', command, 'set -a; .')),
  { format: 'env', ...systemd },
  { name: 'compose-go, transcribed', format: 'env', read: readAsCompose },
  ...shells.map(([name, command]) => shell(name, 'sh', command, '.')),
  shell('fish', 'fish', ['fish', '--no-config'], 'source'),
  { name: 'docker', format: 'docker', missing: missingUnless('docker'), read: readAsDocker },
  { name: 'compose-go, transcribed', format: 'compose', read: readAsCompose },
  { format: 'systemd', ...systemd },
  { name: 'JSON.parse', format: 'json', read: text => valuesOf(JSON.parse(text)) },
  { name: 'Python’s json', format: 'json', missing: python3, read: loaded('json', 'load') },
  { name: 'npm yaml', format: 'yaml', read: text => valuesOf(parseYaml(text)) },
  { name: 'PyYAML', format: 'yaml', missing: missingPython('yaml'), read: loaded('yaml', 'safe_load') },
  { name: 'kubectl', format: 'k8s', missing: missingUnless('kubectl'), read: readAsKubectl, batch: 200 },
  { name: 'terraform', format: 'tfvars', missing: missingUnless('terraform'), read: readAsTerraform, batch: 500 },
  { name: 'the GitHub runner, transcribed', format: 'github', read: readFileCommands },
  { name: 'PowerShell, after its documentation', format: 'powershell', read: readAsPowershell },
];
