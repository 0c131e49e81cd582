import type { AuditEntry } from '@holdfast/contracts/audit/entries.ts';
import type { OwnOrganization } from '@holdfast/contracts/auth/account.ts';
import type { Project } from '@holdfast/contracts/projects/projects.ts';
import { call } from '../../../api.ts';

/** What the log's ids stand for, as far as this user can see. */
export interface Names {
  projects: readonly Project[];
}

export const noNames: Names = { projects: [] };

export async function listNames({ id: orgId }: OwnOrganization, signal: AbortSignal): Promise<Names> {
  return call('GET /v1/projects/{orgId}', { params: { orgId }, signal });
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
