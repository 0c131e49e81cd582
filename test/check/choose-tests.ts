import { basename, dirname, join } from 'node:path';

/** The project's files, and for each TypeScript file the files that it imports. */
export interface Tree {
  files: readonly string[];
  imports: ReadonlyMap<string, readonly string[]>;
}

/** More distant importers of a changed file are left to the full check. */
const farthest = 2;
const isTest = (file: string) => file.startsWith('test/') && file.endsWith('.test.ts');
/** They check the order of the modules, whatever changes. */
const always = ['test/structure.test.ts'];

/** The tests nearest to a client, whose names tell which command or screen they cover. */
const clientTests = [
  ['clients/cli/', ['test/clients/cli/settings.test.ts', 'test/clients/cli/changes.test.ts']],
  [
    'clients/github-action/',
    ['test/clients/github-action/bundle.test.ts', 'test/clients/github-action/action.test.ts'],
  ],
  ['clients/python/', ['test/clients/python/cases.test.ts', 'test/clients/python/against-service.test.ts']],
  ['clients/sdk/', ['test/clients/sdk/pull.test.ts', 'test/clients/sdk/writes.test.ts']],
  ['clients/dashboard/', ['test/clients/dashboard/stage.test.ts', 'test/clients/dashboard/flows.test.ts']],
] as const;

/**
 * The test files for a change, nearest first: changed, named like what changed, of endpoints that use it, importing it.
 * Vitest's `related` doesn't know about the endpoints, because the gateway loads functions by their name. Pure.
 */
export function chooseTests(changed: readonly string[], tree: Tree): string[] {
  const existing = new Set(tree.files);
  const chosen = new Set(always.filter(file => existing.has(file)));
  const add = (files: readonly string[]) => {
    for (const file of files) if (existing.has(file) && isTest(file)) chosen.add(file);
  };
  add(changed);
  add(changed.flatMap(file => testsNamedLike(file, tree)));
  let near: readonly string[] = changed.filter(file => !isTest(file));
  for (let distance = 0; distance <= farthest; distance += 1) {
    add(near.filter(file => file.startsWith('functions/')).flatMap(file => testsOfFunction(file, tree)));
    near = importersOf(near, tree);
  }
  if (changed.some(file => file.endsWith('.md'))) add(['test/docs/docs.test.ts']);
  if (changed.some(file => file.startsWith('lib/contracts/'))) {
    add(['test/lib/contracts/routes.test.ts', 'test/infra/openapi.test.ts']);
  }
  for (const [client, tests] of clientTests) if (changed.some(file => file.startsWith(client))) add(tests);
  const importers = importersOf(changed, tree);
  const isQuick = (file: string) => /^test\/(lib|functions|infra)\//.test(file);
  add(importers.filter(isQuick));
  add(importers);
  return [...chosen];
}

/** `lib/a/b.ts` → `test/lib/a/b.test.ts`; in `clients/x/src/…` the directory `src` is left out. */
function testsNamedLike(file: string, { files }: Tree): string[] {
  const mirrored = `test/${file.replace('/src/', '/').replace(/\.tsx?$/, '')}.test.ts`;
  if (files.includes(mirrored)) return [mirrored];
  const folder = dirname(mirrored);
  if (folder === 'test' || !folder.includes('/')) return [];
  return files.filter(test => dirname(test) === folder && isLikeIt(test, file));
}

/** A test of several files is named after their subject. */
function isLikeIt(test: string, file: string): boolean {
  const words = basename(file).replace(/\..*$/, '').split('-');
  return basename(test, '.test.ts')
    .split('-')
    .some(word => words.includes(word));
}

/** The test of the operation, or else of its area. */
function testsOfFunction(file: string, { files }: Tree): string[] {
  const area = `test/functions/${basename(dirname(file))}`;
  const own = `${area}/${basename(file, '.ts')}.test.ts`;
  const ofArea = `${area}/${basename(area)}.test.ts`;
  return files.includes(own) ? [own] : [ofArea];
}

const importersOf = (imported: readonly string[], { imports }: Tree): string[] =>
  [...imports].filter(([, used]) => used.some(file => imported.includes(file))).map(([file]) => file);

export function importsIn(file: string, text: string): string[] {
  const specifiers = text.matchAll(/\b(?:from|import)\s*\(?\s*'((?:\.|#|@holdfast\/)[^']+)'/g);
  return [...specifiers].map(([, specifier = '']) => resolveImport(file, specifier));
}

/** The path from the root of what a file imports; a package by its name. */
export function resolveImport(file: string, specifier: string): string {
  if (specifier.startsWith('.')) return join(dirname(file), specifier);
  return specifier.replace(/^#/, '').replace(/^@holdfast\/(contracts|formats)\//, 'lib/$1/');
}
