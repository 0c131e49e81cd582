import { execFileSync, spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import type { Dialect } from '#lib/formats/dotenv/dialects.ts';

/** Undefined for a file that the tool refuses. Null for a key without a value. */
type Values = Map<string, string | null> | undefined;

export interface Tool {
  name: string;
  dialect: Dialect;
  missing?: string | undefined;
  /** Whether it may run the file: a shell must not see what it would execute. */
  runsFiles?: boolean;
  read: (files: readonly string[]) => Values[];
}

const directory = mkdtempSync(join(tmpdir(), 'holdfast-dialects-'));
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));

const maxBuffer = 1 << 28;
const path = join(directory, 'files.json');

function python(script: string, files: readonly string[]): Values[] {
  writeFileSync(path, JSON.stringify(files));
  const answer = execFileSync('python3', ['-X', 'utf8', '-c', script, path, join(directory, 'one')], {
    encoding: 'utf8',
    maxBuffer,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return (JSON.parse(answer) as ([string, string | null][] | null)[]).map(entries =>
    entries === null ? undefined : new Map(entries),
  );
}

const pythonDotenv = `
import dotenv, json, logging, os, sys
logging.disable(logging.CRITICAL)
os.environ.clear()
answers = []
for text in json.load(open(sys.argv[1])):
    open(sys.argv[2], "w", newline="").write(text)
    answers.append(list(dotenv.dotenv_values(sys.argv[2], encoding="utf-8").items()))
print(json.dumps(answers))
`;

const systemdLibrary = globSync([
  '/usr/lib/*/systemd/libsystemd-shared-*.so',
  '/usr/lib/systemd/libsystemd-shared-*.so',
])[0];

/** Before 254, a backslash at the end of a comment continued it. */
export const continuesComments = Number(/shared-(\d+)/.exec(systemdLibrary ?? '')?.[1]) < 254;

const systemd = `
import ctypes, json, sys
library = ctypes.CDLL("${systemdLibrary}")
load = library.load_env_file
load.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.POINTER(ctypes.POINTER(ctypes.c_char_p))]
library.env_name_is_valid.argtypes = [ctypes.c_char_p]
library.env_name_is_valid.restype = ctypes.c_bool
answers = []
for text in json.load(open(sys.argv[1])):
    open(sys.argv[2], "w", newline="").write(text)
    found = ctypes.POINTER(ctypes.c_char_p)()
    if load(None, sys.argv[2].encode(), ctypes.byref(found)) < 0:
        answers.append(None)
        continue
    entries, at = [], 0
    while found and found[at] is not None:
        key, value = found[at].split(b"=", 1)
        if library.env_name_is_valid(key): entries.append([key.decode(), value.decode()])
        at += 1
    answers.append(entries)
print(json.dumps(answers))
`;

const missingUnless = (command: string, ...args: string[]): string | undefined =>
  spawnSync(command, args, { stdio: 'ignore' }).status === 0 ? undefined : `no ${[command, ...args].join(' ')}`;

const ownVariables = new Set(['PATH', 'PWD', 'OLDPWD', 'SHLVL', '_', 'file']);

/** Sources each file in a subshell and prints what a child process would get. */
function shell(name: string, command: string, ...args: string[]): Tool {
  const script =
    'for file in ./*; do printf "@@%s\\0" "$file"; (set -a; . "$file"; exec env -0) 2>/dev/null; done; true';
  const read = (files: readonly string[]): Values[] => {
    const folder = mkdtempSync(join(directory, 'shell-'));
    mkdirSync(folder, { recursive: true });
    for (const [index, text] of files.entries()) writeFileSync(join(folder, String(index).padStart(6, '0')), text);
    const env = { PATH: '/usr/bin:/bin' };
    const printed = execFileSync(command, [...args, '-c', script], {
      cwd: folder,
      env,
      encoding: 'utf8',
      maxBuffer,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const answers: Values[] = files.map(() => new Map());
    let current: Values;
    for (const part of printed.split('\0')) {
      const equals = part.indexOf('=');
      if (part.startsWith('@@')) current = answers[Number(part.slice('@@./'.length))];
      else if (equals > 0 && !ownVariables.has(part.slice(0, equals))) {
        current?.set(part.slice(0, equals), part.slice(equals + 1));
      }
    }
    return answers;
  };
  return { name, dialect: 'sh', runsFiles: true, missing: missingUnless(command, ...args, '-c', 'env -0'), read };
}

export const tools: readonly Tool[] = [
  {
    name: `util.parseEnv of Node ${process.versions.node}`,
    dialect: 'node',
    missing: process.versions.node.startsWith('24.') ? undefined : 'not Node 24',
    read: files => files.map(text => new Map(Object.entries(parseEnv(text)) as [string, string][])),
  },
  {
    name: 'python-dotenv',
    dialect: 'python',
    missing: missingUnless('python3', '-c', 'import dotenv; assert hasattr(dotenv, "dotenv_values")'),
    read: files => python(pythonDotenv, files),
  },
  {
    name: 'systemd',
    dialect: 'systemd',
    missing: systemdLibrary === undefined ? 'no libsystemd-shared' : missingUnless('python3', '-c', 'import ctypes'),
    read: files => python(systemd, files),
  },
  shell('dash', 'dash'),
  shell('bash', 'bash', '--norc'),
  shell('bash --posix', 'bash', '--posix'),
  shell('busybox', 'busybox', 'sh'),
  shell('sh', 'sh'),
];
