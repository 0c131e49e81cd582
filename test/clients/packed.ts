import { execFile } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';

export const run = promisify(execFile);

/** Packs a client and installs it offline in a project of its own. */
export async function installPacked(client: string, manifest: object, ...flags: string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-package-'));
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: client });
  const [packed] = JSON.parse(stdout.slice(stdout.indexOf('[')));
  return installIn(folder, join(folder, packed.filename), manifest, ['--offline', ...flags]);
}

/** Installs the package at an address in a project of its own. */
export const installServed = (address: string, manifest: object) =>
  installIn(mkdtempSync(join(tmpdir(), 'holdfast-package-')), address, manifest, []);

async function installIn(folder: string, source: string, manifest: object, flags: string[]) {
  const project = join(folder, 'project');
  const install = async (name: string, content: object, words: string[]) => {
    const cwd = join(folder, name);
    mkdirSync(cwd);
    writeFileSync(join(cwd, 'package.json'), JSON.stringify({ private: true, ...content }));
    await run('npm', ['install', '--no-audit', '--no-fund', ...words], { cwd });
  };
  await install('project', manifest, [...flags, source]);
  const [installed = ''] = globSync('node_modules/@holdfast/*', { cwd: project });
  const files = globSync('**/*', { cwd: join(project, installed), withFileTypes: true });
  return {
    folder,
    project,
    files: files
      .filter(one => one.isFile())
      .map(one => relative(join(project, installed), join(one.parentPath, one.name))),
    /** @returns the program of a version of Node from the registry */
    node: async (major: number): Promise<string> => {
      await install(`node-${major}`, {}, ['--prefer-offline', `node@${major}`]);
      const program = join(folder, `node-${major}/node_modules/node/bin/node`);
      expect((await run(program, ['--version'])).stdout).toMatch(new RegExp(`^v${major}\\.`));
      return program;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
