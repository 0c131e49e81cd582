import { startTarget, type TargetAnswer, type TargetRequest, type TargetWorld } from './target-server.ts';

/*
 * Parameters of Systems Manager and secrets of Secrets Manager, over the JSON protocol of AWS
 * (docs.aws.amazon.com/systems-manager/latest/APIReference, docs.aws.amazon.com/secretsmanager/latest/apireference).
 */

type Tags = Map<string, string>;
// biome-ignore lint/suspicious/noExplicitAny: each action reads what it documents
type Input = any;
type Action = (input: Input) => object;

class AwsError extends Error {}
const fail = (name: string): never => {
  throw new AwsError(name);
};

const tagsOf = (list: { Key: string; Value: string }[] = []): Tags =>
  new Map(list.map(({ Key, Value }) => [Key, Value]));
const tagList = (tags: Tags) => [...tags].map(([Key, Value]) => ({ Key, Value }));

/** A page of a list, whose token is where the next one begins. */
function pageOf<T>(all: T[], { NextToken, MaxResults }: Input, most: number): { items: T[]; NextToken?: string } {
  const start = Number(NextToken ?? 0);
  const end = start + Math.min(MaxResults ?? most, most);
  return { items: all.slice(start, end), ...(end < all.length ? { NextToken: String(end) } : {}) };
}

export interface Parameter {
  value: string;
  type: string;
  description: string;
  tags: Tags;
  keyId: string;
  version: number;
}

function systemsManager(parameters: Map<string, Parameter>): Record<string, Action> {
  const required = (name: string): Parameter => parameters.get(name) ?? fail('ParameterNotFound');
  return {
    DescribeParameters: input => {
      const filters: { Key: string; Option?: string; Values: string[] }[] = input.ParameterFilters ?? [];
      const found = [...parameters].filter(([name, { tags }]) =>
        filters.every(({ Key, Option, Values: [value = ''] }) => {
          if (Key === 'Path') {
            if (Option !== 'OneLevel') fail('InvalidFilterOption');
            return name.slice(0, name.lastIndexOf('/')) === value;
          }
          return Key.startsWith('tag:') && tags.get(Key.slice(4)) === value;
        }),
      );
      const { items, NextToken } = pageOf(found, input, 50);
      const Parameters = items.map(([Name, one]) => ({
        Name,
        Type: one.type,
        Description: one.description,
        KeyId: one.keyId,
        Tier: 'Standard',
        Version: one.version,
      }));
      return { Parameters, ...(NextToken && { NextToken }) };
    },
    PutParameter: ({ Name, Value, Type, Overwrite = false, Tags, Description = '', KeyId = 'alias/aws/ssm' }) => {
      const before = parameters.get(Name);
      if (before !== undefined && !Overwrite) fail('ParameterAlreadyExists');
      // Documented: tags can't be given for a parameter that exists.
      if (Overwrite && Tags !== undefined) fail('ValidationException');
      if (Value === '' || Buffer.byteLength(Value) > 4096 || /\{\{.*\}\}/s.test(Value)) fail('ValidationException');
      if (before !== undefined && Type !== undefined && before.type !== Type) fail('HierarchyTypeMismatchException');
      const version = (before?.version ?? 0) + 1;
      const tags = before?.tags ?? tagsOf(Tags);
      parameters.set(Name, {
        value: Value,
        type: Type ?? before?.type,
        description: Description,
        tags,
        keyId: KeyId,
        version,
      });
      return { Version: version, Tier: 'Standard' };
    },
    ListTagsForResource: ({ ResourceId }) => ({ TagList: tagList(required(ResourceId).tags) }),
    AddTagsToResource: ({ ResourceId, Tags }) => {
      for (const [key, value] of tagsOf(Tags)) required(ResourceId).tags.set(key, value);
      return {};
    },
    DeleteParameter: ({ Name }) => (parameters.delete(Name) ? {} : fail('ParameterNotFound')),
  };
}

export interface StoredSecret {
  tags: Tags;
  versions: Map<string, string>;
  /** By label, such as AWSCURRENT. */
  stages: Map<string, string>;
  deletedAt?: number;
  /** The version that is returned as the current one, where that does not follow the label. */
  shown?: string;
}

const currentOf = ({ versions, stages }: StoredSecret): string => versions.get(stages.get('AWSCURRENT') ?? '') ?? '';

