import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';

export const run = promisify(execFile);

/** Packs a client and installs it offline in a project of its own. */
export async function installPacked(client: string, manifest: object, ...flags: string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-package-'));
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: client });
  const [packed] = JSON.parse(stdout.slice(stdout.indexOf('[')));
  const project = join(folder, 'project');
  const install = async (name: string, content: object, words: string[]) => {
    const cwd = join(folder, name);
    mkdirSync(cwd);
    writeFileSync(join(cwd, 'package.json'), JSON.stringify({ private: true, ...content }));
    await run('npm', ['install', '--no-audit', '--no-fund', ...words], { cwd });
  };
  await install('project', manifest, ['--offline', ...flags, join(folder, packed.filename)]);
  return {
    folder,
    project,
    files: packed.files.map(({ path }: { path: string }) => path) as string[],
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
