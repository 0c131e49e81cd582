import type { IdentityEnvironment } from '../table/records/identity.ts';

/** What a token or an identity is limited to; nothing if all of it is null or absent. */
export interface TokenScope {
  projectId: string | null;
  environmentId: string | null;
  /** The only environments of an identity that is limited to several. */
  environments?: readonly IdentityEnvironment[] | undefined;
}

export function coversProject({ projectId, environments }: TokenScope, id: string): boolean {
  return (projectId ?? id) === id && (environments?.some(one => one.projectId === id) ?? true);
}

/** Whether an environment of a project that is covered is covered too. */
export function coversEnvironment({ environmentId, environments }: TokenScope, id: string): boolean {
  return (environmentId ?? id) === id && (environments?.some(one => one.id === id) ?? true);
}

/** Whether the scope consists of single environments, and this is one of them. A deployer may write in those. */
export function namesEnvironment({ environmentId, environments }: TokenScope, id: string): boolean {
  return environmentId === id || environments?.some(one => one.id === id) === true;
}
