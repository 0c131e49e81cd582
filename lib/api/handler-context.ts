import type { Admitted } from '../access/authorize.ts';
import { requireFreshSession } from '../access/fresh-session.ts';
import type { MemberAccess } from '../access/member-access.ts';
import type { AccountPrincipal, Principal } from '../access/principal.ts';
import {
  type AccountContext,
  accountContext,
  type FreshnessQuestion,
  type MemberContext,
  memberContext,
  type RequestContext,
} from '../access/request-context.ts';
import type { Access, Contract } from '../contracts/contract.ts';
import { parameterNames } from '../contracts/path-parameters.ts';

/** What a handler is given of the request's caller, by the kind of its access. */
export interface HandlerContexts {
  public: RequestContext;
  optional: RequestContext & FreshnessQuestion & { readonly principal: AccountPrincipal | undefined };
  account: AccountContext;
  admin: AccountContext;
  member: MemberContext;
}

type Maker<Kind extends Access['kind']> = (
  request: RequestContext & FreshnessQuestion,
  admitted: Admitted[Kind],
) => HandlerContexts[Kind];

const contexts: { readonly [Kind in Access['kind']]: Maker<Kind> } = {
  public: ({ source, log }) => ({ source, log }),
  optional: (request, { principal }) => ({ ...request, principal }),
  account: (request, { principal }) => accountContext(request, principal),
  admin: (request, { principal }) => accountContext(request, principal),
  member: (request, { access }) => memberContext(request, access),
};

/** The handler's context, and the questions that it must have asked by the time it answers. */
export function handlerContext<Kind extends Access['kind']>(
  kind: Kind,
  contract: Contract,
  { source, log }: RequestContext,
  admitted: Admitted[Kind],
): { context: HandlerContexts[Kind]; requireAllAsked: () => void } {
  let askedFreshness = false;
  const { principal, access }: { principal?: Principal | undefined; access?: MemberAccess } = admitted;
  const requireFresh = (isNeeded: boolean) => {
    askedFreshness = true;
    if (isNeeded && principal !== undefined) requireFreshSession(principal);
  };
  return {
    context: contexts[kind]({ source, log, requireFresh }, admitted),
    requireAllAsked: () => {
      requireFreshnessAsked(contract, askedFreshness);
      if (access !== undefined) requireAccessAsked(contract, access);
    },
  };
}

/** Fails closed: a handler that never asked whether the session must be fresh gives no answer. */
function requireFreshnessAsked({ access, operationId }: Contract, asked: boolean): void {
  if ('fresh' in access && access.fresh === 'by-content' && !asked) {
    throw new Error(`${operationId} answered without asking whether the session must be fresh.`);
  }
}

/** Fails closed: a handler that never asked whether its caller may touch what the path names gives no answer. */
function requireAccessAsked({ access, path, operationId }: Contract, memberAccess: MemberAccess): void {
  const names: readonly string[] = parameterNames(path);
  const asked = {
    project: names.includes('project') || names.includes('slug'),
    environment: names.includes('env') || (access.kind === 'member' && access.environmentRule !== undefined),
  };
  if (!memberAccess.answered(asked)) {
    throw new Error(`${operationId} answered without asking whether its caller may reach what the path names.`);
  }
}
