import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buildDashboard } from '../../clients/dashboard/build.ts';

/** Builds the dashboard's files as CloudFront serves them. @returns the folder */
export async function writeDashboard(directory = join(import.meta.dirname, '../../dist/dashboard')): Promise<string> {
  rmSync(directory, { recursive: true, force: true });
  for (const [path, content] of await buildDashboard()) {
    const file = join(directory, path === '/' ? 'index.html' : path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  return directory;
}
