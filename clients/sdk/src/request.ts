import type { paths } from './api-types.ts';
import { fillPath, type Method, type Operation, type Query } from './transport.ts';

type OperationOf<M extends Method, P extends keyof paths> = paths[P][Lowercase<M>];

/** The paths that have the method. */
export type PathOf<M extends Method> = {
  [P in keyof paths]: OperationOf<M, P> extends { responses: unknown } ? P : never;
}[keyof paths];

type PathParameters<O> = O extends { parameters: { path: infer T } } ? { path: T } : unknown;
/** Without `format`, which asks for a text: the SDK parses every body as JSON. */
type QueryParameters<O> = O extends { parameters: { query: infer T } }
  ? { query: T }
  : O extends { parameters: { query?: infer T } }
    ? { query?: Omit<T, 'format'> }
    : unknown;
type Body<O> = O extends { requestBody: { content: { 'application/json': infer T } } } ? { body: T } : unknown;

interface CommonOptions {
  /** Sent as `If-Match`. */
  ifRevision?: number;
  /** Instead of the client's, for an operation that takes long. */
  limits?: { attemptTimeoutMs: number };
  signal?: AbortSignal;
}

export type RequestOptions<M extends Method, P extends keyof paths> = PathParameters<OperationOf<M, P>> &
  QueryParameters<OperationOf<M, P>> &
  Body<OperationOf<M, P>> &
  CommonOptions;

/** Optional if none of its members is required. */
export type OptionsArgument<T> = Record<never, never> extends T ? [options?: T] : [options: T];

type JsonOf<R> = R extends { content: { 'application/json': infer T } } ? Named<T> : never;

/** Without the flat object that `format=json` returns. */
type Named<T> = T extends unknown ? (string extends keyof T ? never : T) : never;

/** The body of a success. */
export type ResponseBody<M extends Method, P extends keyof paths> =
  OperationOf<M, P> extends { responses: infer R }
    ? { [S in keyof R]: S extends 200 | 201 | 202 ? JsonOf<R[S]> : never }[keyof R]
    : never;

/** The paths of lists that come in pages. The feed never ends, and pages of exposures belong together. */
export type ListPath = {
  [P in PathOf<'GET'>]: Extract<keyof ResponseBody<'GET', P>, 'pagination' | 'next'> extends never
    ? never
    : ResponseBody<'GET', P> extends { upTo: string } | { complete: boolean }
      ? never
      : P;
}[PathOf<'GET'>];

/** The items of a page's list. */
export type ItemOf<Page> = {
  [K in keyof Page]-?: Page[K] extends readonly (infer T)[] ? T : never;
}[keyof Page];

/**
 * Writes that state the desired secrets, so repeating one is harmless. Any other write is retried only if the service did
 * nothing: a repeated DELETE of a slug, for example, could delete a new resource with that slug.
 */
const repeatableWrites =
  /^PUT |^(?:POST|DELETE) \/v1\/secrets\/\{\w+\}\/\{\w+\}\/(?:promote|\{\w+\}\/(?:bulk|bulk-delete|changes|restore|\{\w+\}))$/;

export interface GivenOptions {
  path?: Readonly<Record<string, string | number>>;
  query?: Query;
  body?: unknown;
  ifRevision?: number | undefined;
  limits?: { attemptTimeoutMs: number } | undefined;
  signal?: AbortSignal | undefined;
}

/** The operation of a path as `openapi.json` writes it. */
export function operationOf(method: Method, template: string, options: GivenOptions = {}): Operation {
  const { path, ifRevision, ...others } = options;
  return {
    ...others,
    method,
    path: fillPath(template, path),
    headers: ifRevision === undefined ? {} : { 'if-match': `"${ifRevision}"` },
    repeatable: repeatableWrites.test(`${method} ${template}`),
  };
}
