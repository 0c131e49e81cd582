import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { drawLayers, layers } from '#infra/build/layers.ts';
import { routes } from '#lib/contracts/routes.ts';
import { resolveImport } from './check/choose-tests.ts';

const root = join(import.meta.dirname, '..');

interface Source {
  path: string;
  text: string;
  /** Imported modules: packages by name, own files by their path from the root. */
  imports: string[];
  /** Those of them that exist at run time. */
  valueImports: string[];
}

function sourcesOf(pattern: string): Source[] {
  return globSync(pattern, { cwd: root }).map(path => {
    const text = readFileSync(join(root, path), 'utf8');
    const statements = [...text.matchAll(/^(?:import|export)\s(?:[^'";]*?\sfrom\s)?'([^']+)';/gm)];
    const importedBy = (some: typeof statements) => some.map(([, specifier = '']) => resolveImport(path, specifier));
    return {
      path,
      text,
      imports: importedBy(statements),
      valueImports: importedBy(statements.filter(([line]) => !/^(?:import|export) type\s/.test(line))),
    };
  });
}

const lib = sourcesOf('lib/**/*.ts');
const functions = sourcesOf('functions/**/*.ts');
const infra = sourcesOf('infra/**/*.ts');
const sdk = sourcesOf('clients/sdk/src/**/*.ts');
const cli = sourcesOf('clients/cli/src/**/*.ts');
const action = sourcesOf('clients/github-action/src/**/*.ts');
const dashboard = sourcesOf('clients/dashboard/src/**/*.{ts,tsx}');

/** The folder of a file; a file itself if it is beside the folders of a client. */
function folderOf(path: string): string {
  return /^clients\/[\w-]+\/src\/[^/]+$/.test(path) ? path : dirname(path);
}

function offenders(sources: Source[], forbidden: (imported: string, source: Source) => boolean): string[] {
  return sources.flatMap(source =>
    source.imports.filter(imported => forbidden(imported, source)).map(imported => `${source.path} → ${imported}`),
  );
}

describe('the direction of imports', () => {
  it('is never from lib to functions, infra or tests', () => {
    expect(lib.length).toBeGreaterThan(50);
    expect(offenders(lib, imported => /^(functions|infra|test)\//.test(imported))).toEqual([]);
  });

  it('is from functions to lib, and never between functions', () => {
    expect(offenders(functions, imported => /^(functions|infra|test)\//.test(imported))).toEqual([]);
  });

  it('is never from infra to functions: the local stack loads them by name, as Lambda does', () => {
    expect(offenders(infra, imported => /^(functions|test)\//.test(imported))).toEqual([]);
  });

  it('leads from contracts to zod and domain rules only', () => {
    const contracts = lib.filter(({ path }) => path.startsWith('lib/contracts/'));
    const reached = new Set<string>();
    const visit = (path: string) => {
      const source = lib.find(one => one.path === path);
      if (source === undefined || reached.has(path)) return;
      reached.add(path);
      for (const imported of source.valueImports) {
        if (imported.startsWith('lib/')) visit(imported);
        else reached.add(imported);
      }
    };
    for (const { path } of contracts) visit(path);
    const packages = [...reached].filter(path => !path.startsWith('lib/'));
    expect(packages.filter(name => name !== 'zod' && !name.startsWith('node:'))).toEqual([]);
    expect([...reached].filter(path => path.startsWith('lib/table/') || path === 'lib/core/settings.ts')).toEqual([]);
  });
});

describe('the layers of lib', () => {
  const moduleOf = (path: string) => path.split('/')[1] ?? '';
  const heightOf = (path: string) => -layers.findIndex(modules => Object.hasOwn(modules, moduleOf(path)));

  it('hold every module, and no other', () => {
    const modules = new Set(lib.map(({ path }) => moduleOf(path)));
    expect(layers.flatMap(Object.keys).toSorted()).toEqual([...modules].toSorted());
  });

  it('allow only imports from a lower layer', () => {
    const upward = offenders(
      lib,
      (imported, { path }) =>
        imported.startsWith('lib/') && moduleOf(imported) !== moduleOf(path) && heightOf(imported) >= heightOf(path),
    );
    expect(upward).toEqual([]);
  });

  it('are drawn in docs/architecture.md, which `npm run generate -- layers` writes', () => {
    expect(readFileSync(join(root, 'docs/architecture.md'), 'utf8')).toContain(`\n\`\`\`\n${drawLayers()}\n\`\`\`\n`);
  });

  it('let the revision engine use none of the operations above it', () => {
    const engine = lib.filter(({ path }) => path.startsWith('lib/secrets/engine/'));
    expect(engine.length).toBeGreaterThan(5);
    expect(offenders(engine, imported => /^lib\/secrets\/(?!engine\/)/.test(imported))).toEqual([]);
  });
});

describe('clients', () => {
  it.each([
    ['SDK', sdk, /^clients\/sdk\//],
    ['command line', cli, /^(clients\/cli|lib\/contracts\/fields|lib\/formats)\//],
    // It replaces files as the command line does.
    [
      'GitHub action',
      action,
      /^(clients\/github-action\/|clients\/cli\/src\/replace-file\.ts|lib\/contracts\/fields\/|lib\/formats\/)/,
    ],
    ['dashboard', dashboard, /^(clients\/dashboard|lib\/contracts|lib\/formats)\//],
  ])('let the %s import only its own files, the SDK package, contracts and formats', (_, client, allowed) => {
    expect(client.length).toBeGreaterThan(4);
    const isFile = (imported: string) => /^(clients|functions|infra|lib|test|\.\.)\//.test(imported);
    expect(offenders(client, imported => isFile(imported) && !allowed.test(imported))).toEqual([]);
  });

  it('let no area of screens of the dashboard import from another', () => {
    const areaOf = (path: string) => /\/src\/(screens\/[^/]+)\//.exec(path)?.[1];
    const between = offenders(
      dashboard,
      (imported, { path }) =>
        areaOf(path) !== undefined && areaOf(imported) !== undefined && areaOf(imported) !== areaOf(path),
    );
    expect(between).toEqual([]);
  });
});

/** The ways that lead back to where they began. */
function circlesIn(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const finished = new Set<string>();
  const circles: string[] = [];
  const visit = (node: string, way: readonly string[]) => {
    if (way.includes(node)) circles.push([...way.slice(way.indexOf(node)), node].join(' → '));
    if (finished.has(node) || way.includes(node)) return;
    for (const next of graph.get(node) ?? []) visit(next, [...way, node]);
    finished.add(node);
  };
  for (const node of graph.keys()) visit(node, []);
  return circles;
}

describe('circles of imports', () => {
  const all = [...lib, ...functions, ...infra, ...sdk, ...cli, ...action, ...dashboard];

  it('are nowhere between files', () => {
    expect(circlesIn(new Map(all.map(({ path, imports }) => [path, imports])))).toEqual([]);
  });

  it.each([
    ['infra', infra],
    ['SDK', sdk],
    ['command line', cli],
    ['GitHub action', action],
    ['dashboard', dashboard],
  ])('are nowhere between folders: %s', (_, files) => {
    const graph = new Map<string, string[]>();
    for (const { path, imports } of files) {
      const targets = imports.map(folderOf).filter(target => target !== folderOf(path));
      graph.set(folderOf(path), [...(graph.get(folderOf(path)) ?? []), ...targets]);
    }
    expect(circlesIn(graph)).toEqual([]);
  });
});

describe('what has only one place', () => {
  it('reads the environment in lib/core/settings.ts alone', () => {
    const readers = [...lib, ...functions].filter(({ text }) => text.includes('process.env'));
    expect(readers.map(({ path }) => path)).toEqual(['lib/core/settings.ts']);
  });

  it("keeps a process's memory in registered variables, so that tests can reset all of it", () => {
    // Contracts run in browsers too. All that they keep is what they have compiled from constants.
    const unregistered = lib
      .filter(({ path }) => !/^lib\/(contracts\/|core\/process-memory\.ts)/.test(path))
      .flatMap(({ path, text }) => {
        const variables = [...text.matchAll(/^(?:export )?let (\w+)/gm)].map(([, name]) => name);
        const collections = [
          ...text.matchAll(/^(?:export )?const (\w+)[^=\n]* = new (?:Weak)?(?:Map|Set)\b[^(]*\((\))?/gm),
        ]
          .filter(([, name, isEmpty]) => isEmpty || new RegExp(`\\b${name}\\.(?:add|clear|delete|set)\\(`).test(text))
          .map(([, name]) => name);
        return [...variables, ...collections].map(name => `${path}: ${name}`);
      });
    expect(unregistered).toEqual([]);
  });

  it('makes each SDK client in one file', () => {
    const makers = [...lib, ...functions].filter(({ text }) => /new (\w+)Client\(/.test(text)).map(({ path }) => path);
    expect(makers.toSorted()).toEqual([
      'lib/audit/archive-bucket.ts',
      'lib/core/parameter.ts',
      'lib/core/queue.ts',
      'lib/crypto/kms.ts',
      'lib/mail/send-mail.ts',
      'lib/outbound/ask-worker.ts',
      'lib/table/client.ts',
    ]);
  });

  it('spells keys of the table in lib/table/keys.ts alone', () => {
    const shape = /[`'"](?:USER|ORG|ORGID|EMAIL|ENV|HEAD|VERSION|AUDIT|RATE|TOKEN|SESSION|MEMBER|PROJECT|WEBHOOK)#/;
    expect(
      lib.filter(({ path, text }) => path !== 'lib/table/keys.ts' && shape.test(text)).map(({ path }) => path),
    ).toEqual([]);
  });

  it('imports zod as a namespace, without which no bundle drops the parts it does not use', () => {
    const named = [...lib, ...functions, ...infra].filter(({ text }) => /import \{[^}]*\} from 'zod'/.test(text));
    expect(named.map(({ path }) => path)).toEqual([]);
  });
});

describe('contracts', () => {
  const nameOf = (operationId: string) => operationId.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

  it('are named by their operation, in the folder of their area, and all listed in routes.ts', () => {
    const declared = lib.flatMap(({ path, text }) =>
      [...text.matchAll(/^export const (\w+) = contract\(\{\s+operationId: '([\w-]+)'/gm)].map(
        ([, name, operationId]) => `${path.split('/')[2]}/${operationId} ${name}`,
      ),
    );
    const expected = routes.map(({ area, operationId }) => `${area}/${operationId} ${nameOf(operationId)}`);
    expect(declared.toSorted()).toEqual(expected.toSorted());
  });

  it('are used by no function but their own', () => {
    const declared = new Map(routes.map(({ area, operationId }) => [nameOf(operationId), `${area}/${operationId}.ts`]));
    const used = functions.flatMap(({ path, text }) =>
      [...text.matchAll(/import \{([^}]*)\} from '#lib\/contracts\//g)]
        .flatMap(([, names = '']) => names.split(',').map(name => declared.get(name.trim().split(' as ')[0] as string)))
        .filter(own => own !== undefined)
        .map(own => [path, `functions/${own}`]),
    );
    expect(used).toHaveLength(routes.length);
    for (const [path, own] of used) expect(path).toBe(own);
  });
});

describe('the role of a member', () => {
  /** Of every module that a route below a project uses; some also serve other routes. */
  const reached = new Set<string>();
  const visit = (path: string) => {
    if (reached.has(path)) return;
    reached.add(path);
    for (const imported of lib.concat(functions).find(one => one.path === path)?.valueImports ?? []) {
      if (imported.startsWith('lib/')) visit(imported);
    }
  };
  for (const { area, operationId, path } of routes.filter(one => /\{(slug|project)\}/.test(one.path))) {
    expect(path).toContain('{org');
    visit(`functions/${area}/${operationId}.ts`);
  }
  const below = lib.concat(functions).filter(({ path }) => reached.has(path));
  /** They store, describe or compare roles. */
  const others = [
    'lib/access/member-access.ts',
    'lib/contracts/fields/member-rights.ts',
    'lib/contracts/fields/project-role.ts',
    'lib/contracts/fields/role-in-project.ts',
    'lib/table/keys.ts',
    'lib/table/records/organization.ts',
  ];

  it('is asked of nothing but MemberAccess below a project, because there it may differ', () => {
    expect(below.length).toBeGreaterThan(80);
    const asking =
      /\b(?:member|membership|inviter)\??\.role\b|\.(?:membership|projectRoles|limited)\b|\{[^}\n]*\brole\b[^}\n]*\} = [^;\n]*\bmember/;
    const asked = below.filter(({ path, text }) => !others.includes(path) && asking.test(text));
    expect(asked.map(({ path }) => path)).toEqual([]);
  });

  it('in a project is answered by one function', () => {
    const askers = lib.filter(({ text }) => /\b(?:role|rights)InProject\(/.test(text)).map(({ path }) => path);
    expect(askers.toSorted()).toEqual([
      'lib/access/caller-rights.ts',
      'lib/access/managed-projects.ts',
      'lib/accounts/create-token.ts',
      'lib/contracts/fields/apply-role-rules.ts',
      'lib/contracts/fields/member-rights.ts',
      'lib/contracts/fields/role-in-project.ts',
      'lib/organizations/grants/request-grant.ts',
    ]);
  });
});

describe('functions', () => {
  it('are one file a route, named by its operation', () => {
    const expected = routes.map(({ area, operationId }) => `functions/${area}/${operationId}.ts`);
    const files = functions.map(({ path }) => path).filter(path => !/^functions\/(workers|system)\//.test(path));
    expect(files.toSorted()).toEqual(expected.toSorted());
  });

  it('hold no rule of their own: no try, no parsing, no keys', () => {
    const endpoints = functions.filter(({ path }) => !path.startsWith('functions/workers/'));
    expect(endpoints.filter(({ text }) => /\btry\b|JSON\.parse|from 'zod'/.test(text)).map(({ path }) => path)).toEqual(
      [],
    );
  });
});
