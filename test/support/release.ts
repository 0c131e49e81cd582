import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';
import type { Handler, LoadHandler } from '#infra/local/lambda/invoke.ts';

const folder = join(import.meta.dirname, '../../releases');
const extension = '.mjs.br';

/** The version that `infra/build/keep-release.ts` has kept. */
export const keptRelease = readdirSync(folder)
  .find(file => file.endsWith(extension))
  ?.slice(0, -extension.length);

/** The functions of a kept release, which is unpacked into the directory. */
export async function loadRelease(version: string | undefined, directory: string): Promise<LoadHandler> {
  if (version === undefined) throw new Error('No release is kept: run `node infra/build/keep-release.ts <version>`.');
  const file = join(directory, `${version}.mjs`);
  writeFileSync(file, brotliDecompressSync(readFileSync(join(folder, version + extension))));
  const { handlers }: { handlers: Record<string, Handler> } = await import(pathToFileURL(file).href);
  return async ({ area, name }) => handlers[`${area}/${name}`] ?? (() => ({ statusCode: 404, body: '{}' }));
}
