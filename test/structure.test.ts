import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { routes } from '#lib/contracts/routes.ts';

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
    const resolve = (specifier: string) =>
      specifier.startsWith('.')
        ? relative(root, join(root, path, '..', specifier))
        : specifier.replace(/^#/, '').replace(/^@holdfast\/(contracts|formats)\//, 'lib/$1/');
    return {
      path,
      text,
      imports: statements.map(match => resolve(match[1] as string)),
      valueImports: statements
        .filter(match => !/^(?:import|export) type\s/.test(match[0]))
        .map(match => resolve(match[1] as string)),
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

/** A client's folder, or its file beside the folders. */
function clientModuleOf(path: string): string {
  return (path.split('/src/')[1] ?? '').split('/')[0]?.replace(/(?:\.d)?\.tsx?$/, '') ?? '';
}

/** As in any client, but each folder of screens is a module of its own. */
function dashboardModuleOf(path: string): string {
  const [, screens] = /\/src\/(screens\/[^/]+)\//.exec(path) ?? [];
  return screens ?? clientModuleOf(path);
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

/**
 * The modules of each part, from the lowest layer up. A module is a folder, or in a client also a file beside the
 * folders. It imports only from itself and from lower layers of its own part.
 */
const parts = [
  {
    part: 'lib',
    files: lib,
    moduleOf: (path: string) => path.split('/')[1] ?? '',
    layers: [
      ['formats'],
      ['contracts', 'documentation'],
      ['core'],
      ['crypto', 'mail', 'table'],
      ['deliveries', 'limits', 'metrics', 'plans'],
      ['audit'],
      ['access'],
      ['api', 'billing', 'organizations', 'secrets'],
      ['accounts', 'admin', 'projects', 'webhooks'],
      ['exposure', 'identities', 'jobs'],
      ['providers'],
    ],
  },
  {
    part: 'infra',
    files: infra,
    // The last module is the folder itself, with the CDK app.
    moduleOf: (path: string) => dirname(path).slice('infra/'.length),
    layers: [
      ['plan', 'local/machine', 'repair'],
      ['openapi', 'build', 'stacks', 'local/lambda', 'local/stand-ins'],
      [
        'local/gateway',
        'local/stand-ins/kms',
        'local/stand-ins/lambda',
        'local/stand-ins/sqs',
        'local/stand-ins/payment',
      ],
      ['local'],
      ['commands', ''],
    ],
  },
  {
    part: 'clients/sdk',
    files: sdk,
    moduleOf: clientModuleOf,
    layers: [
      ['api-types', 'node-modules', 'share', 'sign-sts-request'],
      ['answers', 'errors'],
      ['environment-options', 'id-token-failure', 'snapshot', 'transport'],
      ['identity', 'paged', 'platform-request', 'request', 'sts'],
      ['aws-credentials', 'id-token-command', 'id-token-file', 'id-token-gcp', 'id-token-github'],
      ['id-token-aws'],
      ['id-token-sources'],
      ['write'],
      ['pull'],
      ['watch'],
      ['environment'],
      ['layers'],
      ['holdfast'],
      ['audit-log'],
      ['audit-feed', 'exposure'],
      ['index'],
    ],
  },
  {
    part: 'clients/cli',
    files: cli,
    moduleOf: clientModuleOf,
    layers: [
      ['ago', 'failure', 'given', 'printable', 'proxy', 'replace-file', 'sealed', 'withheld', 'write-all'],
      ['columns', 'extra-authorities', 'failure-of', 'pager', 'read-limited'],
      ['output', 'standard-input'],
      ['dotenv-text', 'files', 'hidden-prompt', 'json-fields', 'one-value'],
      ['terminal'],
      ['cache', 'change', 'settings', 'yaml-fields'],
      ['connect', 'secrets-file'],
      ['credentials'],
      ['place', 'run', 'sign-in'],
      ['session'],
      ['evidence', 'snapshot'],
      ['commands'],
      ['command-list'],
      ['program'],
      ['main'],
    ],
  },
  {
    part: 'clients/github-action',
    files: action,
    moduleOf: clientModuleOf,
    layers: [['masks', 'write-privately'], ['inputs'], ['pull'], ['run'], ['main']],
  },
  {
    part: 'clients/dashboard',
    files: dashboard,
    moduleOf: dashboardModuleOf,
    layers: [
      ['api', 'base64url', 'router', 'theme', 'virtual-contracts'],
      ['session'],
      ['load'],
      ['ui'],
      ['factors', 'secrets'],
      ['screens/account', 'screens/admin', 'screens/organization', 'screens/project', 'screens/sign-in'],
      ['signed-in'],
      ['app'],
      ['main'],
    ],
  },
];

describe.each(parts)('the layers of $part', ({ part, files, moduleOf, layers }) => {
  const layerOf = (module: string) => layers.findIndex(modules => modules.includes(module));

  it('hold every module, and no other', () => {
    const modules = new Set(files.map(({ path }) => moduleOf(path)));
    expect([...modules].toSorted()).toEqual(layers.flat().toSorted());
  });

  it('allow only imports from a lower layer', () => {
    const upward = offenders(
      files,
      (imported, { path }) =>
        imported.startsWith(`${part}/`) &&
        moduleOf(imported) !== moduleOf(path) &&
        layerOf(moduleOf(imported)) >= layerOf(moduleOf(path)),
    );
    expect(upward).toEqual([]);
  });

  it('have no circle of files', () => {
    const sources = new Map(files.map(source => [source.path, source]));
    const finished = new Set<string>();
    const circles: string[] = [];
    const visit = (path: string, way: readonly string[]) => {
      if (way.includes(path)) circles.push([...way.slice(way.indexOf(path)), path].join(' → '));
      if (finished.has(path) || way.includes(path)) return;
      for (const imported of sources.get(path)?.imports ?? []) visit(imported, [...way, path]);
      finished.add(path);
    };
    for (const path of sources.keys()) visit(path, []);
    expect(circles).toEqual([]);
  });
});

describe('modules inside modules, and the clients', () => {
  it('let the revision engine know nothing of the operations above it', () => {
    const engine = lib.filter(({ path }) => path.startsWith('lib/secrets/engine/'));
    expect(engine.length).toBeGreaterThan(5);
    expect(offenders(engine, imported => /^lib\/secrets\/(?!engine\/)/.test(imported))).toEqual([]);
  });

  it('let the SDK use nothing of the service', () => {
    expect(sdk.length).toBeGreaterThan(5);
    expect(offenders(sdk, imported => /^(lib|functions|infra|test)\//.test(imported))).toEqual([]);
  });

  it.each([
    ['command line', cli],
    ['GitHub action', action],
  ])('let the %s use only field rules and formats of the service, beside the SDK', (_, client) => {
    const ofService = client
      .flatMap(({ imports }) => imports)
      .filter(path => /^(lib|functions|infra|test)\//.test(path));
    expect(ofService.filter(path => !/^lib\/(contracts\/fields|formats)\//.test(path))).toEqual([]);
  });
});

describe('what has only one place', () => {
  it('reads the environment in lib/core/settings.ts alone', () => {
    const readers = [...lib, ...functions].filter(({ text }) => text.includes('process.env'));
    expect(readers.map(({ path }) => path)).toEqual(['lib/core/settings.ts']);
  });

  it('makes each SDK client in one file', () => {
    const makers = [...lib, ...functions].filter(({ text }) => /new (\w+)Client\(/.test(text)).map(({ path }) => path);
    expect(makers.toSorted()).toEqual([
      'lib/core/invoke-function.ts',
      'lib/core/parameter.ts',
      'lib/core/queue.ts',
      'lib/crypto/kms.ts',
      'lib/mail/send-mail.ts',
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
  it('are one file a route, named by its operation in the folder of its area, and all listed in routes.ts', () => {
    const declaring = lib.filter(({ path, text }) => /^lib\/contracts\/\w+\//.test(path) && /= contract\(/.test(text));
    const expected = routes.map(({ area, operationId }) => `lib/contracts/${area}/${operationId}.ts`);
    expect(declaring.map(({ path }) => path).toSorted()).toEqual(expected.toSorted());
  });

  it('are bundled with no function but their own', () => {
    const declared = new Set(routes.map(({ area, operationId }) => `${area}/${operationId}.ts`));
    const foreign = offenders(functions, (imported, { path }) => {
      const contract = imported.replace(/^lib\/contracts\//, '');
      return declared.has(contract) && path !== `functions/${contract}`;
    });
    expect(foreign).toEqual([]);
  });
});

describe('functions', () => {
  it('are one file a route, named by its operation', () => {
    const expected = routes.map(({ area, operationId }) => `functions/${area}/${operationId}.ts`);
    const found = functions.map(({ path }) => path).filter(path => !/^functions\/(workers|system)\//.test(path));
    expect(found.toSorted()).toEqual(expected.toSorted());
  });

  it('hold no rule of their own: no try, no parsing, no keys', () => {
    const endpoints = functions.filter(({ path }) => !path.startsWith('functions/workers/'));
    expect(endpoints.filter(({ text }) => /\btry\b|JSON\.parse|from 'zod'/.test(text)).map(({ path }) => path)).toEqual(
      [],
    );
  });
});
