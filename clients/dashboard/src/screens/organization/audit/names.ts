import type { AuditEntry } from '@holdfast/contracts/audit/entries.ts';
import type { OwnOrganization } from '@holdfast/contracts/auth/account.ts';
import type { Project } from '@holdfast/contracts/projects/projects.ts';
import { call } from '../../../api.ts';
import { managedProjects } from '../../../session.ts';
import { type Credentials, listCredentials } from '../credentials.ts';

/** What the log's ids stand for, as far as this user can see. */
export interface Names extends Credentials {
  projects: readonly Project[];
}

export const noNames: Names = { projects: [], members: [], identities: [], tokens: [] };

export async function listNames(organization: OwnOrganization, signal: AbortSignal): Promise<Names> {
  const [credentials, { projects }] = await Promise.all([
    listCredentials(organization, signal),
    call('GET /v1/projects/{orgId}', { params: { orgId: organization.id }, signal }),
  ]);
  const managed = managedProjects('list-audit-entries', organization);
  const isShown = ({ id }: Project) => managed === 'all' || managed.some(({ projectId }) => projectId === id);
  return { ...credentials, projects: projects.filter(isShown) };
}

/** The names with the tokens of others that these entries name. Pure. */
export function withTokensOf(entries: readonly AuditEntry[], names: Names): Names {
  const tokens = new Map(names.tokens.map(token => [token.id, token]));
  for (const { actor } of entries) {
    const { type, tokenId, name, email } = actor;
    if (type === 'token' && tokenId !== undefined && name !== undefined && !tokens.has(tokenId))
      tokens.set(tokenId, { id: tokenId, name, owner: email ?? undefined });
  }
  return { ...names, tokens: [...tokens.values()] };
}

/** The project of an entry. The target of entries about secrets is their project. Pure. */
export function projectOf({ target, project }: AuditEntry): { id: string; slug: string } | undefined {
  return project ?? (target.type === 'project' ? { id: target.id, slug: target.name } : undefined);
}

/** The environment of an entry. Pure. */
export function environmentOf({ target, environment }: AuditEntry): { id: string; slug: string } | undefined {
  return environment ?? (target.type === 'environment' ? { id: target.id, slug: target.name } : undefined);
}

/** Who acted; null for the system. */
export const actorName = ({ id, email, name }: AuditEntry['actor']): string | null => email ?? name ?? id;

/** The token that acted: its name, or for an identity its id. */
export function tokenName({ type, name, tokenId }: AuditEntry['actor']): string | undefined {
  return type === 'token' && name !== undefined ? `“${name}”` : tokenId;
}
