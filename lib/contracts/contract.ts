import type { z } from 'zod';
import type { ErrorCode } from './error-codes.ts';
import { Success } from './fields/bodies.ts';
import type { FreshRole, Role } from './fields/role.ts';
import type { Partition } from './partitions.ts';
import type { PathParameterName, PathParameters } from './path-parameters.ts';

/** The limit of a body that holds secrets. Lambda's own limit of 6 MB applies to the whole event. */
export const maximumBodyBytes = 5 * 1024 * 1024;
/** The limit of a body with up to 1,000 keys of secrets, of 256 characters each. */
const maximumKeysBodyBytes = 512 * 1024;
/** The limit of all other bodies. They have a few short fields, so nobody makes the service parse megabytes. */
export const maximumSmallBodyBytes = 64 * 1024;

/** A raw body is only hashed, for its signature. */
export function bodyLimitOf({ bodyHolds, rawBody }: Pick<Contract, 'bodyHolds' | 'rawBody'>): number {
  if (bodyHolds === 'secrets' || rawBody === true) return maximumBodyBytes;
  return bodyHolds === 'keys' ? maximumKeysBodyBytes : maximumSmallBodyBytes;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** During maintenance, changes of tenants' data are rejected, except those that only take rights away. */
export function isServedInMaintenance({ method, servedInMaintenance, revokes }: Contract): boolean {
  return method === 'GET' || servedInMaintenance === true || revokes !== undefined;
}

/** Whether all or some of its requests are rejected during maintenance. */
export function isRefusedInMaintenance(contract: Contract): boolean {
  return !isServedInMaintenance(contract) || contract.revokes === 'by-content';
}

type Path = `/v1/${string}`;
type Route = `${Method} ${Path}`;

/** The access a bearer token needs for a route; `session` rejects every token. */
export type TokenRequirement = 'read' | 'write' | 'full' | 'session';

/** How narrowly a token may be limited and still use a route; a narrower token gets `insufficient_scope`. */
export type TokenLimit = 'none' | 'organization' | 'project' | 'environment';

/**
 * Whether a session must be fresh (`STEP_UP_FRESH_SECONDS`), with its account's second factor if it has one. With
 * `by-content` it depends on the request; the handler must then call `context.requireFresh`.
 */
export type Freshness = 'always' | 'by-content';

/**
 * Who may call a route. The chain in `endpoint.ts` enforces it before the handler runs.
 * - `public`: no authentication (the handler may still verify a signature or a link token).
 * - `optional`: a session is used if one is sent (with the CSRF rule), but is not required.
 * - `caller`: any valid credential of a user or an identity. The handler checks that the identity still exists.
 * - `account`: any signed-in user. With `confined`, also in a session that is confined to the organization of its
 *   provider; the handler then shows and changes only what belongs to that organization.
 * - `member`: a member of the organization in the path, with one of `roles`. With `environmentRule`, access also depends
 *   on the environment's type; the handler must then call `access.requireEnvironment`.
 *   With `leaves`, the organization's requirements (its provider, a second factor, its networks) don't apply.
 *   With `deployers`, identities with the role `deployer` may do it in their environment, whatever its type.
 *   Below a project, `roles` are those in that project. Elsewhere, they are those in the organization, and limited
 *   members are refused unless `limitedMembers` says that the handler shows only what exists for them. With
 *   `projectAdmins`, a project's admins may do it for their project; the handler must then ask `managedProjects`.
 *   With `granted`, a grant lets members in whose role doesn't suffice, as far as it goes: the handler must ask for what
 *   it reads or writes with `access.requireEnvironment`, or show only what exists for the caller.
 * - `admin`: a platform administrator (`isAdmin`), with a session or a full token without a limit.
 * Tokens for names only may call an operation with `names`. With `by-content`, only as far as neither the response nor
 * what changes depends on a value that they choose or could learn; the handler must then call `access.requireValues`.
 */
export type Access =
  | { kind: 'public' }
  | { kind: 'optional'; fresh?: Freshness }
  | { kind: 'caller'; tokens: 'read'; narrowestToken: 'environment'; names: 'always' }
  | {
      kind: 'account';
      tokens: TokenRequirement;
      narrowestToken: TokenLimit;
      fresh?: Freshness;
      confined?: true;
      names?: 'always';
    }
  | ({
      kind: 'member';
      tokens: TokenRequirement;
      narrowestToken: TokenLimit;
      environmentRule?: 'read' | 'write';
      deployers?: true;
      leaves?: true;
      limitedMembers?: true;
      projectAdmins?: true;
      granted?: true;
      names?: 'always' | 'by-content';
    } & ({ roles: readonly Role[]; fresh?: 'by-content' } | { roles: readonly FreshRole[]; fresh: 'always' }))
  | { kind: 'admin'; tokens?: 'session'; fresh?: 'always' };

export type MemberRule = Extract<Access, { kind: 'member' }>;

export type TableAction =
  | 'GetItem'
  | 'BatchGetItem'
  | 'Query'
  | 'PutItem'
  | 'UpdateItem'
  | 'DeleteItem'
  | 'ConditionCheckItem'
  | 'BatchWriteItem';

export type TableRights = Readonly<Partial<Record<TableAction, readonly Partition[]>>>;

export type KeyAction = 'GenerateDataKey' | 'Decrypt' | 'Encrypt';

/** The uses of the KMS key, which the encryption context names. */
export type KeyPurpose = 'project' | 'webhook' | 'credentials' | 'totp' | 'provider';

/** A function that does for others what their own roles must not allow. */
export type InvokedFunction = 'make-outbound-requests';

/** What a function's role allows besides what its access implies (see `usesOf` in `infra/plan/functions.ts`). */
export interface Uses {
  /** Each action with the partitions that it is used in, and no other. */
  table: TableRights;
  key?: Readonly<Partial<Record<KeyPurpose, readonly KeyAction[]>>>;
  queues?: readonly ('webhooks' | 'jobs')[];
  functions?: readonly InvokedFunction[];
  mail?: true;
  /** Reads the payment provider's keys and calls it. */
  payments?: true;
  /** Puts objects into the audit archive, and may do nothing else there. */
  archive?: true;
  /** Refers to the dashboard's origin: passkeys are bound to it, and it issues the codes of the token hand-off. */
  dashboardOrigin?: true;
}

/** The content types of bodies that the service doesn't write as JSON itself. */
export type TextType = 'application/json' | 'application/yaml' | 'text/plain; charset=utf-8';

export interface ResponseContract {
  description: string;
  /** null: no body (302 and 304). */
  body: z.ZodType | null;
  /** The content types of other representations of the body, which a query parameter asks for. The handler writes them. */
  texts?: readonly TextType[];
  /** Required if the example differs from the fields' own examples or shows an optional field. */
  example?: unknown;
  headers?: Readonly<Record<string, string>>;
}

export type SuccessStatus = 200 | 201 | 202 | 302 | 304;

/* The responses of an operation that has only one. */
export const ok = <const R extends ResponseContract>(response: R) => ({ 200: response });
export const created = <const R extends ResponseContract>(response: R) => ({ 201: response });
export const accepted = <const R extends ResponseContract>(response: R) => ({ 202: response });
/** Sends a browser elsewhere, whatever the outcome. */
export const redirects = <const R extends ResponseContract>(response: R) => ({ 302: response });

/** The response to a change that returns nothing else. */
export const succeeds = (description: string) => ok({ description, body: Success });

/** One endpoint, as data. Routing, validation, documentation, permissions and the test matrix are derived from it. */
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
  /** Another service composes the query, so unknown parameters are ignored, and the handler checks the others. */
  foreignQuery?: true;
  /** Request headers by lower-case name. Other headers are ignored. */
  headers?: z.ZodObject;
  /** Cookies that the handler reads, besides the session's. Their format is not checked. */
  cookies?: readonly string[];
  body?: z.ZodType;
  bodyExample?: unknown;
  /** What makes the body larger than a few short fields; see `bodyLimitOf`. */
  bodyHolds?: 'secrets' | 'keys';
  /** The handler gets the body as received, because a signature covers its bytes. */
  rawBody?: true;
  /** It changes no tenant's data: a session or a short-lived token may be lost with the table that is replaced. */
  servedInMaintenance?: true;
  /** Machines call it without a token, so it is served at the gateway's own address too, if the installation allows that. */
  servedDirectly?: true;
  /**
   * It only takes rights away. So it is served during maintenance, and an operator's command repeats it on the table that
   * replaces this one (see `revocations.ts`). With `by-content` that depends on the request; the handler must then call
   * `context.requireRevocation`.
   */
  revokes?: true | 'by-content';
  /** The error code for a path parameter that doesn't exist, if it differs from `path-parameters.ts`. */
  notFound?: Partial<Record<PathParameterName, ErrorCode>>;
  responses: Readonly<Partial<Record<SuccessStatus, ResponseContract>>>;
  /** Error codes in addition to those that follow from access, parameters and body. */
  errors?: readonly ErrorCode[];
  uses: Uses;
  /** It may take many seconds to answer, so it must not take all of the account's concurrency. */
  isLong?: true;
  /** Machines, or people who are logging in, wait for it, so a tenth of its requests tries a new version first. */
  isWaitedFor?: true;
  /** Lambda memory in MB if the default of `infra` doesn't fit, with the reason. */
  sizing?: { memoryMb: number; reason: string };
}

