import {
  CloudFormationClient,
  CloudFormationServiceException,
  paginateListStackResources,
  type Stack,
  type StackResourceSummary,
} from '@aws-sdk/client-cloudformation';
import type { Config } from '../plan/config.ts';
import { type PlannedStack, stacksOf } from '../plan/stacks.ts';
import type { FailedResource, StackState } from '../plan/stuck-stacks.ts';
import { findStack } from './read-deployed.ts';

/** What CloudFormation says of an installation's stacks. */
interface StackStates {
  states: readonly StackState[];
  /** The stacks whose state, or that of their nested stacks, the credentials may not read. */
  unreadable: readonly string[];
}

/**
 * The state of every stack of an installation, nested ones included. The pipeline's role is deployed too: it gets a new
 * right only with the deployment that adds it, so a missing right is reported and stops nothing.
 */
export async function readStackStates(config: Config): Promise<StackStates> {
  const read = await Promise.all(stacksOf(config).map(readStack));
  return { states: read.flatMap(({ states }) => states), unreadable: read.flatMap(({ unreadable }) => unreadable) };
}

async function readStack(planned: PlannedStack): Promise<StackStates> {
  const { name, region } = planned;
  const client = new CloudFormationClient(region === undefined ? {} : { region });
  const states: StackState[] = [];
  try {
    const root = await findStack(client, name);
    if (root === undefined) return { states, unreadable: [] };
    states.push(stateOf(planned, root));
    const resources = await listResources(client, name);
    states[0] = stateOf(planned, root, failuresAmong(resources));
    states.push(...(await readNested(client, planned, resources)));
    return { states, unreadable: [] };
  } catch (error) {
    if (isDenied(error)) return { states, unreadable: [name] };
    throw error;
  } finally {
    client.destroy();
  }
}

async function readNested(
  client: CloudFormationClient,
  planned: PlannedStack,
  resources: readonly StackResourceSummary[],
): Promise<StackState[]> {
  const states: StackState[] = [];
  // One after another: CloudFormation throttles an account's calls.
  for (const { PhysicalResourceId: id = '' } of resources.filter(isNestedStack)) {
    const stack = id === '' ? undefined : await findStack(client, id);
    if (stack === undefined) continue;
    const isFailed = stack.StackStatus?.endsWith('_FAILED') === true;
    const failed = isFailed ? failuresAmong(await listResources(client, id), `${stack.StackName}.`) : [];
    states.push({ ...stateOf({ ...planned, name: stack.StackName ?? id }, stack, failed), root: planned.name });
  }
  return states;
}

async function listResources(client: CloudFormationClient, stackName: string): Promise<StackResourceSummary[]> {
  const resources: StackResourceSummary[] = [];
  for await (const page of paginateListStackResources({ client }, { StackName: stackName })) {
    resources.push(...(page.StackResourceSummaries ?? []));
  }
  return resources;
}

function stateOf({ name, region }: PlannedStack, stack: Stack, failed: readonly FailedResource[] = []): StackState {
  return {
    name,
    region,
    status: stack.StackStatus ?? '',
    reason: stack.StackStatusReason,
    isProtected: stack.EnableTerminationProtection === true,
    root: undefined,
    failed,
  };
}

/** The resources that failed by themselves: others were only cancelled with them, and nested stacks name their own. */
function failuresAmong(resources: readonly StackResourceSummary[], prefix = ''): FailedResource[] {
  return resources
    .filter(resource => resource.ResourceStatus?.endsWith('_FAILED') && !isNestedStack(resource))
    .map(({ LogicalResourceId: id, ResourceStatusReason: reason = 'no reason given' }) => ({
      id: `${prefix}${id}`,
      reason,
    }))
    .filter(({ reason }) => !/cancelled/i.test(reason));
}

function isNestedStack({ ResourceType: type }: StackResourceSummary): boolean {
  return type === 'AWS::CloudFormation::Stack';
}

function isDenied(error: unknown): boolean {
  return error instanceof CloudFormationServiceException && error.name.startsWith('AccessDenied');
}
