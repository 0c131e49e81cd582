import type { Role, TokenAccess } from '@holdfast/contracts/fields/role.ts';
import { accesses } from './accesses.ts';

/**
 * What a new token of the command line may do, unless the user chooses something else.
 * @param asked what the command line asked for, if anything
 * @param roles of the user in their organizations
 * @param countProjects of the only organization
 * @returns `isFirst`: the first thing to do is to create a project, which `write` does not allow
 */
export async function suggestAccess(
  asked: string | null,
  roles: readonly Role[],
  countProjects: () => Promise<number>,
): Promise<{ access: TokenAccess; isFirst: boolean }> {
  const access = accesses.find(one => one === asked);
  if (access !== undefined) return { access, isFirst: false };
  const [role, ...others] = roles;
  const mayCreate = others.length === 0 && (role === 'owner' || role === 'admin');
  const isFirst = mayCreate && (await countProjects()) === 0;
  return { access: isFirst ? 'full' : 'write', isFirst };
}
