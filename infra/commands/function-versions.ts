import {
  DeleteFunctionCommand,
  GetAliasCommand,
  LambdaClient,
  paginateListVersionsByFunction,
} from '@aws-sdk/client-lambda';
import type { Config } from '../plan/config.ts';
import { aliasName, deployedName, functions } from '../plan/functions.ts';

/** How many versions before the one that serves an operator can go back. */
const keptVersions = 2;

/** The numbers of a function's versions, the newest last. */
export async function listVersions(client: LambdaClient, functionName: string): Promise<number[]> {
  const versions: number[] = [];
  for await (const page of paginateListVersionsByFunction({ client }, { FunctionName: functionName })) {
    versions.push(...(page.Versions ?? []).map(({ Version: version }) => Number(version)));
  }
  return versions.filter(Number.isInteger).toSorted((a, b) => a - b);
}

/**
 * Deletes the versions that are too old to go back to. The templates keep every version, and all versions of an account
 * share 75 GB.
 * @returns a sentence for the operator if that failed, which does not concern the deployment
 */
export async function deleteOldVersions(config: Config): Promise<string | undefined> {
  const client = new LambdaClient(config.region === undefined ? {} : { region: config.region });
  try {
    for (const plan of functions) await deleteOldOnes(client, deployedName(config, plan));
    return undefined;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return `Old versions of the functions could not be deleted; the next deployment tries again: ${reason}`;
  } finally {
    client.destroy();
  }
}

async function deleteOldOnes(client: LambdaClient, functionName: string): Promise<void> {
  const alias = await client.send(new GetAliasCommand({ FunctionName: functionName, Name: aliasName }));
  const earlier = (await listVersions(client, functionName)).filter(version => version < Number(alias.FunctionVersion));
  for (const version of earlier.slice(0, -keptVersions)) {
    await client.send(new DeleteFunctionCommand({ FunctionName: functionName, Qualifier: String(version) }));
  }
}
