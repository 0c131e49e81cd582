import { requireManaged } from '../access/managed-projects.ts';
import type { MemberContext } from '../access/request-context.ts';
import type { LogContext } from '../audit/entry-filter.ts';
import { readKeyChanges } from '../secrets/engine/key-versions.ts';

/** What reading the audit log needs of higher layers. */
export function logContext({ organization, log, access }: MemberContext): LogContext {
  return {
    organization,
    log,
    readKeyChanges,
    isPartial: () => access.managed() !== 'all',
    requireManaged: projectId => requireManaged(access, projectId),
  };
}
