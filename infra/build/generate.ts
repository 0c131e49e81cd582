import { spawnSync } from 'node:child_process';

/*
 * `npm run generate` writes the committed files that are derived from sources; `npm run generate -- openapi` writes just
 * that one. `npm run check` fails if one of them is stale.
 */

const generators = {
  routes: ['node', 'infra/build/write-routes.ts'],
  openapi: ['node', 'infra/openapi/write-openapi.ts'],
  'sdk-types': ['node', 'clients/sdk/write-types.ts'],
  'cli-reference': ['npm', 'run', '--silent', 'reference', '-w', '@holdfast/cli'],
  /** The drawing in docs/architecture.md. */
  layers: ['node', 'infra/build/layers.ts'],
  /** The table in docs/organization-export.md. */
  'export-kinds': ['node', 'infra/build/export-kinds.ts'],
  action: ['npm', 'run', '--silent', 'build', '-w', '@holdfast/github-action'],
  /** What each function’s role allows. */
  rights: ['vitest', 'run', 'test/infra/stacks/stacks.test.ts', '-t', 'of each function are these', '--update'],
  /** The screenshots in README.md and docs; only when named, because they differ with every font. */
  pictures: ['vitest', 'run', 'test/clients/dashboard/pictures.test.ts'],
} as const satisfies Record<string, readonly [string, ...string[]]>;

type Name = keyof typeof generators;
const names = Object.keys(generators) as Name[];
const requestedNames = process.argv.slice(2);
const unknownNames = requestedNames.filter(name => !Object.hasOwn(generators, name));
if (unknownNames.length > 0) {
  console.error(`Nothing is called ${unknownNames.join(', ')}. These are generated: ${names.join(', ')}.`);
  process.exit(2);
}
const chosen = requestedNames.length > 0 ? (requestedNames as Name[]) : names.filter(name => name !== 'pictures');
for (const name of chosen) {
  const [command, ...args] = generators[name];
  console.log(`generating ${name}`);
  const { status } = spawnSync(command, args, { stdio: 'inherit', env: { ...process.env, PICTURES: '1' } });
  if (status !== 0) process.exit(status ?? 1);
}
