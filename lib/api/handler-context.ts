import type { Admitted } from '../access/authorize.ts';
import { requireFreshSession } from '../access/fresh-session.ts';
import type { MemberAccess } from '../access/member-access.ts';
import { type AccountPrincipal, actorOf, type Principal } from '../access/principal.ts';
import type {
  AccountContext,
  CallerContext,
  FreshnessQuestion,
  MemberContext,
  RequestContext,
  RevocationQuestion,
} from '../access/request-context.ts';
import { auditWrite } from '../audit/write.ts';
import type { Access, Contract } from '../contracts/contract.ts';
import { parameterNames } from '../contracts/path-parameters.ts';
import { refuseInMaintenance } from './open-request.ts';

/** The context that a handler gets, by the kind of its access. */
export interface HandlerContexts {
  public: RequestContext;
  optional: RequestContext & FreshnessQuestion & { readonly principal: AccountPrincipal | undefined };
  caller: CallerContext;
  account: AccountContext;
  admin: AccountContext;
  member: MemberContext;
}

type Request = RequestContext & FreshnessQuestion & RevocationQuestion;

function callerContext<P extends Principal>(request: Request, { principal }: { principal: P }) {
  const auditIn: CallerContext['auditIn'] = (organization, facts) =>
    auditWrite(organization, actorOf(principal), request.source, facts);
  return { ...request, principal, auditIn };
}

type Contexts = {
  readonly [Kind in Access['kind']]: (request: Request, admitted: Admitted[Kind]) => HandlerContexts[Kind];
};

const contexts: Contexts = {
  public: ({ source, log }) => ({ source, log }),
  optional: (request, { principal }) => ({ ...request, principal }),
  caller: callerContext,
  account: callerContext,
  admin: callerContext,
  member: (request, { access }) => {
    const { organization, principal } = access;
    const audit: MemberContext['audit'] = facts => {
      const grants = access.grantsUsedIn(facts.environment?.id, facts.from?.id);
      return auditWrite(organization, actorOf(principal), request.source, { ...facts, grants });
    };
    return { ...request, principal, organization, access, audit };
  },
};

/** The handler's context, and a check that it has verified everything it must before it responds. */
export function handlerContext<Kind extends Access['kind']>(
  kind: Kind,
  contract: Contract,
  { source, log }: RequestContext,
  admitted: Admitted[Kind],
): { context: HandlerContexts[Kind]; requireAllAsked: () => void } {
  const asked = { fresh: false, revokes: false };
  const { principal, access }: { principal?: Principal | undefined; access?: MemberAccess } = admitted;
  const requireFresh = (isNeeded: boolean) => {
    asked.fresh = true;
    if (isNeeded && principal !== undefined) requireFreshSession(principal);
  };
  const requireRevocation = (isRevocation: boolean) => {
    asked.revokes = true;
    if (!isRevocation) refuseInMaintenance();
  };
  return {
    context: contexts[kind]({ source, log, requireFresh, requireRevocation }, admitted),
    requireAllAsked: () => {
      if ('fresh' in contract.access && contract.access.fresh === 'by-content' && !asked.fresh) {
        throw new Error(`${contract.operationId} responded without checking whether the session must be fresh.`);
      }
      if (contract.revokes === 'by-content' && !asked.revokes) {
        throw new Error(`${contract.operationId} responded without checking whether it only takes rights away.`);
      }
      if (access !== undefined) requireAccessAsked(contract, access);
    },
  };
}

/** Fails closed: rejects the response of a handler that never checked access to the resources in the path. */
function requireAccessAsked({ access, path, operationId }: Contract, memberAccess: MemberAccess): void {
  const names: readonly string[] = parameterNames(path);
  const asked = {
    project: names.includes('project') || names.includes('slug'),
    environment: names.includes('env') || (access.kind === 'member' && access.environmentRule !== undefined),
  };
  if (!memberAccess.answered(asked)) {
    throw new Error(`${operationId} responded without checking its caller's access to the resources in the path.`);
  }
}
