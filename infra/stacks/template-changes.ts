import { isDeepStrictEqual } from 'node:util';
import type { Resource, Templates } from './synthesize.ts';

/**
 * Resources with data that a deployment must not lose, and their properties that CloudFormation can't change in place
 * ("Update requires: Replacement" in its reference). For such a change it creates a new, empty resource.
 */
const replacingProperties: Readonly<Record<string, readonly string[]>> = {
  'AWS::Backup::BackupVault': ['BackupVaultName', 'EncryptionKeyArn'],
  'AWS::DynamoDB::GlobalTable': ['TableName', 'KeySchema', 'LocalSecondaryIndexes'],
  'AWS::KMS::Key': ['MultiRegion', 'KeySpec', 'KeyUsage', 'Origin'],
  'AWS::Logs::LogGroup': ['LogGroupName'],
  'AWS::SQS::Queue': ['QueueName', 'FifoQueue'],
};

/**
 * Stacks that an option adds. Without the option they stay as they are, because the CDK never deletes a stack on its
 * own.
 */
const optionalStacks = /-(?:backup|delivery|firewall|replica)$/;

/**
 * What CloudFormation would refuse or destroy when it moves from one installation's templates to another's, one
 * sentence each: removed exports, and removed or replaced stateful resources. Pure.
 */
export function harmsOf(before: Templates, after: Templates): string[] {
  return [...before].flatMap(([stack, { Resources: resources, Outputs: outputs = {} }]) => {
    const now = after.get(stack);
    if (now === undefined && optionalStacks.test(stack)) return [];
    const names = new Set(Object.values(now?.Outputs ?? {}).map(({ Export }) => JSON.stringify(Export?.Name)));
    const lost = Object.entries(outputs).filter(
      ([, { Export }]) => Export !== undefined && !names.has(JSON.stringify(Export.Name)),
    );
    return [
      ...lost.map(([id]) => `The stack ${stack} no longer exports ${id}.`),
      ...Object.entries(resources).flatMap(([id, resource]) => {
        const harm = harmTo(resource, now?.Resources[id]);
        return harm === undefined ? [] : [`The ${resource.Type} ${id} of the stack ${stack} ${harm}.`];
      }),
    ];
  });
}

function harmTo(before: Resource, after: Resource | undefined): string | undefined {
  const fixed = replacingProperties[before.Type];
  if (fixed === undefined) return undefined;
  if (after === undefined) return 'is removed';
  if (after.Type !== before.Type) return `becomes a ${after.Type}`;
  const changed = fixed.find(name => !isDeepStrictEqual(before.Properties?.[name], after.Properties?.[name]));
  return changed === undefined ? undefined : `is replaced because its ${changed} changes`;
}

/** The tables that functions use, by their templates. More than one means that writes are split between tables. */
export function tablesInUse(templates: Templates): unknown[] {
  const tables = [...templates.values()].flatMap(({ Resources: resources }) =>
    Object.values(resources)
      .filter(({ Type }) => Type === 'AWS::Lambda::Function')
      .flatMap(({ Properties }) => Properties.Environment?.Variables.TABLE_NAME ?? []),
  );
  return tables.filter((table, index) => tables.findIndex(other => isDeepStrictEqual(other, table)) === index);
}
