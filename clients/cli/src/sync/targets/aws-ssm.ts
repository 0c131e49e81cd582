import {
  AddTagsToResourceCommand,
  DeleteParameterCommand,
  DescribeParametersCommand,
  ListTagsForResourceCommand,
  type ParameterMetadata,
  type ParameterStringFilter,
  PutParameterCommand,
  SSMClient,
} from '@aws-sdk/client-ssm';
import { usage } from '../../failure.ts';
import { isAws, sender } from '../aws-errors.ts';
import type { Held, Kit, Place, Source, Step } from '../place.ts';
import { taken } from '../target-failure.ts';

/*
 * One SecureString for each key, directly below a path (docs.aws.amazon.com/systems-manager/latest/APIReference). A tag
 * names the source. The description has the revision, because it is written together with the value.
 */

const target = 'AWS Systems Manager';
const sourceTag = 'holdfast:source';
/** Of a standard parameter. */
const maxBytes = 4096;
const maxDepth = 15;

export function openPlace(to: string, { awsOptions }: Kit): Place {
  const path = to.replace(/\/$/, '');
  if (!/^(?:\/[A-Za-z0-9_.-]+)+$/.test(path) || path.split('/').length > maxDepth || /^\/(?:aws|ssm)/i.test(path)) {
    throw usage('For aws-ssm, --to is a path such as /shop/prod.');
  }
  const send = sender(new SSMClient(awsOptions), target);
  let known = new Map<string, ParameterMetadata>();
  return {
    title: `the path ${path}`,
    batchSize: 1,
    hasRevision: false,
    namesVariables: false,
    refuses,
    read: async source => {
      const below = { Key: 'Path', Option: 'OneLevel', Values: [path] };
      const all = await describe(send, [below]);
      const tagged = { Key: `tag:${sourceTag}`, Values: [source.name] };
      const owned = new Set((await describe(send, [below, tagged])).map(({ Name }) => Name));
      known = new Map(all.map(one => [keyOf(one), one]));
      return { names: new Map(all.map(one => [keyOf(one), heldOf(one, owned.has(one.Name) ? source : undefined)])) };
    },
    write: async ([step], { source }) => {
      if (step !== undefined)
        await writeOne(send, `${path}/${step.name}`, step, { source, there: known.get(step.name) });
    },
  };
}

const keyOf = ({ Name = '' }: ParameterMetadata): string => Name.slice(Name.lastIndexOf('/') + 1);

function heldOf({ Type, Description = '' }: ParameterMetadata, owner: Source | undefined): Held {
  const [, revision, source] = /^Holdfast revision (\S+) of (.+)$/.exec(Description) ?? [];
  // The type of a parameter can't change.
  const fixed = Type === 'SecureString' ? {} : { fixed: `is a ${Type}, not a SecureString` };
  // One that was adopted and not written has none, or that of its former source.
  const isOwn = owner !== undefined && source === owner.name;
  return { owner: owner?.name, revision: isOwn ? revision : 'unknown', ...fixed };
}

function refuses(_: string, value: string): string | undefined {
  if (value === '') return 'is empty, which a parameter can’t be';
  if (Buffer.byteLength(value) > maxBytes) return `is longer than the ${maxBytes} bytes of a standard parameter`;
  return /\{\{.*\}\}/s.test(value) ? 'contains {{…}}, which Systems Manager reads as a reference' : undefined;
}

type Send = SSMClient['send'];

async function describe(send: Send, ParameterFilters: ParameterStringFilter[]): Promise<ParameterMetadata[]> {
  const all: ParameterMetadata[] = [];
  let NextToken: string | undefined;
  do {
    const page = await send(
      new DescribeParametersCommand({ ParameterFilters, MaxResults: 50, ...(NextToken && { NextToken }) }),
    );
    all.push(...(page.Parameters ?? []));
    NextToken = page.NextToken;
  } while (NextToken);
  return all;
}

interface Context {
  source: Source;
  /** What was read under this name. */
  there: ParameterMetadata | undefined;
}

async function writeOne(send: Send, Name: string, step: Step, { source, there }: Context): Promise<void> {
  const { kind, value } = step;
  if (value === undefined) return remove(send, Name);
  const Tags = [{ Key: sourceTag, Value: source.name }];
  const Description = `Holdfast revision ${source.revision} of ${source.name}`;
  const parameter = { Name, Value: value, Type: 'SecureString', Description } as const;
  if (kind === 'create') {
    try {
      // Fails if somebody else has created it since.
      await send(new PutParameterCommand({ ...parameter, Tags, Overwrite: false }));
      return;
    } catch (error) {
      if (!isAws(error, 'ParameterAlreadyExists')) throw error;
      // Created by the attempt whose answer was lost, or by another sync of the same source.
      if (!(await isOwned(send, Name, source))) throw taken(`${Name} was created meanwhile, by somebody else.`);
    }
  }
  if (kind === 'adopt') await send(new AddTagsToResourceCommand({ ResourceType: 'Parameter', ResourceId: Name, Tags }));
  const { KeyId, Tier } = there ?? {};
  // Without them, the value would move to the default key, or the parameter to another tier.
  await send(
    new PutParameterCommand({ ...parameter, Overwrite: true, ...(KeyId && { KeyId }), ...(Tier && { Tier }) }),
  );
}

async function isOwned(send: Send, ResourceId: string, source: Source): Promise<boolean> {
  const { TagList = [] } = await send(new ListTagsForResourceCommand({ ResourceType: 'Parameter', ResourceId }));
  return TagList.some(({ Key, Value }) => Key === sourceTag && Value === source.name);
}

async function remove(send: Send, Name: string): Promise<void> {
  try {
    await send(new DeleteParameterCommand({ Name }));
  } catch (error) {
    if (!isAws(error, 'ParameterNotFound')) throw error;
  }
}
