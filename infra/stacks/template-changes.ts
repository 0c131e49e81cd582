import { isDeepStrictEqual } from 'node:util';
import type { Resource, StackTemplate, Templates } from './synthesize.ts';

/**
 * Resources with data that a deployment must not lose, and their properties that CloudFormation can't change in place
 * ("Update requires: Replacement" in its reference). For such a change it creates a new, empty resource.
 */
const replacingProperties: Readonly<Record<string, readonly string[]>> = {
  'AWS::Backup::BackupVault': ['BackupVaultName', 'EncryptionKeyArn'],
  'AWS::DynamoDB::GlobalTable': ['TableName', 'KeySchema', 'LocalSecondaryIndexes'],
  'AWS::KMS::Key': ['MultiRegion', 'KeySpec', 'KeyUsage', 'Origin'],
  'AWS::SQS::Queue': ['QueueName', 'FifoQueue'],
};

/**
 * Stacks that an option adds. Without the option they stay as they are, because the CDK never deletes a stack on its
 * own.
 */
const optionalStacks = /-(?:backup|delivery|firewall|replica)$/;

/** The properties that give a resource a fixed name. */
const nameProperties = ['FunctionName', 'LogGroupName', 'AlarmName', 'RoleName', 'QueueName', 'TableName', 'TopicName'];

/**
 * What would go wrong when CloudFormation moves from one installation's templates to another's, one sentence each:
 * removed exports, removed or replaced stateful resources, secrets that a rollback resolves, names that stay taken, and
 * rights that are taken from a version that still serves requests. Check both directions: a rollback is a deployment too.
 * Pure.
 */
export function harmsOf(before: Templates, after: Templates): string[] {
  return [...lostSecrets(before, after), ...harmedResources(before, after)];
}

/**
 * Secrets that the earlier templates resolve by name and the later ones no longer create. Stacks are deployed one after
 * another, so when a later stack rolls back, CloudFormation resolves its earlier template after the secret is gone.
 */
function lostSecrets(before: Templates, after: Templates): string[] {
  const kept = secretNames(after);
  const created = secretNames(before);
  const references = JSON.stringify([...before.values()]).matchAll(/\{\{resolve:secretsmanager:([^:}]+)/g);
  return [...new Set([...references].map(([, name = '']) => name))]
    .filter(name => created.has(name) && !kept.has(name))
    .map(name => `The secret ${name} is deleted, and a rollback resolves it.`);
}

function secretNames(templates: Templates): ReadonlySet<string> {
  const resources = [...templates.values()].flatMap(({ Resources }) => Object.values(Resources));
  return new Set(
    resources.flatMap(({ Type, Properties }) => (Type === 'AWS::SecretsManager::Secret' ? [Properties.Name] : [])),
  );
}

function harmedResources(before: Templates, after: Templates): string[] {
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
        const harm = harmTo(resource, now?.Resources[id]) ?? leftoverOf(resource, now?.Resources[id]);
        return harm === undefined ? [] : [`The ${resource.Type} ${id} of the stack ${stack} ${harm}.`];
      }),
      ...changedRoles(resources, now?.Resources ?? {}).map(
        id =>
          `The role ${id} of the stack ${stack} changes while the old version of its function still serves requests.`,
      ),
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

/** A resource that outlives its removal keeps its name, and can't be made again. */
function leftoverOf(before: Resource, after: Resource | undefined): string | undefined {
  const { DeletionPolicy: policy } = before;
  const stays = typeof policy === 'string' && policy.startsWith('Retain');
  // A version's FunctionName is that of its function, and the next one gets a number of its own.
  if (after !== undefined || !stays || before.Type === 'AWS::Lambda::Version') return undefined;
  const taken = nameProperties.find(name => before.Properties?.[name] !== undefined);
  return taken === undefined ? undefined : `stays when it is removed, so its ${taken} is taken when it comes back`;
}

/**
 * The roles that change under a function whose old version serves requests until its alias has moved. A role that is
 * removed is not among them: CloudFormation deletes it after that.
 */
function changedRoles(before: StackTemplate['Resources'], after: StackTemplate['Resources']): string[] {
  return Object.values(before)
    .filter(({ Type }) => Type === 'AWS::Lambda::Alias')
    .map(({ Properties }) => before[Properties.FunctionName.Ref]?.Properties.Role['Fn::GetAtt'][0] as string)
    .filter(role => after[role] !== undefined && !isDeepStrictEqual(rightsIn(after[role]), rightsIn(before[role])));
}

/** A role without its tags, which give nobody a right. */
function rightsIn(role: Resource | undefined): unknown {
  return { ...role, Properties: { ...role?.Properties, Tags: undefined } };
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
