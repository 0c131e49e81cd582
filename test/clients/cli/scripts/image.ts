import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { buildDownloads, type Downloads } from '#clients/cli/build-downloads.ts';
import type { Ending } from '../cli.ts';

export interface Shell {
  name: string;
  command: readonly string[];
}

export const pathOf = (program: string): string | undefined =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .map(folder => join(folder, program))
    .find(path => existsSync(path));

const allShells: readonly Shell[] = [
  { name: 'dash', command: ['dash'] },
  { name: 'bash', command: ['bash'] },
  { name: 'bash --posix', command: ['bash', '--posix'] },
  { name: 'busybox', command: ['busybox', 'sh'] },
];

/** Those of this machine. The others are skipped, and named. */
export const shells = allShells.filter(({ command: [program = ''] }) => pathOf(program) !== undefined);

const ldd = pathOf('ldd') ?? '';
const canMakeRoot = process.geteuid?.() === 0 && ldd !== '' && pathOf('mknod') !== undefined;

function reportSkipped(): void {
  const skipped = allShells.filter(shell => !shells.includes(shell)).map(({ name }) => `${name}: it is not installed`);
  if (!canMakeRoot) skipped.push('a root file system: only root can make one, so the programs ran in this one');
  for (const reason of skipped) process.stderr.write(`SKIPPED: run.sh in ${reason}\n`);
}

interface Options {
  env?: Record<string, string | undefined>;
  flags?: readonly string[];
  /** A program of this machine, and its arguments, that runs all of it. */
  under?: readonly string[];
  input?: string;
}

export const busybox = allShells.find(({ name }) => name === 'busybox') as Shell;

export type Image = ReturnType<typeof makeImage>;

/** A small root file system without Node for root's chroot; for anyone else, a folder that is the whole PATH. */
function makeImage(programs: readonly string[], others: readonly string[] = []) {
  const root = mkdtempSync(join(tmpdir(), 'holdfast-image-'));
  const copy = (from: string, to: string) => {
    mkdirSync(dirname(join(root, to)), { recursive: true });
    cpSync(realpathSync(from), join(root, to));
  };
  const install = (folder: string, program: string) => {
    const path = pathOf(program);
    if (path === undefined) throw new Error(`${program} is not installed.`);
    copy(path, join(folder, program));
    const { stdout } = spawnSync(ldd, [path], { encoding: 'utf8' });
    for (const [, library = ''] of canMakeRoot ? stdout.matchAll(/(\/\S+) \(0x/g) : []) copy(library, library);
  };
  for (const program of programs) install('bin', program);
  for (const program of others) install('other', program);
  for (const folder of ['dev', 'tmp']) mkdirSync(join(root, folder), { mode: 0o777 });
  if (canMakeRoot) spawnSync('mknod', ['-m', '666', join(root, 'dev/null'), 'c', '1', '3']);
  const within = (name: string) => (canMakeRoot ? name : join(root, name));
  const chroot = canMakeRoot ? [pathOf('chroot') ?? '', root] : [];

  return {
    file: (name: string, text: string | Buffer): void => {
      const path = join(root, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
      chmodSync(path, 0o755);
    },
    /** How the programs in it call a file. */
    seenAs: within,
    pathOf: (name: string) => join(root, name),
    /** Runs a script of it in the shell, with nothing in the environment but these variables and PATH. */
    run: (shell: Shell, script: string, words: readonly string[], options: Options = {}) => {
      const { env = {}, flags = [], under = [], input } = options;
      const [program = '', ...rest] = shell.command;
      const [first = '', ...command] = [
        ...under,
        ...chroot,
        within(`/bin/${program}`),
        ...rest,
        ...flags,
        ...[script, ...words].map(word => (word.startsWith('/') ? within(word) : word)),
      ];
      const child = spawn(first, command, { cwd: root, env: { PATH: within('/bin'), ...env }, stdio: 'pipe' });
      const [out, errors]: [Buffer[], Buffer[]] = [[], []];
      child.stdout.on('data', chunk => out.push(chunk));
      child.stderr.on('data', chunk => errors.push(chunk));
      child.stdin.on('error', () => undefined);
      child.stdin.end(input);
      return new Promise<Ending & { pid: number }>((resolve, reject) => {
        child.on('error', reject);
        child.on('close', (code, signal) => {
          const [stdout = '', stderr = ''] = [out, errors].map(chunks => Buffer.concat(chunks).toString());
          resolve({ code, signal, stdout, stderr, pid: child.pid ?? 0 });
        });
      });
    },
    files: () =>
      globSync('**/*', { cwd: root, withFileTypes: true }).map(({ parentPath, name }) => join(parentPath, name)),
    remove: () => {
      if (existsSync(root)) rmSync(root, { recursive: true, force: true });
    },
  };
}

let building: Promise<Downloads> | undefined;

/** Adds the run.sh of the service at this address. */
async function withScript(image: Image, url: string): Promise<Image> {
  if (building === undefined) reportSkipped();
  building ??= buildDownloads();
  image.file('run.sh', (await building)(url).get('/run.sh') ?? '');
  return image;
}

/** The shells of this machine, these programs and run.sh. */
export function makeShellImage(url: string, programs: readonly string[], others = ['env']): Promise<Image> {
  const ofShells = new Set(shells.map(({ command: [program = ''] }) => program));
  return withScript(makeImage([...ofShells, ...programs], others), url);
}

/** Nothing but run.sh and busybox, under the names of those of its programs that a script or a test calls. */
export function makeBusyboxImage(url: string): Promise<Image> {
  const image = makeImage(shells.includes(busybox) ? ['busybox'] : []);
  for (const program of shells.includes(busybox) ? ['wget', 'sleep', 'env'] : []) {
    image.file(`bin/${program}`, readFileSync(image.pathOf('bin/busybox')));
  }
  return withScript(image, url);
}
