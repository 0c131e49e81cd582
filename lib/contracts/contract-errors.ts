import type { Access, Contract } from './contract.ts';
import { type ErrorCode, errorStatuses, statusInOrganization } from './error-codes.ts';
import { parameterNames, pathParameters } from './path-parameters.ts';

const order = Object.keys(errorStatuses) as ErrorCode[];

/** Whether a member can be refused: not all roles are allowed, or the rights depend on the environment's type. */
function restrictsMembers(access: Access): boolean {
  return access.kind === 'member' && (access.roles.length < 4 || access.environmentRule !== undefined);
}

/** Whether a token can be refused: the route needs more than `read`, or more than the narrowest scope. */
function refusesSomeTokens(access: Access): boolean {
  if (access.kind === 'admin') return true;
  if (access.kind !== 'account' && access.kind !== 'member') return false;
  return access.tokens !== 'read' || access.narrowestToken !== 'environment';
}

function refusesConfinedSessions(access: Access): boolean {
  return access.kind === 'admin' || (access.kind === 'account' && access.confined !== true);
}

/** The status that an operation returns for a code. */
export function statusOf(code: ErrorCode, { access }: Pick<Contract, 'access'>): number {
  const isAuthorized = access.kind === 'member' || access.kind === 'admin';
  return (isAuthorized ? statusInOrganization[code] : undefined) ?? errorStatuses[code];
}

/** Every code that an operation can return: those that follow from its access, path and body, and its own. */
export function errorsOf(contract: Contract): ErrorCode[] {
  const { access } = contract;
  // Every operation rejects unknown query parameters.
  const codes = new Set<ErrorCode>(['invalid_request', 'internal_error', 'temporarily_unavailable']);
  for (const code of contract.errors ?? []) codes.add(code);
  if (access.kind !== 'public') {
    codes.add('unauthenticated');
    if (contract.method !== 'GET') codes.add('csrf_header_required');
  }
  if (refusesSomeTokens(access)) codes.add('insufficient_scope');
  if (restrictsMembers(access)) codes.add('forbidden');
  if (access.kind === 'admin') codes.add('admin_required').add('second_factor_required');
  if (refusesConfinedSessions(access)) codes.add('session_confined');
  if (access.kind === 'member') {
    if (access.leaves !== true) {
      codes.add('second_factor_required').add('provider_required').add('network_not_allowed');
    }
    // Each organization has its share of the request rate.
    codes.add('rate_limited');
  }
  if ('fresh' in access) codes.add('step_up_required');
  for (const name of parameterNames(contract.path)) {
    codes.add(contract.notFound?.[name] ?? pathParameters[name].notFound);
  }
  // A change without a body schema rejects a body for the same reasons as one with a schema.
  const takesBody = contract.method !== 'GET';
  if (takesBody) codes.add('payload_too_large');
  // A raw body is verified by its signature and may have any media type.
  if (takesBody && !contract.rawBody) codes.add('unsupported_media_type');
  return order.filter(code => codes.has(code));
}
