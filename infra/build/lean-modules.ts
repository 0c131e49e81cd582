import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Plugin } from 'esbuild';
import { type Node, type ObjectExpression, parseSync, Visitor } from 'oxc-parser';
import { applyEdits, type Edit, memberRemovals, nameOf, removal } from './edit-source.ts';

/*
 * Contracts and records are data modules. They include the text of the documentation, and importing one builds the
 * schemas of a whole area. A function needs one contract, a few records and no documentation; loading the rest would
 * slow down every cold start. In the bundles, therefore,
 * - documentation is removed: `.meta(…)` and `.describe(…)` of schemas, and contract members that no request needs;
 * - every constant of such a module is marked as free of side effects, so that esbuild drops unused ones, and with them
 *   the modules that only those import;
 * - the schema of a record becomes a function, called when the first item of its kind is read;
 * - `z.string()` and other plain schemas are created only once, because schemas are immutable.
 */

const root = join(import.meta.dirname, '../..');
const pureModules = /[/\\]lib[/\\](?:contracts|formats|table[/\\]records)[/\\]/;
const dataModules = /[/\\]lib[/\\](?:contracts|table[/\\]records)[/\\].*\.ts$/;

/** Contract members that only the documentation, the roles and the deployment need. */
const contractDocumentation = ['area', 'summary', 'description', 'bodyExample', 'errors', 'uses', 'sizing'];
const responseDocumentation = ['description', 'example', 'headers'];

/** Schemas that take no arguments. */
const plainSchemas = ['string', 'int', 'number', 'boolean', 'unknown'];
const plainSchemasModule = 'plain-schemas';

export const leanModules: Plugin = {
  name: 'lean-modules',
  setup: ({ onLoad, onResolve }) => {
    const sources = new Map<string, string>();
    onResolve({ filter: new RegExp(`^${plainSchemasModule}$`) }, ({ path }) => ({ path, namespace: 'lean' }));
    onLoad({ filter: /.*/, namespace: 'lean' }, () => ({
      contents: [
        "import * as z from 'zod';",
        ...plainSchemas.map(name => `export const ${name} = /* @__PURE__ */ z.${name}();`),
      ].join('\n'),
      resolveDir: import.meta.dirname,
    }));
    // One build makes all functions, and esbuild keeps a statement in every bundle if any function uses it. So each
    // function gets its own copy of our modules, identified by a suffix that importers pass on to what they import.
    onResolve({ filter: /\.ts$/ }, ({ path, kind, resolveDir, pluginData }) => {
      if (kind === 'entry-point') return { path, suffix: `?${basename(path)}` };
      if (pluginData === undefined) return undefined;
      // `#lib/…` in package.json's imports is `lib/…`.
      const target = path.startsWith('#') ? join(root, path.slice(1)) : join(resolveDir, path);
      return { path: target, suffix: pluginData as string, sideEffects: !pureModules.test(target) };
    });
    onLoad({ filter: /\.ts$/ }, ({ path, suffix }) => {
      const contents = sources.get(path) ?? readModule(path);
      sources.set(path, contents);
      return { contents, loader: 'ts', pluginData: suffix === '' ? undefined : suffix };
    });
  },
};

function readModule(path: string): string {
  const source = readFileSync(path, 'utf8');
  return dataModules.test(path) ? leanSource(path, source) : source;
}

/** The module as bundled. Every line keeps its number, so that stack traces point to the source. */
export function leanSource(path: string, source: string): string {
  const { program, errors } = parseSync(path, source);
  if (errors.length > 0) throw new Error(`${path} does not parse: ${errors.map(({ message }) => message).join('; ')}`);
  const edits: Edit[] = [];
  new Visitor({
    CallExpression({ callee, arguments: [argument, , attributes], start, end }) {
      if (argument === undefined && callee.type === 'MemberExpression' && isZod(callee.object)) {
        if (plainSchemas.includes(nameOf(callee))) edits.push({ start, end, text: `plain.${nameOf(callee)}` });
      }
      if (callee.type === 'MemberExpression' && ['meta', 'describe'].includes(nameOf(callee)))
        edits.push(removal(source, callee.object.end, end));
      if (callee.type === 'Identifier' && callee.name === 'words' && argument?.type === 'TemplateLiteral') {
        // Indented lists of words. The line breaks stay, and with them the numbers of the lines.
        const text = source.slice(argument.start, argument.end).replaceAll(/\n +/g, '\n');
        edits.push({ start: argument.start, end: argument.end, text });
      }
      if (callee.type === 'Identifier' && callee.name === 'entity' && attributes !== undefined) {
        edits.push({ start: attributes.start, end: attributes.start, text: '() => (' });
        edits.push({ start: attributes.end, end: attributes.end, text: ')' });
      }
      if (callee.type !== 'Identifier' || callee.name !== 'contract' || argument?.type !== 'ObjectExpression') return;
      edits.push(...memberRemovals(source, argument, name => contractDocumentation.includes(name)));
      const responses = objectsIn(argument).find(({ name }) => name === 'responses');
      for (const { object } of responses === undefined ? [] : objectsIn(responses.object)) {
        edits.push(...memberRemovals(source, object, name => responseDocumentation.includes(name)));
      }
    },
  }).visit(program);
  for (const { start, end } of program.body.flatMap(initializersOf)) {
    // A literal without calls and spreads is already free of side effects.
    if (!/\(|\.\.\./.test(source.slice(start, end))) continue;
    edits.push({ start, end: start, text: '/* @__PURE__ */ (() => (' }, { start: end, end, text: '))()' });
  }
  return `import * as plain from '${plainSchemasModule}'; ${applyEdits(source, edits)}`;
}

function isZod(node: Node): boolean {
  return node.type === 'Identifier' && node.name === 'z';
}

/** The members of an object that are object literals. */
function objectsIn(object: ObjectExpression): { name: string; object: ObjectExpression }[] {
  return object.properties.flatMap(property =>
    property.type === 'Property' && property.value.type === 'ObjectExpression'
      ? [{ name: nameOf(property), object: property.value }]
      : [],
  );
}

/** The initializers of a module's constants, except functions, which have no effect until they are called. */
function initializersOf(statement: Node): { start: number; end: number }[] {
  const declared = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
  if (declared?.type !== 'VariableDeclaration' || declared.kind !== 'const') return [];
  return declared.declarations.flatMap(({ init }) =>
    init === null || init.type === 'ArrowFunctionExpression' ? [] : [{ start: init.start, end: init.end }],
  );
}
