import { isDeepStrictEqual } from 'node:util';
import type { Resource, Templates } from './synthesize.ts';

/**
 * What holds data that a deployment must not lose, with the properties that CloudFormation cannot change in place
 * ("Update requires: Replacement" in its reference). It makes a new resource for such a change, and an empty one.
 */
const replacingProperties: Readonly<Record<string, readonly string[]>> = {
  'AWS::Backup::BackupVault': ['BackupVaultName', 'EncryptionKeyArn'],
  'AWS::DynamoDB::GlobalTable': ['TableName', 'KeySchema', 'LocalSecondaryIndexes'],
  'AWS::KMS::Key': ['MultiRegion', 'KeySpec', 'KeyUsage', 'Origin'],
  'AWS::Logs::LogGroup': ['LogGroupName'],
  'AWS::SQS::Queue': ['QueueName', 'FifoQueue'],
};

/** Stacks that an option adds. Without the option they stay as they are, because the CDK deletes no stack unasked. */
const optionalStacks = /-(?:backup|delivery|firewall|replica)$/;

/**
 * What CloudFormation would refuse, or throw away, in going from one installation's templates to another's, a sentence
 * for each: exports that are gone, and stateful resources that are gone or made anew. Pure.
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
  return changed === undefined ? undefined : `is made anew, because its ${changed} changes`;
}

/** The tables that functions work on, as the templates name them. More than one means that writes go two ways. */
export function tablesInUse(templates: Templates): unknown[] {
  const tables = [...templates.values()].flatMap(({ Resources: resources }) =>
    Object.values(resources)
      .filter(({ Type }) => Type === 'AWS::Lambda::Function')
      .flatMap(({ Properties }) => Properties.Environment?.Variables.TABLE_NAME ?? []),
  );
  return tables.filter((table, index) => tables.findIndex(other => isDeepStrictEqual(other, table)) === index);
}
