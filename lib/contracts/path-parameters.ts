import * as z from 'zod';
import type { ErrorCode } from './error-codes.ts';
import { SecretKey, Slug, Uuid } from './fields/text.ts';

/** A malformed segment gets the same error as something that does not exist; only the message differs. */
export const pathParameters = {
  orgId: { schema: Uuid, notFound: 'organization_not_found' },
  orgSlug: { schema: Slug, notFound: 'organization_not_found' },
  project: { schema: Slug, notFound: 'project_not_found' },
  slug: { schema: Slug, notFound: 'project_not_found' },
  env: { schema: Slug, notFound: 'environment_not_found' },
  key: { schema: SecretKey, notFound: 'secret_not_found' },
  tokenId: { schema: Uuid, notFound: 'token_not_found' },
  sessionId: { schema: Uuid, notFound: 'session_not_found' },
  passkeyId: { schema: Uuid, notFound: 'passkey_not_found' },
  linkId: { schema: Uuid, notFound: 'link_not_found' },
  webhookId: { schema: Uuid, notFound: 'webhook_not_found' },
  deliveryId: { schema: Uuid, notFound: 'delivery_not_found' },
  proposalId: { schema: Uuid, notFound: 'proposal_not_found' },
  identityId: { schema: Uuid, notFound: 'identity_not_found' },
  id: { schema: Uuid, notFound: 'member_not_found' },
  grantId: { schema: Uuid, notFound: 'grant_not_found' },
  token: { schema: z.string().regex(/^[A-Za-z0-9_-]{20,200}$/), notFound: 'invalid_token' },
  planName: { schema: z.string().regex(/^[a-z]{1,32}$/), notFound: 'plan_not_found' },
} as const satisfies Record<string, { schema: z.ZodType; notFound: ErrorCode }>;

export type PathParameterName = keyof typeof pathParameters;

/** What is wrong with the format of a path parameter. Never quotes it. */
export function formProblem(name: PathParameterName, value: string | undefined): string {
  const { schema } = pathParameters[name];
  if (isIdInPlaceOfSlug(name, value)) return `\`${name}\` must be its slug, and this looks like its id`;
  if (schema === Uuid && Slug.safeParse(value).success) {
    return `\`${name}\` must be its id, a UUID, and this looks like its slug`;
  }
  if (schema === Uuid) return `\`${name}\` is not a well-formed id, which is a UUID`;
  const problem = schema.safeParse(value).error?.issues[0]?.message ?? 'does not have the right format';
  return `\`${name}\` ${problem}`;
}

/** Whether a slug is expected and this could be one, but looks like an id. */
export function isIdInPlaceOfSlug(name: PathParameterName, value: string | undefined): boolean {
  return pathParameters[name].schema === Slug && Uuid.safeParse(value).success;
}

type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;

/** The parameters of a path template, by name. */
export type PathParameters<Path extends string> = { [Name in NamesIn<Path>]: string };

/** The names between braces of a path template, in order. */
export function parameterNames(path: string): PathParameterName[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(match => {
    const name = match[1] as string;
    if (!Object.hasOwn(pathParameters, name)) throw new Error(`The path ${path} has an unknown parameter ${name}.`);
    return name as PathParameterName;
  });
}
