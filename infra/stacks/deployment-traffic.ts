import { isServedInMaintenance } from '#lib/contracts/contract.ts';
import { routes } from '#lib/contracts/routes.ts';
import { workers } from '../plan/functions.ts';
import { type AskedRight, isAllowed, resourceName, type Statement, statementsOf } from './policy.ts';
import type { Resource, StackTemplate, Templates } from './synthesize.ts';

/** A version of the service: its templates, and what its functions call when they serve a request or a message. */
export interface ServiceVersion {
  templates: Templates;
  /** By the function's name without the installation's. */
  callsOf: (functionName: string) => readonly AskedRight[];
}

/** What happens to the traffic of both versions during a deployment. */
export interface Traffic {
  /** Calls that the roles allow. */
  allowed: number;
  /** Functions that refuse their requests, as announced by the maintenance. */
  refusing: number;
  /** What would fail or be lost, one sentence each. */
  failures: string[];
}

interface RunningFunction {
  name: string;
  environment: Readonly<Record<string, unknown>>;
  statements: readonly Statement[];
  isTriggered: boolean;
}

const refusedInMaintenance: ReadonlySet<string> = new Set(
  routes.filter(route => !isServedInMaintenance(route)).map(({ operationId }) => operationId),
);
/** Without these, only requests change tenants' data. They ignore the maintenance, but their triggers are off. */
const changingWorkers: readonly string[] = [workers.deliverWebhooks.name, workers.runJobs.name];

/**
 * Replays the calls of both versions at the worst moment of a deployment: each function still runs in its old version or
 * already in its new one, and each role that both have in common has been changed already. CloudFormation deletes roles
 * only after that. Pure.
 */
export function trafficDuring(before: ServiceVersion, after: ServiceVersion): Traffic {
  const traffic: Traffic = { allowed: 0, refusing: 0, failures: [] };
  const changedTables = new Set<string>();
  const versions = [
    ['old', before.callsOf, running(before.templates, after.templates)],
    ['new', after.callsOf, running(after.templates, after.templates)],
  ] as const;
  for (const [age, callsOf, functions] of versions) {
    for (const one of functions) {
      const isUnderMaintenance = one.environment.MAINTENANCE === 'true';
      if (isUnderMaintenance && refusedInMaintenance.has(one.name)) {
        traffic.refusing += 1;
        continue;
      }
      const mayChange = refusedInMaintenance.has(one.name) || changingWorkers.includes(one.name);
      if (mayChange && one.isTriggered && one.environment.TABLE_NAME !== undefined)
        changedTables.add(resourceName(one.environment.TABLE_NAME));
      const forbidden = callsOf(one.name).filter(call => !isAllowed(one.statements, addressed(call, one.environment)));
      traffic.allowed += callsOf(one.name).length - forbidden.length;
      if (forbidden.length === 0) continue;
      const actions = [...new Set(forbidden.map(({ action }) => action))].join(', ');
      traffic.failures.push(`The ${age} version of ${one.name} may not call ${actions}.`);
    }
  }
  if (changedTables.size > 1) {
    traffic.failures.push(`Changes go to several tables at once: ${[...changedTables].join(', ')}.`);
  }
  if (isUnderMaintenance(before.templates) || isUnderMaintenance(after.templates)) {
    traffic.failures.push(...watchedDeployments(after.templates));
  }
  return traffic;
}

/** One of the two regions that have a replica of the table. */
export interface Region {
  name: string;
  templates: Templates;
}

/**
 * What would let two regions serve at once, one sentence each, whichever of them the table names and whichever returns
 * from an outage. A function reads the item that names the serving region in both replicas, so it must know the other
 * region and be allowed to read the item there. Pure.
 */
export function unfencedFunctions(one: Region, other: Region): string[] {
  const first = new Set<unknown>();
  const problems = [
    [one, other],
    [other, one],
  ].flatMap(([own, peer]) => {
    if (own === undefined || peer === undefined) return [];
    return running(own.templates, own.templates)
      .filter(({ environment }) => environment.TABLE_NAME !== undefined)
      .flatMap(({ name, environment, statements }) => {
        first.add(environment.FIRST_REGION);
        if (environment.PEER_REGION === peer.name && mayReadServingRegion(statements, peer.name)) return [];
        return [`${name} in ${own.name} can't find out whether ${peer.name} serves.`];
      });
  });
  return first.size > 1 ? [...problems, 'The two regions disagree about which of them serves first.'] : problems;
}

function mayReadServingRegion(statements: readonly Statement[], region: string): boolean {
  const read = { action: 'dynamodb:GetItem', keys: { 'dynamodb:LeadingKeys': ['SERVINGREGION'] } };
  return isAllowed(
    statements.filter(({ Resource }) => JSON.stringify(Resource).includes(`:dynamodb:${region}:`)),
    read,
  );
}

/** The call with the table or key that the function's settings name. */
function addressed(call: AskedRight, environment: RunningFunction['environment']): AskedRight {
  const address = call.action.startsWith('dynamodb:')
    ? environment.TABLE_NAME
    : call.action.startsWith('kms:')
      ? environment.KMS_KEY_ID
      : undefined;
  return address === undefined ? call : { ...call, resource: resourceName(address) };
}

function running(templates: Templates, changed: Templates): RunningFunction[] {
  return [...templates].flatMap(([stack, template]) =>
    Object.entries(template.Resources)
      .filter(([, { Type }]) => Type === 'AWS::Lambda::Function')
      .flatMap(([id, { Properties }]) => {
        const roleId = Properties.Role['Fn::GetAtt'][0] as string;
        const role = changed.get(stack)?.Resources[roleId] ?? template.Resources[roleId];
        // The CDK's own functions serve no traffic.
        if (role === undefined || Properties.FunctionName === undefined) return [];
        return {
          name: nameOf(Properties.FunctionName, templates),
          environment: Properties.Environment?.Variables ?? {},
          statements: statementsOf(role),
          isTriggered: isTriggered(template, id),
        };
      }),
  );
}

/** `holdfast-set-secret` → `set-secret`. */
function nameOf(functionName: string, templates: Templates): string {
  const foundation = [...templates.keys()].find(stack => stack.endsWith('-foundation')) ?? '';
  return functionName.slice(foundation.length - 'foundation'.length);
}

/** Whether a queue invokes the function. Any other function is taken as invoked. */
function isTriggered({ Resources: resources }: StackTemplate, functionId: string): boolean {
  return Object.values(resources)
    .filter(
      ({ Type, Properties }) =>
        Type.endsWith('::EventSourceMapping') &&
        // Through the alias, or, in earlier versions, directly.
        (resources[Properties.FunctionName.Ref]?.Properties.FunctionName.Ref ?? Properties.FunctionName.Ref) ===
          functionId,
    )
    .every(({ Properties }) => Properties.Enabled);
}

function isUnderMaintenance(templates: Templates): boolean {
  return resourcesOf(templates).some(({ Properties }) => Properties?.Environment?.Variables?.MAINTENANCE === 'true');
}

/** Deployments that an alarm could roll back to a version that must not run any more. */
function watchedDeployments(templates: Templates): string[] {
  return resourcesOf(templates)
    .filter(
      ({ Type, Properties }) => Type === 'AWS::CodeDeploy::DeploymentGroup' && Properties.AlarmConfiguration.Enabled,
    )
    .map(() => 'An alarm can stop the deployment in the middle of the maintenance.')
    .slice(0, 1);
}

function resourcesOf(templates: Templates): Resource[] {
  return [...templates.values()].flatMap(({ Resources: resources }) => Object.values(resources));
}
