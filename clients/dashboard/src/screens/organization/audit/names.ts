import type { AuditEntry } from '../../../../../../lib/contracts/audit/list-audit-entries.ts';
import type { OwnOrganization } from '../../../../../../lib/contracts/auth/get-current-user.ts';
import type { Project } from '../../../../../../lib/contracts/projects/project.ts';
import { call } from '../../../api.ts';

/** What the log's ids stand for, as far as this user can see. */
export interface Names {
  projects: readonly Project[];
  /** The user's own tokens, by id. */
  tokens: ReadonlyMap<string, string>;
}

export const noNames: Names = { projects: [], tokens: new Map() };

export async function listNames({ id: orgId }: OwnOrganization, signal: AbortSignal): Promise<Names> {
  const [{ projects }, { tokens }] = await Promise.all([
    call('GET /v1/projects/{orgId}', { params: { orgId }, signal }),
    call('GET /v1/auth/tokens', { signal }),
  ]);
  return { projects, tokens: new Map(tokens.map(({ id, name }) => [id, name])) };
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

/** Tokens of others, and deleted ones, have only their id here. */
export function tokenName(id: string, { tokens }: Names): string {
  const name = tokens.get(id);
  return name === undefined ? id : `“${name}”`;
}
