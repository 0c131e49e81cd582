import { isDeepStrictEqual } from 'node:util';
import {
  type FunctionConfiguration,
  GetAliasCommand,
  GetFunctionConfigurationCommand,
  LambdaClient,
  UpdateAliasCommand,
} from '@aws-sdk/client-lambda';
import { ConfigError } from '../plan/config.ts';
import { aliasName, deployedName, functions } from '../plan/functions.ts';
import { readInstallation } from '../plan/installation-file.ts';
import { listVersions } from './function-versions.ts';
import { sentenceOf } from './sentence-of.ts';

/*
 * `npm run operate -- previous-version <installation> <function> [--undo]`: lets a function serve its previous version at
 * once, by moving its alias; `--undo` moves it to the newest version again.
 */

try {
  const [installation = '', name = '', option, ...more] = process.argv.slice(2);
  if (name === '' || more.length > 0 || ![undefined, '--undo'].includes(option)) {
    throw new ConfigError('Usage: npm run operate -- previous-version <installation> <function> [--undo]');
  }
  const config = readInstallation(installation);
  if (!functions.some(plan => plan.name === name)) throw new ConfigError(`There is no function ${name}.`);
  const client = new LambdaClient(config.region === undefined ? {} : { region: config.region });
  console.log(await move(client, deployedName(config, { name }), option === '--undo'));
} catch (error) {
  console.error(sentenceOf(error));
  process.exitCode = 1;
}

async function move(client: LambdaClient, functionName: string, isForward: boolean): Promise<string> {
  const alias = await client.send(new GetAliasCommand({ FunctionName: functionName, Name: aliasName }));
  const { FunctionVersion: current = '', RevisionId, RoutingConfig: routing } = alias;
  if (Object.keys(routing?.AdditionalVersionWeights ?? {}).length > 0) {
    throw new ConfigError(
      `A deployment is moving ${functionName} to a new version step by step. Stop it instead, with the id ` +
        'from aws deploy list-deployments --include-only-statuses InProgress: aws deploy stop-deployment ' +
        '--auto-rollback-enabled --deployment-id <id>',
    );
  }
  const numbers = await listVersions(client, functionName);
  const target = isForward ? numbers.at(-1) : numbers.findLast(number => number < Number(current));
  if (target === undefined || target === Number(current)) {
    throw new ConfigError(`${functionName} has no ${isForward ? 'newer' : 'earlier'} version than ${current}.`);
  }
  const version = await requireSameSurroundings(client, functionName, [current, String(target)]);
  await client.send(
    new UpdateAliasCommand({
      FunctionName: functionName,
      Name: aliasName,
      FunctionVersion: String(target),
      RevisionId,
    }),
  );
  return `${functionName} now serves version ${target}, published ${version.LastModified}, instead of ${current}.`;
}

/**
 * A version keeps the role and the settings that it was published with. Its role is deleted when the function's rights
 * change, and other settings may name another table or a secret that the edge no longer sends.
 */
async function requireSameSurroundings(
  client: LambdaClient,
  functionName: string,
  versions: readonly [string, string],
): Promise<FunctionConfiguration> {
  const [current, target] = await Promise.all(
    versions.map(version =>
      client.send(new GetFunctionConfigurationCommand({ FunctionName: functionName, Qualifier: version })),
    ),
  );
  const [now, then] = [current?.Environment?.Variables ?? {}, target?.Environment?.Variables ?? {}];
  const differing = Object.keys({ ...now, ...then }).filter(name => now[name] !== then[name]);
  const differences = [...(isDeepStrictEqual(current?.Role, target?.Role) ? [] : ['its role']), ...differing];
  if (target === undefined || differences.length > 0) {
    throw new ConfigError(
      `Version ${versions[1]} of ${functionName} differs from ${versions[0]} in more than its code (${differences.join(', ')}), so it might ` +
        'have no rights or use another table. Roll back the whole release instead (docs/operations.md#upgrade).',
    );
  }
  return target;
}
