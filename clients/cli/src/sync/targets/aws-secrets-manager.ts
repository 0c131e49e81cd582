import { createHash, randomUUID } from 'node:crypto';
import {
  CreateSecretCommand,
  DeleteSecretCommand,
  DescribeSecretCommand,
  GetSecretValueCommand,
  ListSecretsCommand,
  PutSecretValueCommand,
  type PutSecretValueCommandInput,
  RestoreSecretCommand,
  type SecretListEntry,
  SecretsManagerClient,
  type Tag,
  TagResourceCommand,
  UpdateSecretVersionStageCommand,
} from '@aws-sdk/client-secrets-manager';
import { usage } from '../../failure.ts';
import { isAws, sender } from '../aws-errors.ts';
import { membersOf } from '../json-members.ts';
import type { Held, Kit, Place, Source, Step } from '../place.ts';
import { moved, refused, taken } from '../target-failure.ts';

/*
 * One secret whose text is a JSON object, or one secret for each key (docs.aws.amazon.com/secretsmanager/latest/apireference).
 */

const target = 'AWS Secrets Manager';
const sourceTag = 'holdfast:source';
const maxBytes = 65_536;

export function openPlace(to: string, { awsOptions }: Kit): Place {
  if (!/^[\w/+=.@-]{1,500}$/.test(to)) {
    throw usage('For aws-secrets-manager, --to is the name of a secret, or a prefix that ends in a slash.');
  }
  const send = sender(new SecretsManagerClient(awsOptions), target);
  return to.endsWith('/') ? oneForEach(to, send) : oneObject(to, send);
}

type Send = SecretsManagerClient['send'];

/** A secret for each key. A tag names the source; the id of the current version, which is chosen here, the revision. */
function oneForEach(prefix: string, send: Send): Place {
  let known = new Map<string, SecretListEntry>();
  return {
    title: `the prefix ${prefix}`,
    batchSize: 1,
    hasRevision: false,
    namesVariables: false,
    refuses,
    read: async source => {
      known = new Map((await listBelow(send, prefix)).map(entry => [entry.Name?.slice(prefix.length) ?? '', entry]));
      const names = [...known].flatMap(([name, entry]): [string, Held][] => {
        const held = heldOf(entry, source);
        return held === undefined ? [] : [[name, held]];
      });
      return { names: new Map(names) };
    },
    write: async ([step], { source }) => {
      if (step !== undefined) await writeOne(send, prefix + step.name, step, { source, there: known.get(step.name) });
    },
  };
}

function refuses(_: string, value: string): string | undefined {
  if (value === '') return 'is empty, which a secret can’t be';
  return Buffer.byteLength(value) > maxBytes ? `is longer than the ${maxBytes} bytes of a secret` : undefined;
}

async function listBelow(send: Send, prefix: string): Promise<SecretListEntry[]> {
  const all: SecretListEntry[] = [];
  let NextToken: string | undefined;
  do {
    const page = await send(
      new ListSecretsCommand({
        Filters: [{ Key: 'name', Values: [prefix] }],
        IncludePlannedDeletion: true,
        MaxResults: 100,
        ...(NextToken && { NextToken }),
      }),
    );
    all.push(...(page.SecretList ?? []));
    NextToken = page.NextToken;
  } while (NextToken);
  return all.filter(({ Name = '' }) => Name.startsWith(prefix) && !Name.slice(prefix.length).includes('/'));
}

const sourceOf = (tags: readonly Tag[] = []): string | undefined => tags.find(({ Key }) => Key === sourceTag)?.Value;

function heldOf(entry: SecretListEntry, source: Source): Held | undefined {
  const owner = sourceOf(entry.Tags);
  // It can be restored for some days. What a sync has removed counts as absent.
  if (entry.DeletedDate !== undefined) {
    return owner === source.name ? undefined : { owner, fixed: 'is scheduled for deletion' };
  }
  const current = Object.entries(entry.SecretVersionsToStages ?? {}).find(([, stages]) =>
    stages.includes('AWSCURRENT'),
  );
  const isCurrent = current?.[0].startsWith(versionOf(source)) === true;
  return { owner, revision: isCurrent ? source.revision : 'another' };
}

/** Begins the id of a version; any text from 32 to 64 characters can be one. */
const versionOf = ({ name, revision }: Source): string =>
  `holdfast-${createHash('sha256').update(`${name} ${revision}`).digest('hex').slice(0, 16)}-`;

const newVersion = (source: Source): string => versionOf(source) + randomUUID().replaceAll('-', '');

interface Context {
  source: Source;
  /** What was read under this name. */
  there: SecretListEntry | undefined;
}

async function writeOne(send: Send, name: string, step: Step, { source, there }: Context): Promise<void> {
  const { kind, value: SecretString } = step;
  if (SecretString === undefined) return remove(send, name);
  const ClientRequestToken = newVersion(source);
  const Tags = [{ Key: sourceTag, Value: source.name }];
  if (there?.DeletedDate !== undefined) await send(new RestoreSecretCommand({ SecretId: name }));
  else if (kind === 'create') {
    try {
      await send(new CreateSecretCommand({ Name: name, SecretString, Tags, ClientRequestToken }));
      return;
    } catch (error) {
      if (!isAws(error, 'ResourceExistsException')) throw error;
      // The list may be minutes old, so it may be ours.
      const { Tags: tags } = await send(new DescribeSecretCommand({ SecretId: name }));
      if (sourceOf(tags) !== source.name) throw taken(`${name} was created meanwhile, by somebody else.`);
    }
  }
  if (kind === 'adopt') await send(new TagResourceCommand({ SecretId: name, Tags }));
  await send(new PutSecretValueCommand({ SecretId: name, SecretString, ClientRequestToken }));
}