function moveCurrent(secret: StoredSecret, version: string): void {
  const before = secret.stages.get('AWSCURRENT');
  if (before !== undefined && before !== version) secret.stages.set('AWSPREVIOUS', before);
  secret.stages.set('AWSCURRENT', version);
}

function secretsManager(secrets: Map<string, StoredSecret>): Record<string, Action> {
  const found = (id: string): StoredSecret => secrets.get(id) ?? fail('ResourceNotFoundException');
  const active = (id: string): StoredSecret =>
    found(id).deletedAt === undefined ? found(id) : fail('InvalidRequestException');
  const requireToken = (token: string) =>
    token.length >= 32 && token.length <= 64 ? token : fail('ValidationException');
  return {
    ListSecrets: input => {
      const [{ Values: [prefix = ''] = [] } = {}] = input.Filters ?? [];
      const all = [...secrets].filter(
        ([name, { deletedAt }]) => name.startsWith(prefix) && (input.IncludePlannedDeletion || deletedAt === undefined),
      );
      const { items, NextToken } = pageOf(all, input, 100);
      const SecretList = items.map(([Name, { tags, stages, deletedAt }]) => {
        const byVersion = new Map<string, string[]>();
        for (const [stage, version] of stages) byVersion.set(version, [...(byVersion.get(version) ?? []), stage]);
        return {
          Name,
          Tags: tagList(tags),
          SecretVersionsToStages: Object.fromEntries(byVersion),
          ...(deletedAt === undefined ? {} : { DeletedDate: deletedAt / 1000 }),
        };
      });
      return { SecretList, ...(NextToken && { NextToken }) };
    },
    CreateSecret: ({ Name, SecretString, Tags, ClientRequestToken }) => {
      const before = secrets.get(Name);
      if (before?.deletedAt !== undefined) fail('InvalidRequestException');
      if (before?.versions.get(ClientRequestToken) === SecretString) return { Name, VersionId: ClientRequestToken };
      if (before !== undefined) fail('ResourceExistsException');
      if (SecretString === '' || Buffer.byteLength(SecretString) > 65_536) fail('InvalidParameterException');
      const version = requireToken(ClientRequestToken);
      secrets.set(Name, {
        tags: tagsOf(Tags),
        versions: new Map([[version, SecretString]]),
        stages: new Map([['AWSCURRENT', version]]),
      });
      return { Name, VersionId: version };
    },
    GetSecretValue: ({ SecretId }) => {
      const secret = active(SecretId);
      if (secret.versions.size === 0) fail('ResourceNotFoundException');
      const VersionId = secret.shown ?? secret.stages.get('AWSCURRENT') ?? '';
      return { Name: SecretId, SecretString: secret.versions.get(VersionId), VersionId };
    },
    DescribeSecret: ({ SecretId }) => ({ Name: SecretId, Tags: tagList(found(SecretId).tags) }),
    PutSecretValue: ({ SecretId, SecretString, ClientRequestToken, VersionStages = ['AWSCURRENT'] }) => {
      const secret = active(SecretId);
      const version = requireToken(ClientRequestToken);
      const before = secret.versions.get(version);
      if (before === SecretString) return { VersionId: version };
      if (before !== undefined) fail('ResourceExistsException');
      // Documented: the first version gets AWSCURRENT, whatever its labels.
      const labels = secret.versions.size === 0 ? [...VersionStages, 'AWSCURRENT'] : VersionStages;
      if (secret.shown !== undefined && labels.includes('AWSCURRENT')) secret.shown = version;
      secret.versions.set(version, SecretString);
      for (const label of labels) {
        if (label === 'AWSCURRENT') moveCurrent(secret, version);
        else secret.stages.set(label, version);
      }
      return { VersionId: version, VersionStages: labels };
    },
    UpdateSecretVersionStage: ({ SecretId, VersionStage, MoveToVersionId, RemoveFromVersionId }) => {
      const secret = active(SecretId);
      const holder = secret.stages.get(VersionStage);
      // Documented: the operation fails if the label is attached and the version does not match.
      if (holder !== undefined && holder !== MoveToVersionId && holder !== RemoveFromVersionId) {
        fail('InvalidParameterException');
      }
      if (RemoveFromVersionId !== undefined && holder !== RemoveFromVersionId) fail('InvalidParameterException');
      moveCurrent(secret, MoveToVersionId);
      return { Name: SecretId };
    },
    TagResource: ({ SecretId, Tags }) => {
      for (const [key, value] of tagsOf(Tags)) active(SecretId).tags.set(key, value);
      return {};
    },
    RestoreSecret: ({ SecretId }) => {
      delete found(SecretId).deletedAt;
      return { Name: SecretId };
    },
    DeleteSecret: ({ SecretId }) => {
      active(SecretId).deletedAt = Date.now();
      return { Name: SecretId };
    },
  };
}

