import type { z } from 'zod';
import type { ErrorCode } from './error-codes.ts';
import type { FreshRole, Role } from './fields/role.ts';
import type { Success } from './fields/success.ts';
import type { PathParameterName, PathParameters } from './path-parameters.ts';

/** What a request body may hold. Lambda's own bound of 6 MB is on the whole event. */
export const maximumBodyBytes = 5 * 1024 * 1024;

/**
 * The same for routes that anybody may call. Their bodies are a few short fields, and a stranger must not make the
 * service parse megabytes of JSON. A raw body is only hashed, for its signature.
 */
export const maximumPublicBodyBytes = 64 * 1024;

/** How many bytes a request body of the operation may have. */
export function bodyLimitOf({ access, rawBody }: Pick<Contract, 'access' | 'rawBody'>): number {
  const isOpen = access.kind === 'public' || access.kind === 'optional';
  return isOpen && rawBody !== true ? maximumPublicBodyBytes : maximumBodyBytes;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

type Path = `/v1/${string}`;

type Route = `${Method} ${Path}`;

/** What a bearer token must be allowed for a route; `session` refuses every token. */
export type TokenRequirement = 'read' | 'write' | 'full' | 'session';

/** How narrowly a token may be limited and still use a route; anything narrower is `insufficient_scope`. */
export type TokenLimit = 'none' | 'organization' | 'project' | 'environment';

/**
 * Whether a session must have proved itself lately (`STEP_UP_FRESH_SECONDS`), with its account's second factor if it has
 * one. Tokens are not asked. `by-content` says that it depends on what the request wants; the handler must then ask
 * `context.requireFresh`, or its answer is refused.
 */
export type Freshness = 'always' | 'by-content';

/**
 * Who may call a route. The chain in `endpoint.ts` enforces it before the handler runs.
 * - `public`: no authentication (the handler may still verify a signature or a link token).
 * - `optional`: a session is used if one is sent (with the CSRF rule), and is not required.
 * - `account`: any signed-in user.
 * - `member`: a member of the organization that the path names, in one of `roles`. `environmentRule` says that the role
 *   also depends on an environment's type; the handler must then ask `access.requireEnvironment`, or its answer is refused.
 * - `admin`: a platform administrator (`isAdmin`).
 */
export type Access =
  | { kind: 'public' }
  | { kind: 'optional'; fresh?: Freshness }
  | { kind: 'account'; tokens: TokenRequirement; narrowestToken: TokenLimit; fresh?: Freshness }
  | ({
      kind: 'member';
      tokens: TokenRequirement;
      narrowestToken: TokenLimit;
      environmentRule?: 'read' | 'write';
    } & ({ roles: readonly Role[]; fresh?: never } | { roles: readonly FreshRole[]; fresh: Freshness }))
  | { kind: 'admin' };

export type TableAction =
  | 'GetItem'
  | 'BatchGetItem'
  | 'Query'
  | 'PutItem'
  | 'UpdateItem'
  | 'DeleteItem'
  | 'ConditionCheckItem'
  | 'BatchWriteItem';

/**
 * What the table's partitions are, by the word that their keys start with (`lib/table/keys.ts`). A function's role names
 * those that it reads and writes.
 */
export type Partition =
  | 'ASSERTION'
  | 'AUDIT'
  | 'CHALLENGE'
  | 'CREDENTIALKEY'
  | 'CUSTOMER'
  | 'DELIVERIES'
  | 'DELIVERY'
  | 'EMAIL'
  | 'ENV'
  | 'HANDOFF'
  | 'INVITATION'
  | 'ISSUER'
  | 'METRICS'
  | 'METRICSBATCH'
  | 'ORG'
  | 'ORGID'
  | 'ORGS'
  | 'PASSKEY'
  | 'PAYLOAD'
  | 'PLANS'
  | 'PLATFORM'
  | 'PROVIDEREVENT'
  | 'RATE'
  | 'RETIRED'
  | 'UNFINISHED'
  | 'USER';

export type KeyAction = 'GenerateDataKey' | 'Decrypt' | 'Encrypt';

/** The uses of the KMS key. The encryption context names the use of each call. */
export type KeyPurpose = 'project' | 'webhook' | 'credentials' | 'totp';

/** A function that does for others what their own roles must not allow. */
export type InvokedFunction = 'fetch-issuer-keys';

/**
 * What a function uses, and so exactly what its role allows (IAM action names without the service prefix). What
 * follows from its access is not repeated: see `usesOf` in `infra/plan/functions.ts`.
 */
export interface Uses {
  table: readonly TableAction[];
  reads?: readonly Partition[];
  /** Where Query is allowed, if that is less than what it reads. */
  queries?: readonly Partition[];
  writes?: readonly Partition[];
  key?: Readonly<Partial<Record<KeyPurpose, readonly KeyAction[]>>>;
  /** Queues it sends to. */
  queues?: readonly ('webhooks' | 'jobs')[];
  /** Functions that it invokes and waits for. */
  functions?: readonly InvokedFunction[];
  mail?: true;
  /** Reads the payment provider's keys and calls it. */
  payments?: true;
  /** Names the dashboard's origin: passkeys belong to it, and codes of the hand-off are issued by it. */
  dashboardOrigin?: true;
}

/** A successful answer: the schema of its body, and an example and headers to document it. */
export interface ResponseContract {
  description: string;
  /** null: no body (304 only). */
  body: z.ZodType | null;
  /** Needed if the example differs from the fields' own examples or shows an optional field. */
  example?: unknown;
  headers?: Readonly<Record<string, string>>;
}

export type SuccessStatus = 200 | 201 | 202 | 304;

/** One endpoint, as data. Routing, validation, documentation, rights and the test matrix are derived from it. */
export interface Contract {
  /** Verb-noun in kebab case; also the name of the function's file. */
  operationId: string;
  /** `METHOD /v1/path`, with `{parameter}` segments, each named in `path-parameters.ts`. */
  route: Route;
  method: Method;
  path: Path;
  summary: string;
  description: string;
  access: Access;
  query?: z.ZodObject;
  /** Request headers by lower-case name. Other headers are ignored. */
  headers?: z.ZodObject;
  body?: z.ZodType;
  bodyExample?: unknown;
  /** The handler gets the body as received, because a signature covers its bytes. */
  rawBody?: true;
  /**
   * It changes no tenant's data, so it is served under maintenance, as every GET is. What it writes may be lost with the
   * table that is being replaced: a session or a short-lived token.
   */
  servedInMaintenance?: true;
  /** The error code for a path parameter that names nothing, if it differs from `path-parameters.ts`. */
  notFound?: Partial<Record<PathParameterName, ErrorCode>>;
  responses: Readonly<Partial<Record<SuccessStatus, ResponseContract>>>;
  /** Error codes in addition to those that follow from access, parameters and body. */
  errors?: readonly ErrorCode[];
  uses: Uses;
  /** Lambda memory in MB where the default of `infra` doesn't fit, with the reason. */
  sizing?: { memoryMb: number; reason: string };
}

/** For operations that hash or check a password, which take half a CPU second. Their routes have lower rate limits. */
export const passwordSizing = {
  memoryMb: 1769,
  reason: 'scrypt at OWASP strength needs 128 MB and a whole CPU, which 1,769 MB have',
};

type RouteParts<R extends Route> = R extends `${infer M extends Method} ${infer P extends Path}`
  ? { method: M; path: P }
  : never;

/** Declares an endpoint and keeps the literal types that handlers infer their parameters from. */
export function contract<const C extends Omit<Contract, 'method' | 'path'>>(declared: C): C & RouteParts<C['route']> {
  const [method, path] = declared.route.split(' ');
  return { ...declared, ...({ method, path } as RouteParts<C['route']>) };
}

type ParsedOr<S, Else> = S extends z.ZodType ? z.output<S> : Else;

/** The parsed request that a handler receives. */
export interface ParsedRequest<C extends Contract> {
  params: PathParameters<C['path']>;
  query: ParsedOr<C['query'], Record<string, never>>;
  headers: ParsedOr<C['headers'], Record<string, never>>;
  /** The raw body as text where the contract says so. */
  body: C extends { rawBody: true } ? string : ParsedOr<C['body'], undefined>;
}

/** The parsed body of a request. */
export type BodyOf<C extends Contract> = ParsedRequest<C>['body'];

type ResponseBody<R> = R extends { body: infer S } ? (S extends z.ZodType ? z.input<S> : null) : never;

/** What a handler may answer: one of the declared statuses with its body. A sole status need not be named. */
export type HandlerResponse<C extends Contract> = {
  [Status in keyof C['responses']]: {
    body: ResponseBody<C['responses'][Status]>;
    headers?: Readonly<Record<string, string>>;
    cookies?: readonly string[];
  } & ([keyof C['responses']] extends [Status]
    ? { status?: Status & SuccessStatus }
    : { status: Status & SuccessStatus });
}[keyof C['responses']];

/** What a handler returns. Where the answer is no more than `Success`, it may return nothing. */
export type HandlerResult<C extends Contract> =
  | Promise<HandlerResponse<C>>
  | (Success extends ResponseBody<C['responses'][200]> ? Promise<void> : never);
