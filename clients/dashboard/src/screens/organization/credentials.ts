import type { OwnOrganization } from '@holdfast/contracts/auth/account.ts';
import type { Identity } from '@holdfast/contracts/identities/identities.ts';
import type { Member } from '@holdfast/contracts/members/members.ts';
import { call } from '../../api.ts';

export interface NamedToken {
  id: string;
  name: string;
  /** The e-mail address of the person who created it. */
  owner: string | undefined;
}

/** Who and what can act in an organization, by name, as far as the user can see. */
export interface Credentials {
  members: readonly Member[];
  identities: readonly Identity[];
  /** The user's own tokens; those of others are only in the audit log. */
  tokens: readonly NamedToken[];
}

export async function listCredentials(organization: OwnOrganization, signal: AbortSignal): Promise<Credentials> {
  const { id: orgId, limited } = organization;
  const params = { orgId };
  const [{ members }, { identities }, { tokens }] = await Promise.all([
    limited ? { members: [] } : call('GET /v1/members/{orgId}', { params, signal }),
    call('GET /v1/identities/{orgId}', { params, signal }),
    call('GET /v1/auth/tokens', { signal }),
  ]);
  const reachesHere = ({ organizationId }: (typeof tokens)[number]) =>
    organizationId === null || organizationId === orgId;
  return {
    members,
    identities,
    tokens: tokens.filter(reachesHere).map(({ id, name }) => ({ id, name, owner: undefined })),
  };
}

/** The newest tokens that were created for the organization, by whomever. */
export async function tokensInLog(orgId: string, signal: AbortSignal): Promise<NamedToken[]> {
  const query = { action: 'token.created', limit: 500 } as const;
  const { entries } = await call('GET /v1/audit/{orgId}', { params: { orgId }, query, signal });
  return entries.map(({ target: { id, name }, actor }) => ({ id, name, owner: actor.email ?? undefined }));
}

export const tokenInWords = ({ name, owner }: NamedToken) => (owner === undefined ? name : `${name}, of ${owner}`);

export const memberInWords = ({ name, email }: Member) => (name === '' ? email : `${name}, ${email}`);