/** For operations that hash or check a password, which takes half a CPU second. Their routes have lower rate limits. */
export const passwordSizing = { memoryMb: 1769, reason: 'scrypt needs 128 MB and a whole CPU, which 1,769 MB have' };

type RouteParts<R extends Route> = R extends `${infer M extends Method} ${infer P extends Path}`
  ? { method: M; path: P }
  : never;

/** Keeps the literal types that handlers infer their parameters from. */
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
  cookies: C extends { cookies: readonly (infer Name extends string)[] } ? { readonly [N in Name]?: string } : never;
  /** The raw body as text if the contract says so. */
  body: C extends { rawBody: true } ? string : ParsedOr<C['body'], undefined>;
}

/* The parsed body and query of a request. */
export type BodyOf<C extends Contract> = ParsedRequest<C>['body'];
export type QueryOf<C extends Contract> = ParsedRequest<C>['query'];

/** The body of an endpoint's response. */
export type AnswerOf<C extends Contract> = ResponseBody<C['responses'][keyof C['responses']]>;

type TextBody<R> = R extends { texts: readonly (infer T)[] } ? { body: string; contentType: T } : never;

type ResponseBody<R> = R extends { body: infer S } ? (S extends z.ZodType ? z.input<S> : null) : never;

/** One of the declared statuses with its body. If there is only one, the status can be omitted. */
export type HandlerResponse<C extends Contract> = {
  [Status in keyof C['responses']]: (
    | { body: ResponseBody<C['responses'][Status]>; contentType?: never }
    | TextBody<C['responses'][Status]>
  ) & { headers?: Readonly<Record<string, string>>; cookies?: readonly string[] } & ([keyof C['responses']] extends [
      Status,
    ]
      ? { status?: Status & SuccessStatus }
      : { status: Status & SuccessStatus });
}[keyof C['responses']];

/** If the response is just `Success`, a handler may return nothing. */
export type HandlerResult<C extends Contract> =
  | Promise<HandlerResponse<C>>
  | (Success extends ResponseBody<C['responses'][200]> ? Promise<void> : never);
