import { fileURLToPath } from 'node:url';
import { exposureWays, subjects } from '@holdfast/contracts/audit/exposure.ts';
import { signInErrors } from '@holdfast/contracts/auth/sign-in.ts';
import { auditActions, readingActions } from '@holdfast/contracts/fields/audit-action.ts';
import { eventNames, eventPayloadExample } from '@holdfast/contracts/fields/events.ts';
import { limitNames, planNames } from '@holdfast/contracts/fields/limits.ts';
import { maxApprovals } from '@holdfast/contracts/fields/proposal.ts';
import { environmentRules, environmentTypes, roles } from '@holdfast/contracts/fields/role.ts';
import { slugPattern } from '@holdfast/contracts/fields/text.ts';
import { routes } from '@holdfast/contracts/routes.ts';
import { build, type Plugin, type Rolldown } from 'vite';

/** The dashboard's files by their URL path. */
export type DashboardFiles = ReadonlyMap<string, Buffer>;

/**
 * The lists of the contracts, as the module `virtual:contracts`. They are read at build time, so that the browser gets
 * the lists but not the validator that declares them.
 */
function contractLists(): Plugin {
  const lists = {
    auditActions,
    environmentRules,
    environmentTypes,
    eventNames,
    eventPayloadExample,
    exposureWays,
    freshRoutes: Object.fromEntries(
      routes.flatMap(({ method, path, summary, access }) =>
        'fresh' in access
          ? [[`${method} ${path}`, { summary, roles: access.kind === 'member' ? access.roles : [] }]]
          : [],
      ),
    ),
    limitNames,
    maxApprovals,
    planNames,
    projectAdminOperations: routes.flatMap(({ operationId, access }) =>
      access.kind === 'member' && 'projectAdmins' in access ? [operationId] : [],
    ),
    readingActions,
    roles,
    signInErrors,
    slugPattern: slugPattern.source,
    /** Which roles may call an operation. */
    rolesOf: Object.fromEntries(
      routes.flatMap(({ operationId, access }) => (access.kind === 'member' ? [[operationId, access.roles]] : [])),
    ),
    subjects,
  };
  return {
    name: 'contract-lists',
    resolveId: id => (id === 'virtual:contracts' ? `\0${id}` : undefined),
    load: id =>
      id === '\0virtual:contracts'
        ? Object.entries(lists)
            .map(([name, list]) => `export const ${name} = ${JSON.stringify(list)};`)
            .join('\n')
        : undefined,
  };
}

/** Builds the dashboard in memory, in well under a second, so the served files always match the sources. */
export async function buildDashboard(): Promise<DashboardFiles> {
  const result = (await build({
    root: fileURLToPath(new URL('.', import.meta.url)),
    configFile: false,
    envDir: false,
    logLevel: 'error',
    plugins: [contractLists()],
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      write: false,
      target: ['chrome123', 'firefox121', 'safari17.5'],
      // Nothing is inlined: the content security policy allows no data: address.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      // One style sheet has the styles of all screens, including those loaded later.
      cssCodeSplit: false,
      reportCompressedSize: false,
    },
  })) as Rolldown.RolldownOutput;
  return new Map(
    result.output.map(file => [
      file.fileName === 'index.html' ? '/' : `/${file.fileName}`,
      Buffer.from(file.type === 'asset' ? file.source : file.code),
    ]),
  );
}