async function remove(send: Send, SecretId: string): Promise<void> {
  try {
    await send(new DeleteSecretCommand({ SecretId }));
  } catch (error) {
    if (!isAws(error, 'ResourceNotFoundException')) throw error;
  }
}

/** The key beside the others that says what is ours. */
const inventoryKey = 'HOLDFAST_SYNC';

interface StoredObject {
  version: string;
  /** Each member's value as it is in the text, so that those of others are written back exactly. */
  members: Map<string, string>;
}

/** All keys in one secret. A version becomes the current one only if the one that was read still is. */
function oneObject(name: string, send: Send): Place {
  let read: StoredObject | undefined;
  return {
    title: `the secret ${name}`,
    batchSize: Number.POSITIVE_INFINITY,
    hasRevision: true,
    namesVariables: false,
    refuses: key => (key === inventoryKey ? 'is the name of the sync’s own record' : undefined),
    refusesTogether: entries => {
      const [largest] = entries.toSorted(([, a], [, b]) => b.length - a.length);
      const bytes = Buffer.byteLength(JSON.stringify(Object.fromEntries(entries)));
      if (bytes <= maxBytes || largest === undefined) return [];
      return [{ key: largest[0], reason: `is the largest of values that have more than ${maxBytes} bytes together` }];
    },
    read: async () => {
      read = await readObject(send, name);
      const { source, revision, names } = inventoryOf(read);
      const held = [...(read?.members ?? [])].flatMap(([key, text]): [string, Held][] => {
        if (key === inventoryKey) return [];
        const value: unknown = JSON.parse(text);
        return [
          [key, { owner: names.includes(key) ? source : undefined, ...(typeof value === 'string' && { value }) }],
        ];
      });
      return { names: new Map(held), source, revision };
    },
    write: async (steps, { source, names }, completes) => {
      const removed = steps.flatMap(({ kind, name: key }) => (kind === 'remove' ? [key] : []));
      const members = new Map(read?.members);
      for (const key of removed) members.delete(key);
      for (const [key, value] of names) if (value !== undefined) members.set(key, JSON.stringify(value));
      const revision = completes ? source.revision : undefined;
      const inventory = { source: source.name, revision, names: [...names.keys()].toSorted() };
      members.set(inventoryKey, JSON.stringify(JSON.stringify(inventory)));
      await replace(
        send,
        name,
        `{${[...members].map(([key, text]) => `${JSON.stringify(key)}:${text}`).join(',')}}`,
        read,
      );
    },
  };
}

async function readObject(send: Send, name: string): Promise<StoredObject | undefined> {
  try {
    const { SecretString, VersionId = '' } = await send(new GetSecretValueCommand({ SecretId: name }));
    const members = SecretString === undefined ? undefined : membersOf(SecretString);
    if (members === undefined) throw refused(`The secret ${name} is not a JSON object, or has a member twice.`);
    return { version: VersionId, members };
  } catch (error) {
    if (isAws(error, 'ResourceNotFoundException')) return undefined;
    throw error;
  }
}

interface Inventory {
  source?: string;
  revision?: string;
  names: string[];
}

function inventoryOf(stored: StoredObject | undefined): Inventory {
  const text = stored?.members.get(inventoryKey);
  if (text === undefined) return { names: [] };
  try {
    const { source, revision, names } = JSON.parse(JSON.parse(text));
    if (typeof source === 'string' && Array.isArray(names)) return { source, revision, names };
  } catch {
    // Somebody has changed it.
  }
  throw refused(`The member ${inventoryKey}, which lists what a sync owns, is damaged.`, 'Restore or remove it.');
}

/** Fails if somebody else has made another version the current one. */
async function replace(send: Send, name: string, SecretString: string, read: StoredObject | undefined): Promise<void> {
  if (Buffer.byteLength(SecretString) > maxBytes) {
    throw refused(`With the keys of others, the secret ${name} would have more than ${maxBytes} bytes.`);
  }
  const secret = { SecretId: name, SecretString };
  const ClientRequestToken = randomUUID();
  try {
    if (read === undefined) return await create(send, secret, ClientRequestToken);
    const VersionStages = ['HOLDFAST_PENDING'];
    await send(new PutSecretValueCommand({ ...secret, ClientRequestToken, VersionStages }));
    await send(
      new UpdateSecretVersionStageCommand({
        SecretId: name,
        VersionStage: 'AWSCURRENT',
        MoveToVersionId: ClientRequestToken,
        RemoveFromVersionId: read.version,
      }),
    );
    // Other implementations return the version that was put last as current, whatever its labels are.
    const { VersionId } = await send(new GetSecretValueCommand({ SecretId: name }));
    if (VersionId === read.version) await send(new PutSecretValueCommand(secret));
  } catch (error) {
    const conflicts = ['ResourceExistsException', 'InvalidParameterException', 'InvalidRequestException'];
    throw isAws(error, ...conflicts) ? moved(`The secret ${name} was changed meanwhile.`) : error;
  }
}

type Written = Required<Pick<PutSecretValueCommandInput, 'SecretId' | 'SecretString'>>;

/** Creates the secret, or the first version of one that somebody has created without any. */
async function create(send: Send, { SecretId, SecretString }: Written, ClientRequestToken: string): Promise<void> {
  try {
    await send(new CreateSecretCommand({ Name: SecretId, SecretString, ClientRequestToken }));
  } catch (error) {
    if (!isAws(error, 'ResourceExistsException')) throw error;
    // Only a first version becomes the current one with another label.
    const first = { SecretId, SecretString, ClientRequestToken, VersionStages: ['HOLDFAST_PENDING'] };
    const { VersionStages = [] } = await send(new PutSecretValueCommand(first));
    if (!VersionStages.includes('AWSCURRENT')) throw error;
  }
}
