import { CloudFormationClient, DescribeStacksCommand, type Stack } from '@aws-sdk/client-cloudformation';
import { type Config, ConfigError } from '../plan/config.ts';
import type { Deployed, DeployedSettings } from '../plan/deployed.ts';
import { unsupportedRegion } from '../plan/platform-settings.ts';

/**
 * What an installation currently runs, from the outputs of its stacks; undefined before its first deployment.
 * @throws ConfigError if that can't be read
 */
export async function readDeployed(config: Pick<Config, 'name' | 'region'>): Promise<Deployed | undefined> {
  const { name } = config;
  return readStacks(config, 'so nothing was deployed', async client => {
    const [api, edge] = await Promise.all([findStack(client, `${name}-api`), findStack(client, `${name}-edge`)]);
    if (api === undefined || isUnfinished(api)) return undefined;
    const settings = JSON.parse(outputOf(api, 'Deployed')) as DeployedSettings;
    // Without an edge nothing sends a secret, so any version will do.
    const sent = edge === undefined || isUnfinished(edge) ? undefined : Number(outputOf(edge, 'EdgeSecretVersion'));
    return { ...settings, sentSecretVersion: sent ?? settings.edgeSecretVersion };
  });
}

/**
 * The bucket that the deployed edge serves the dashboard from, and the origin that it serves it at.
 * @throws ConfigError if that can't be read
 */
export async function readEdge(config: Pick<Config, 'name' | 'region'>): Promise<{ bucket: string; origin: string }> {
  const { name } = config;
  return readStacks(config, 'so its dashboard was not uploaded', async client => {
    const edge = await findStack(client, `${name}-edge`);
    if (edge === undefined) throw new Error(`there is no stack ${name}-edge`);
    return { bucket: outputOf(edge, 'FilesBucket'), origin: new URL(outputOf(edge, 'Url')).origin };
  });
}

async function readStacks<Read>(
  { name, region }: Pick<Config, 'name' | 'region'>,
  consequence: string,
  read: (client: CloudFormationClient) => Promise<Read>,
): Promise<Read> {
  const client = new CloudFormationClient(region === undefined ? {} : { region });
  try {
    // Without the setting, the region is that of the credentials.
    const used = await client.config.region();
    const problem = unsupportedRegion(used);
    if (problem !== undefined) throw new ConfigError(`The region ${used} ${problem}.`);
    return await read(client);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError(
      `What is deployed as ${name} could not be read, ${consequence}: ${reason}. The deployment needs ` +
        `cloudformation:DescribeStacks on ${name}-api and ${name}-edge.`,
    );
  } finally {
    client.destroy();
  }
}

/** The outputs of one of an installation's stacks; none before its first deployment. @throws if they can't be read */
export async function readOutputs(
  { name, region }: Pick<Config, 'name' | 'region'>,
  stack: 'foundation' | 'api' | 'edge',
): Promise<Readonly<Record<string, string>>> {
  const client = new CloudFormationClient(region === undefined ? {} : { region });
  try {
    const found = await findStack(client, `${name}-${stack}`);
    if (found === undefined || isUnfinished(found)) return {};
    return Object.fromEntries(
      (found.Outputs ?? []).map(({ OutputKey: key = '', OutputValue: value = '' }) => [key, value]),
    );
  } finally {
    client.destroy();
  }
}

/** A stack by its name or id; undefined if there is none. */
export async function findStack(client: CloudFormationClient, stackName: string): Promise<Stack | undefined> {
  try {
    const { Stacks: stacks = [] } = await client.send(new DescribeStacksCommand({ StackName: stackName }));
    return stacks[0];
  } catch (error) {
    // CloudFormation has no specific error for a stack that doesn't exist.
    if (error instanceof Error && error.name === 'ValidationError' && error.message.includes('does not exist')) {
      return undefined;
    }
    throw error;
  }
}

/** The first deployment failed or was never executed: nothing runs yet. */
function isUnfinished({ StackStatus: status }: Stack): boolean {
  const statuses = ['REVIEW_IN_PROGRESS', 'CREATE_FAILED', 'ROLLBACK_COMPLETE', 'ROLLBACK_FAILED', 'DELETE_COMPLETE'];
  return status !== undefined && statuses.includes(status);
}

function outputOf({ StackName: stack, Outputs: outputs = [] }: Stack, key: string): string {
  const value = outputs.find(({ OutputKey }) => OutputKey === key)?.OutputValue;
  if (value === undefined) {
    throw new ConfigError(
      `The stack ${stack} has no output ${key}: a version from before the first release deployed it, and this one cannot ` +
        'upgrade it, so deploy under another name.',
    );
  }
  return value;
}
