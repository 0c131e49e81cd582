import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import { describe, expect, it } from 'vitest';

/* A file or a function that outgrows these sizes is split. */
const maximumFileLines = 400;
const maximumFunctionLines = 80;
const maximumParameters = 4;

/** Written by a command. */
const generated = ['clients/sdk/src/api-types.ts'];

/** One literal each, an entry after the other: cut in two they would be harder to read. */
const tables = ['infra/stacks/alarms.ts alarmsOn'];
const root = join(import.meta.dirname, '..');
const paths = globSync('{lib,functions,infra,clients}/**/*.{ts,tsx,js,cjs,css,py}', { cwd: root })
  .filter(path => !/(?:^|\/)(?:node_modules|dist)\//.test(path))
  .filter(path => !generated.includes(path))
  .toSorted();

interface Measured {
  /** The file and the function's name; a function without a name is measured under that of what it stands in. */
  name: string;
  lines: number;
  parameters: number;
  /** The whole body is one literal that is returned. */
  isLiteral: boolean;
}

type Node = { type: string; start: number; end: number };
type FunctionNode = Node & {
  id?: { name: string } | null;
  params: readonly unknown[];
  body: (Node & { body?: readonly (Node & { argument?: Node | null })[] }) | null;
};

function functionsOf(path: string): Measured[] {
  const text = readFileSync(join(root, path), 'utf8');
  const lineAt = (offset: number) => text.slice(0, offset).split('\n').length;
  const names = new Map<number, string>();
  const measured: Measured[] = [];
  const enclosing: { end: number; name: string }[] = [];
  const named = (value: Node | null, key: { name?: string; value?: unknown }) => {
    if (value !== null) names.set(value.start, key.name ?? String(key.value));
  };
  const enter = (node: FunctionNode) => {
    while ((enclosing.at(-1)?.end ?? Number.POSITIVE_INFINITY) <= node.start) enclosing.pop();
    const name = node.id?.name ?? names.get(node.start) ?? enclosing.at(-1)?.name ?? '(module)';
    enclosing.push({ end: node.end, name });
    measured.push({
      name: `${path} ${name}`,
      lines: lineAt(node.end) - lineAt(node.start) + 1,
      parameters: node.params.length,
      isLiteral: isLiteral(node),
    });
  };
  const visitor = new Visitor({
    VariableDeclarator: node => named(node.init, node.id as { name?: string }),
    Property: node => named(node.value as Node, node.key as { name?: string; value?: unknown }),
    PropertyDefinition: node => named(node.value, node.key as { name?: string; value?: unknown }),
    MethodDefinition: node => named(node.value, node.key as { name?: string; value?: unknown }),
    FunctionDeclaration: node => enter(node as unknown as FunctionNode),
    FunctionExpression: node => enter(node as unknown as FunctionNode),
    ArrowFunctionExpression: node => enter(node as unknown as FunctionNode),
  });
  visitor.visit(parseSync(path, text).program);
  return measured;
}

function isLiteral({ body }: FunctionNode): boolean {
  const literals = ['ObjectExpression', 'ArrayExpression'];
  if (body === null) return false;
  if (body.type !== 'BlockStatement') return literals.includes(body.type);
  const [only, ...more] = body.body ?? [];
  return more.length === 0 && only?.type === 'ReturnStatement' && literals.includes(only.argument?.type ?? '');
}

const functions = paths.filter(path => !/\.(?:css|py)$/.test(path)).flatMap(functionsOf);
const namesOf = (some: readonly Measured[]) => [...new Set(some.map(({ name }) => name))].toSorted();

describe('sizes', () => {
  it(`let no file have more than ${maximumFileLines} lines`, () => {
    expect(paths.length).toBeGreaterThan(400);
    const lineCount = (path: string) => readFileSync(join(root, path), 'utf8').split('\n').length - 1;
    expect(paths.filter(path => lineCount(path) > maximumFileLines)).toEqual([]);
  });

  it(`let no function have more than ${maximumFunctionLines} lines, but the tables named here`, () => {
    expect(functions.length).toBeGreaterThan(3000);
    const long = functions.filter(({ lines }) => lines > maximumFunctionLines);
    expect(namesOf(long.filter(({ isLiteral }) => isLiteral))).toEqual(tables);
    expect(namesOf(long.filter(({ isLiteral }) => !isLiteral))).toEqual([]);
  });

  it(`let no function take more than ${maximumParameters} parameters`, () => {
    const crowded = functions.filter(({ parameters }) => parameters > maximumParameters);
    expect(namesOf(crowded)).toEqual([]);
  });
});