export async function startAws() {
  const parameters = new Map<string, Parameter>();
  const secrets = new Map<string, StoredSecret>();
  const services: Record<string, Record<string, Action>> = {
    AmazonSSM: systemsManager(parameters),
    secretsmanager: secretsManager(secrets),
  };
  const server = await startTarget(({ method, path, headers, body }: TargetRequest): TargetAnswer => {
    const [service = '', action = ''] = String(headers['x-amz-target']).split('.');
    const run = services[service]?.[action];
    const isSigned = String(headers.authorization).startsWith('AWS4-HMAC-SHA256 Credential=');
    const answerOf = (status: number, answer: object) => ({
      status,
      body: answer,
      headers: { 'content-type': 'application/x-amz-json-1.1' },
    });
    if (method !== 'POST' || path !== '/' || !isSigned || run === undefined) {
      return answerOf(400, { __type: 'UnrecognizedClientException' });
    }
    try {
      return answerOf(200, run(body));
    } catch (error) {
      if (!(error instanceof AwsError)) throw error;
      // The real message may repeat what was sent.
      return answerOf(400, { __type: error.message, Message: JSON.stringify(body) });
    }
  });
  return { server, parameters, secrets, stop: server.stop };
}

export const awsVariables = (url: string): Record<string, string> => ({
  AWS_ENDPOINT_URL_SSM: url,
  AWS_ENDPOINT_URL_SECRETS_MANAGER: url,
  AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'not-a-real-key',
  AWS_REGION: 'eu-central-1',
});

export async function openSystemsManager(): Promise<TargetWorld> {
  const { server, parameters, stop } = await startAws();
  const prefix = '/shop/prod/';
  return {
    server,
    to: '/shop/prod',
    variables: awsVariables(server.url),
    values: () => new Map([...parameters].map(([name, { value }]) => [name.slice(prefix.length), value])),
    set: (name, value) =>
      parameters.set(prefix + name, {
        value,
        type: 'SecureString',
        description: '',
        tags: new Map(),
        keyId: 'alias/shop',
        version: 1,
      }),
    remove: name => parameters.delete(prefix + name),
    stop,
  };
}

let nextVersion = 1;
const newVersion = (): string => `by-hand-${String(nextVersion++).padStart(32, '0')}`;

export const newSecret = (text: string): StoredSecret => {
  const version = newVersion();
  return { tags: new Map(), versions: new Map([[version, text]]), stages: new Map([['AWSCURRENT', version]]) };
};

export async function openSecrets(): Promise<TargetWorld> {
  const { server, secrets, stop } = await startAws();
  const prefix = 'shop/prod/';
  return {
    server,
    to: prefix,
    variables: awsVariables(server.url),
    values: () =>
      new Map(
        [...secrets].flatMap(([name, secret]) =>
          secret.deletedAt === undefined ? [[name.slice(prefix.length), currentOf(secret)] as const] : [],
        ),
      ),
    set: (name, value) => secrets.set(prefix + name, newSecret(value)),
    remove: name => secrets.delete(prefix + name),
    stop,
  };
}

export async function openJsonSecret(): Promise<TargetWorld & { secrets: Map<string, StoredSecret> }> {
  const { server, secrets, stop } = await startAws();
  const name = 'shop/prod';
  const members = (): Record<string, string> => {
    const secret = secrets.get(name);
    return secret === undefined ? {} : JSON.parse(currentOf(secret));
  };
  const write = (all: Record<string, string>) => {
    const secret = secrets.get(name) ?? newSecret('{}');
    const version = newVersion();
    secret.versions.set(version, JSON.stringify(all));
    moveCurrent(secret, version);
    secrets.set(name, secret);
  };
  return {
    server,
    secrets,
    to: name,
    variables: awsVariables(server.url),
    values: () => new Map(Object.entries(members()).filter(([key]) => key !== 'HOLDFAST_SYNC')),
    set: (key, value) => write({ ...members(), [key]: value }),
    remove: key => {
      const { [key]: _, ...others } = members();
      write(others);
    },
    stop,
  };
}
