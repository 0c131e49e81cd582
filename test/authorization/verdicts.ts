import { randomUUID } from 'node:crypto';
import { parameterNames, pathParameters } from '#lib/contracts/path-parameters.ts';
import { type RoutedContract, routes } from '#lib/contracts/routes.ts';
import { documentedRequest, type PathValues, unknownValues } from '../support/documented-request.ts';
import { identityOf } from '../support/issuer.ts';
import { type ProjectMember, projectMembers, type World } from './world.ts';

/*
 * Who may do what, according to the tables of the specification. Deliberately not derived from `lib/`: the contracts
 * are checked against this. Only an operation that is not listed here gets the verdicts that its contract declares.
 *
 * A verdict has a sign for each of twelve callers:
 *
 *   sessions of        owner's tokens      owner's full token limited to
 *   O  A  D  V         r  w  f             o     the organization
 *   owner, admin,      read, write,        p     the project
 *   developer,         full                d s   its environment dev, its environment staging
 *   viewer                                 q     another project of the organization
 *
 *   +  allowed     R  forbidden (role)     S  insufficient_scope     P  project_not_found     E  environment_not_found
 *   T  token_not_found
 *
 * The rules that all routes of a kind share (no credential, strangers, removed members, the CSRF header, the other
 * roles' tokens) are in `expectedOf`.
 */
export type Kind = 'public' | 'account' | 'member' | 'admin';

export interface Row {
  /** `METHOD /path` as in the specification; after `@` the subject of the request. */
  route: string;
  operationId: string;
  kind: Kind;
  signs: string;
  /** With `others` in its path instead of what belongs to the callers' organization. */
  request: (world: World, others?: PathValues) => { path: string; body?: unknown };
  /** The error that allowed callers get, for requests that are built to change nothing. */
  allowed: string;
  /** A caller with a different verdict; a comment next to it gives the reason. */
  except: Readonly<Record<string, string>>;
  isBelowProject: boolean;
  /** Whether the request may come from a limited member although it is not below a project. */
  admitsLimited: boolean;
  projectAdmins: string | undefined;
  otherAdmins: string | undefined;
}

/** What differs from the request in the documentation of an operation. */
interface Asked {
  body?: unknown;
  /** For bodies and queries that name something of the world. */
  bodyOf?: (own: World['own']) => unknown;
  queryOf?: (own: World['own']) => string;
  query?: string;
  values?: (own: World['own']) => PathValues;
  allowed?: string;
  except?: Readonly<Record<string, string>>;
  /** What admins of the project get, with a role in the organization that doesn't suffice. Absent: what the role gets. */
  projectAdmins?: string;
  /** The same for an admin of another project. */
  otherAdmins?: string;
}

/** @param name the operation's id; after `@` the subject of the request */
function row(name: string, signs: string, asked: Asked = {}): Row {
  const { body, bodyOf, query = '', queryOf, values, allowed, except = {}, projectAdmins, otherAdmins } = asked;
  const [operationId = '', subject] = name.split(' @ ');
  const contract = routes.find(one => one.operationId === operationId);
  if (contract === undefined) throw new Error(`There is no operation ${operationId}.`);
  const path = contract.path.slice('/v1'.length);
  const unknown = parameterNames(contract.path).find(parameter => unknownParameters.includes(parameter));
  return {
    route: `${contract.method} ${path.replace(/\{(\w+)\}/g, ':$1')}${subject === undefined ? '' : ` @ ${subject}`}`,
    operationId,
    kind: kindOf(path, signs),
    signs,
    request: ({ own }, others) => {
      const documented = documentedRequest(contract, { ...valuesOf(own), ...values?.(own), ...others });
      const search = queryOf?.(own) ?? query;
      return { path: documented.path + search, body: bodyOf?.(own) ?? body ?? documented.body };
    },
    allowed: allowed ?? (unknown === undefined ? 'ok' : pathParameters[unknown].notFound),
    except,
    isBelowProject: /\{(slug|project)\}/.test(path),
    // "Of the organization they see its name, its projects that are theirs, and themselves", and they can leave it. They
    // ask for access and see their own.
    admitsLimited: ['list-projects', 'list-due', 'leave-organization', 'list-grants', 'request-grant'].includes(
      operationId,
    ),
    projectAdmins,
    otherAdmins,
  };
}

const unknownParameters = [
  'tokenId',
  'proposalId',
  'sessionId',
  'passkeyId',
  'linkId',
  'deliveryId',
  'grantId',
  'token',
];

const valuesOf = (own: World['own']): PathValues => ({
  ...unknownValues(),
  orgId: own.organization.id,
  orgSlug: own.organization.slug,
  project: own.project.slug,
  slug: own.project.slug,
  env: 'dev',
  key: 'KEY',
  webhookId: own.webhookId,
  identityId: own.identityId,
  id: own.bystanderId,
});

function kindOf(path: string, signs: string): Kind {
  if (signs === open) return 'public';
  if (signs === administrators) return 'admin';
  // Nobody is a member of a deleted organization.
  if (path.startsWith('/orgs/deleted/')) return 'account';
  return /^\/(?!auth).*\{org(Id|Slug)\}/.test(path) ? 'member' : 'account';
}

function declaredSigns(contract: RoutedContract): string {
  const { access, operationId, path } = contract;
  if (access.kind === 'admin') return administrators;
  if (access.kind !== 'account' && access.kind !== 'member') {
    throw new Error(`Say who may call ${operationId}: add a row to test/authorization/verdicts.ts.`);
  }
  const narrowest = ['none', 'organization', 'project', 'environment'].indexOf(access.narrowestToken);
  const isChange = access.kind === 'member' && access.environmentRule === 'write';
  const allows = (role: string) =>
    access.kind === 'account' || (access.roles.some(one => one === role) && !(isChange && role === 'viewer'));
  const token = (width: number, isOther = '') => {
    if (access.tokens === 'session' || width > narrowest) return 'S';
    return isOther === '' ? '+' : isOther;
  };
  const names = parameterNames(path);
  return [
    ...roles.map(role => (allows(role) ? '+' : 'R')),
    ...['read', 'write', 'full'].map((_, rank) =>
      rank >= ['read', 'write', 'full', 'session'].indexOf(access.tokens) ? '+' : 'S',
    ),
    token(1),
    token(2),
    token(3),
    token(3, names.includes('env') ? 'E' : ''),
    token(2, names.includes('slug') || names.includes('project') ? 'P' : ''),
  ].join(' ');
}

const roles = ['owner', 'admin', 'developer', 'viewer'];
const open = '';
const administrators = 'admin';
//                                         O A D V   r w f   o p d s q
const anyMember = /*                   */ '+ + + +   + + +   + S S S S';
const anyMemberInProject = /*          */ '+ + + +   + + +   + + + + P';
const managersReading = /*             */ '+ + R R   + + +   + S S S S';
const managersChanging = /*            */ '+ + R R   S S +   + S S S S';
const managersChangingProject = /*     */ '+ + R R   S S +   + + S S P';
const ownersChanging = /*              */ '+ R R R   S S +   + S S S S';
const ownersInSession = /*              */ '+ R R R   S S S   S S S S S';
const managersInSession = /*            */ '+ + R R   S S S   S S S S S';
const ownersChangingProject = /*       */ '+ R R R   S S +   + + S S P';
const ownersLeaving = /*                */ '+ R R R   S S +   + S S S S';
const membersLeaving = /*              */ '+ + + +   S S +   + S S S S';
const sessionsOnly = /*                */ '+ + + +   S S S   S S S S S';
const fullWithoutLimit = /*            */ '+ + + +   S S +   S S S S S';
const ownersReading = /*               */ '+ R R R   + + +   + S S S S';
const anyWithoutLimit = /*             */ '+ + + +   + + +   S S S S S';
const anyCredential = /*               */ '+ + + +   + + +   + + + + +';
const anyToken = /*                    */ 'T T T T   + + +   + + + + +';

/** "Read secrets: all | all | dev and staging | dev only". */
const readingIn = {
  dev: /*                              */ '+ + + +   + + +   + + + E P',
  staging: /*                          */ '+ + + R   + + +   + + E + P',
  production: /*                       */ '+ + R R   + + +   + + E E P',
  'load-test': /*                      */ '+ + R R   + + +   + + E E P',
};
/** "Write secrets: yes | yes | yes | no". */
const writingIn = {
  dev: /*                              */ '+ + + R   S + +   + + + E P',
  staging: /*                          */ '+ + + R   S + +   + + E + P',
  production: /*                       */ '+ + + R   S + +   + + E E P',
  'load-test': /*                      */ '+ + + R   S + +   + + E E P',
};
const bulkDeletingIn = {
  dev: /*                              */ '+ + R R   S + +   + + + E P',
  production: /*                       */ '+ + R R   S + +   + + E E P',
};
const destroyingIn = {
  dev: /*                              */ '+ + R R   S S +   + + + E P',
  production: /*                       */ '+ + R R   S S +   + + E E P',
};
const validatingIn = {
  dev: /*                              */ '+ + + +   + + +   + + + E P',
  production: /*                       */ '+ + + +   + + +   + + E E P',
};
/** "Promote secrets: yes | yes | yes | no", and the right to read the source. */
const promoting = {
  'dev to staging': /*                 */ '+ + + R   S + +   + + E E P',
  'dev to production': /*              */ '+ + + R   S + +   + + E E P',
  'production to dev': /*              */ '+ + R R   S + +   + + E E P',
};

const comparing = {
  'dev with staging': /*               */ '+ + + R   + + +   + + E E P',
  'staging with dev': /*               */ '+ + + R   + + +   + + E E P',
  'dev with production': /*            */ '+ + R R   + + +   + + E E P',
  'production with dev': /*            */ '+ + R R   + + +   + + E E P',
};

function inEach(
  verdicts: Readonly<Record<string, string>>,
  operationId: string,
  asked: (env: string) => Asked = () => ({}),
): Row[] {
  return Object.entries(verdicts).map(([env, signs]) => {
    const { values, ...rest } = asked(env);
    return row(`${operationId} @ ${env}`, signs, { values: own => ({ env, ...values?.(own) }), ...rest });
  });
}

/** Callers with the rights of a member but no account. The last two do not belong to the organization. */
const identities = ['identity: developer', 'identity: viewer', 'identity of another organization', 'deleted identity'];

const nobody = [
  'anonymous',
  'junk token',
  'well-formed token of nobody',
  'expired token',
  'revoked token',
  'broken Authorization beside a valid session',
  'expired session',
  'session of before the password changed',
];

const each = (names: readonly string[], answer: (name: string) => string) =>
  Object.fromEntries(names.map(name => [name, answer(name)]));

/** Callers without a valid credential whose request nevertheless has the form of one. */
const malformed = ['junk token', 'broken Authorization beside a valid session'];

/** A browser is always sent on, to the log-in page if nothing else, with a session or without. No token may do it. */
const browsing: Asked = {
  allowed: 'status 302',
  except: {
    ...each(
      nobody.filter(name => !malformed.includes(name)),
      () => 'status 302',
    ),
    ...each(identities, () => 'insufficient_scope'),
  },
};

const inSession = { 'platform admin: full token': 'insufficient_scope' };
const owners = (own: World['own']) => ({ id: own.secondOwnerId });
const inProduction = () => ({ env: 'production' });
const rolesInProject =
  (role: string, limited = false) =>
  ({ project }: World['own']) => ({ limited, projectRoles: [{ projectId: project.id, role }] });
/** A project's admins manage its identities, and know of no others. */
const ofNoProject = { projectAdmins: 'identity_not_found', otherAdmins: 'identity_not_found' };
const ofProject = {
  values: ({ projectIdentityId }: World['own']) => ({ identityId: projectIdentityId }),
  projectAdmins: 'ok',
  otherAdmins: 'identity_not_found',
};
/** Access to production, for an hour. */
const access = ({ project }: World['own']) => ({
  environmentId: project.environments.find(({ slug }) => slug === 'production')?.id,
  access: 'read',
  minutes: 60,
  reason: 'An incident',
});
/** "Owner, admin, the project's admin", and nobody gives more than they have there. */
const givenByProjectAdmins = {
  bodyOf: access,
  projectAdmins: 'ok',
  otherAdmins: 'environment_not_found',
  except: { 'admin, but viewer of the project: session': 'forbidden' },
};
const ofNoRequest = {
  allowed: 'grant_not_found',
  projectAdmins: 'grant_not_found',
  otherAdmins: 'grant_not_found',
};
/** A project's admins read the audit log of the project. */
const refusingAdmins = { projectAdmins: 'forbidden', otherAdmins: 'forbidden' };
const auditOfProject = {
  queryOf: ({ project }: World['own']) => `?project=${project.id}`,
  projectAdmins: 'ok',
  otherAdmins: 'project_not_found',
};

const specified: readonly Row[] = [
  // A public route treats all callers alike. These requests are rejected for their content.
  row('register', open, { body: { email: 'nobody' }, allowed: 'invalid_request' }),
  row('log-in', open, { body: { email: 'nobody' }, allowed: 'invalid_request' }),
  row('start-passkey-login', open),
  row('complete-login', open, { body: { challenge: 'unknown', totp: '123456' }, allowed: 'invalid_token' }),
  row('verify-email', open, { body: { token: 'unknown' }, allowed: 'invalid_token' }),
  row('request-password-reset', open, { body: { email: 'nobody' }, allowed: 'invalid_request' }),
  row('reset-password', open, { allowed: 'invalid_token' }),
  row('undo-factor', open, { body: { token: 'unknown' }, allowed: 'invalid_token' }),
  row('confirm-email-change', open, { body: { token: 'unknown' }, allowed: 'invalid_token' }),
  row('undo-email-change', open, { body: { token: 'unknown' }, allowed: 'invalid_token' }),
  row('exchange-assertion', open, {
    body: { identityId: randomUUID(), organizationSlug: 'own-org', subjectToken: 'e30.e30.' },
    allowed: 'invalid_assertion',
  }),
  row('find-sign-in-methods', open, { query: '?email=nobody', allowed: 'invalid_request' }),
  row('continue-provider-sign-in', open, { allowed: 'invalid_token' }),
  row('start-provider-sign-in', sessionsOnly, browsing),
  row('complete-provider-sign-in', sessionsOnly, browsing),
  row('receive-provider-event', open, { body: { id: 'evt_forged' }, allowed: 'invalid_signature' }),

  row('log-out', sessionsOnly),
  // The membership that the token belongs to has ended, and the token with it.
  row('get-current-user', anyCredential, {
    except: { 'removed member: token for the organization': 'unauthenticated' },
  }),
  row('create-token', sessionsOnly, { body: { name: 'x' } }),
  row('hand-off-token', sessionsOnly, {
    body: { codeChallenge: 'x'.repeat(43), name: 'x' },
    // Redeeming needs no account, so this rejects the kind of credential.
    except: each(identities, () => 'insufficient_scope'),
  }),
  row('list-tokens', sessionsOnly),
  row('revoke-token', sessionsOnly),
  // Identities have no account, but their tokens can be revoked too.
  row('revoke-current-token', anyToken, { except: each(identities.slice(0, -1), () => 'ok') }),
  row('rename-user', fullWithoutLimit),
  row('list-sessions', fullWithoutLimit),
  row('end-session', sessionsOnly),
  row('list-provider-links', fullWithoutLimit),
  row('end-provider-link', sessionsOnly),
  row('step-up', sessionsOnly, { body: { password: '' }, allowed: 'invalid_request' }),
  row('start-passkey', sessionsOnly),
  row('add-passkey', sessionsOnly, { body: {}, allowed: 'invalid_request' }),
  row('list-passkeys', sessionsOnly),
  row('remove-passkey', sessionsOnly),
  row('start-totp', sessionsOnly),
  row('confirm-totp', sessionsOnly, { body: { code: 'x' }, allowed: 'invalid_request' }),
  row('remove-totp', sessionsOnly),
  row('renew-recovery-codes', sessionsOnly, { allowed: 'invalid_request' }),
  row('change-email', sessionsOnly, { body: { email: 'x' }, allowed: 'invalid_request' }),
  row('close-account', sessionsOnly, { body: { password: '' }, allowed: 'invalid_request' }),
  row('change-password', sessionsOnly, { body: { newPassword: 'short' }, allowed: 'invalid_request' }),
  row('send-verification', sessionsOnly),

  row('list-projects', anyCredential),
  row('list-due', anyCredential),
  row('create-project', managersChanging),
  row('get-project', anyMemberInProject),
  row('update-project', managersChangingProject),
  row('delete-project', ownersChangingProject),
  // "Not restricted in the reference beyond membership".
  row('create-environment', '+ + + +   S S +   + + S S P', { body: { name: 'New' } }),
  row('update-environment @ its name', managersChangingProject, { values: inProduction }),
  // The type decides who may read.
  row('update-environment @ its type', ownersChangingProject, {
    values: inProduction,
    body: { name: 'Renamed', type: 'development' },
  }),
  row('delete-environment', managersChangingProject, { values: inProduction }),
  row('rotate-key', managersChangingProject),
  row('list-deleted', ownersReading),
  row('restore-deleted', ownersChanging, { allowed: 'deleted_not_found' }),
  row('erase-deleted', ownersChanging, { allowed: 'deleted_not_found' }),

  ...inEach(readingIn, 'pull-secrets'),
  ...inEach(readingIn, 'list-keys'),
  ...inEach(readingIn, 'list-versions', () => ({ query: '?values=true' })),
  ...inEach(readingIn, 'list-revisions'),
  ...inEach(readingIn, 'diff-revisions', () => ({ query: '?from=0&values=true' })),
  ...inEach(bulkDeletingIn, 'restore-secrets', () => ({ body: { revision: 0, keys: ['NEVER'] } })),
  ...inEach(destroyingIn, 'destroy-versions', () => ({ body: { before: 1 } })),
  ...inEach(comparing, 'compare-environments', ends => {
    const [from = '', to] = ends.split(' with ');
    return { values: () => ({ env: from }), query: `?with=${to}` };
  }),
  ...inEach(writingIn, 'set-secret'),
  ...inEach(writingIn, 'import-secrets'),
  ...inEach(writingIn, 'apply-changes', () => ({ body: { set: [{ key: 'B', value: 'new' }] } })),
  ...inEach(bulkDeletingIn, 'apply-changes', () => ({
    body: { delete: ['KEY', 'NOT_THERE'] },
    allowed: 'secret_not_found',
  })).map(two => ({ ...two, route: `${two.route}, two deletions` })),
  ...inEach(writingIn, 'delete-secret'),
  ...inEach(bulkDeletingIn, 'bulk-delete-secrets', () => ({ body: { keys: ['KEY'] } })),
  ...inEach(promoting, 'promote-secrets', ends => {
    const [from, to] = ends.split(' to ');
    return { body: { from, to } };
  }),

  row('create-organization', fullWithoutLimit),
  row('rename-organization', managersChanging),
  row('rename-organization @ whether a second factor is demanded', ownersChanging, {
    body: { requireSecondFactor: true },
    // The owner has none.
    allowed: 'second_factor_required',
  }),
  row('get-sign-in', ownersInSession),
  row('set-sign-in', ownersInSession, {
    body: { issuer: 'https://10.0.0.1', clientId: 'x', domains: ['example.com'] },
    allowed: 'invalid_request',
  }),
  row('verify-domain', ownersInSession, { allowed: 'invalid_request' }),
  row('delete-sign-in', ownersInSession),
  row('delete-organization', ownersChanging),
  row('list-deleted-organizations', anyWithoutLimit),
  row('restore-organization', fullWithoutLimit, { allowed: 'deleted_not_found' }),

  row('list-template-keys', anyMemberInProject),
  row('add-template-key', managersChangingProject),
  row('update-template-key', managersChangingProject),
  row('remove-template-key', managersChangingProject),
  ...inEach(validatingIn, 'validate-environment'),

  row('list-webhooks', managersReading),
  row('create-webhook', managersChanging, { body: { url: 'https://hooks.example.com/y', events: ['secret.updated'] } }),
  row('get-webhook', managersReading),
  row('update-webhook', managersChanging),
  row('delete-webhook', managersChanging),
  row('test-webhook', managersChanging),
  row('redeliver-webhook', managersChanging),

  row('list-identities', managersReading, { projectAdmins: 'ok', otherAdmins: 'ok' }),
  row('create-identity', managersChanging, {
    body: identityOf({ url: 'https://issuer.example.com' }),
    projectAdmins: 'forbidden',
    otherAdmins: 'forbidden',
    // It could read and write more in that project than its creator.
    except: { 'admin, but viewer of the project: session': 'forbidden' },
  }),
  row('create-identity @ the project', managersChanging, {
    bodyOf: ({ project }) => identityOf({ url: 'https://issuer.example.com' }, { projectId: project.id }),
    projectAdmins: 'ok',
    otherAdmins: 'project_not_found',
    except: { 'admin, but viewer of the project: session': 'forbidden' },
  }),
  row('get-identity', managersReading, ofNoProject),
  row('get-identity @ the project', managersReading, ofProject),
  row('update-identity', managersChanging, { ...ofNoProject, body: { role: 'viewer' } }),
  row('update-identity @ the project', managersChanging, { ...ofProject, body: { role: 'viewer' } }),
  row('update-identity @ the project, beyond it', managersChanging, {
    ...ofProject,
    body: { projectId: null },
    projectAdmins: 'forbidden',
    except: { 'admin, but viewer of the project: session': 'ok' },
  }),
  row('delete-identity', managersChanging, ofNoProject),
  row('delete-identity @ the project', managersChanging, ofProject),

  row('list-members', anyMember),
  // "Owner, admin; or oneself", and like everything about tokens in a session.
  row('get-member', managersInSession),
  row('invite-member @ a viewer', managersChanging, { body: { email: 'new@example.com', role: 'viewer' } }),
  // Members can only invite up to their own role.
  row('invite-member @ an owner', ownersChanging, { body: { email: 'new@example.com', role: 'owner' } }),
  row('accept-invitation', fullWithoutLimit),
  row('change-role', ownersChanging, { body: { role: 'viewer' } }),
  // "Owner, admin"; nobody gives more than they have in that project, and an admin can't change an owner.
  row('set-project-roles @ as a viewer', managersChanging, { bodyOf: rolesInProject('viewer', true) }),
  row('set-project-roles @ as an admin', managersChanging, {
    bodyOf: rolesInProject('admin'),
    except: { 'admin, but viewer of the project: session': 'forbidden' },
  }),
  row('set-project-roles @ of an owner', ownersChanging, { values: owners, bodyOf: rolesInProject('viewer') }),
  row('set-project-roles @ in another organization’s project', managersChanging, {
    body: { limited: false, projectRoles: [{ projectId: randomUUID(), role: 'viewer' }] },
    allowed: 'project_not_found',
  }),
  row('create-grant', managersChanging, givenByProjectAdmins),
  // Only owners change owners.
  row('create-grant @ for an owner', ownersChanging, {
    ...givenByProjectAdmins,
    values: owners,
    projectAdmins: 'forbidden',
  }),
  row('revoke-grant', managersChanging, ofNoRequest),
  row('list-grants', anyMember),
  row('request-grant', membersLeaving, {
    bodyOf: access,
    except: { 'admin limited to another project: session': 'environment_not_found' },
  }),
  row('grant-request', managersChanging, ofNoRequest),
  row('refuse-request', managersChanging, ofNoRequest),
  row('remove-member @ a developer', managersChanging),
  // An admin can't remove an owner.
  row('remove-member @ an owner', ownersChanging, { values: owners }),
  // It takes no body, so nobody leaves.
  row('leave-organization', membersLeaving, { body: { unknown: true }, allowed: 'invalid_request' }),

  row('list-audit-entries', managersReading, refusingAdmins),
  row('feed-audit-entries', managersReading, refusingAdmins),
  row('list-audit-entries @ the project', managersReading, auditOfProject),
  row('feed-audit-entries @ the project', managersReading, auditOfProject),
  row('get-exposure', managersReading, { query: `?tokenId=${randomUUID()}` }),
  row('get-billing', anyMember),
  row('start-checkout', managersChanging),
  row('open-portal', managersChanging),

  row('get-statistics', administrators),
  row('list-organizations', administrators),
  row('inspect-organization', administrators),
  row('update-organization', administrators, { body: { limitOverrides: { maxProjects: 3 } } }),
  // A token of an administrator may not do it.
  row('start-recovery', administrators, { body: { email: 'nobody' }, allowed: 'invalid_request', except: inSession }),
  row('advance-recovery', administrators, { allowed: 'recovery_not_found', except: inSession }),
  row('stop-recovery', ownersLeaving, { allowed: 'recovery_not_found' }),
  row('stop-mailed-recovery', open, { allowed: 'invalid_token' }),
  row('list-plans', administrators),
  row('update-plan', administrators),
  row('summarize-metrics', administrators),
];

const listed = new Set(specified.map(({ operationId }) => operationId));

/** Every verdict of the specification. Any other operation gets those that its contract declares. */
export const rows: readonly Row[] = [
  ...specified,
  ...routes.filter(({ operationId }) => !listed.has(operationId)).map(one => row(one.operationId, declaredSigns(one))),
];

const codes: Readonly<Record<string, string>> = {
  T: 'token_not_found',
  R: 'forbidden',
  S: 'insufficient_scope',
  P: 'project_not_found',
  E: 'environment_not_found',
};

const columns = [
  ...roles.map(role => `${role}: session`),
  ...['read', 'write', 'full'].map(access => `owner: ${access} token`),
  ...['the organization', 'the project', 'dev', 'staging', 'another project'].map(limit => `owner: token for ${limit}`),
];

const outsiders = [
  'owner: token for another organization',
  ...['session', 'full token'].map(credential => `stranger: ${credential}`),
  ...['session', 'full token', 'token for the organization'].map(credential => `removed member: ${credential}`),
  ...['session', 'full token', 'read token', 'limited token'].map(credential => `platform admin: ${credential}`),
];
const inProjects = Object.entries<ProjectMember>(projectMembers).map(([name, member]) => ({
  caller: `${name}: session`,
  ...member,
}));

/** What a member gets whose role in the project is another than in the organization. */
function verdictInProject(
  { role, inProject, inOther, limited }: ProjectMember,
  { isBelowProject, admitsLimited, projectAdmins, otherAdmins, allowed }: Row,
  ofRole: (role: string) => string,
): string {
  if (isBelowProject) return inProject === undefined && limited ? 'project_not_found' : ofRole(inProject ?? role);
  const isManager = role === 'owner' || role === 'admin';
  if (inProject === 'admin' && !isManager && projectAdmins !== undefined) return projectAdmins;
  if (inOther === 'admin' && !isManager && otherAdmins !== undefined) return otherAdmins;
  if (limited) return admitsLimited ? allowed : 'forbidden';
  return ofRole(role);
}

const roleTokens = roles.flatMap(role => ['read', 'write', 'full'].map(access => `${role}: ${access} token`));

/** What a member's session gets on a route that is not below a project. Grants make no difference there. */
export function expectedOfMember(row: Row, member: ProjectMember): string {
  const as = `${member.role}: session`;
  if (row.kind !== 'member') return expectedOf(row)[as] as string;
  return verdictInProject(member, row, role => expectedOf(row)[`${role}: session`] as string);
}

/** The expected result for each caller on a route: `ok` or an error code. */
export function expectedOf(row: Row): Record<string, string> {
  const { route, kind, signs, allowed, except } = row;
  const signed = signs.split(/\s+/).filter(sign => sign !== '');
  const verdict = (sign: string | undefined) => (sign === '+' ? allowed : (codes[sign ?? ''] ?? `no sign ${sign}`));
  const of = (column: string) => verdict(signed[columns.indexOf(column)]);
  const everybody = [
    ...nobody,
    ...columns,
    ...roleTokens,
    ...outsiders,
    ...identities,
    ...inProjects.map(({ caller }) => caller),
  ];
  const isChange = !route.startsWith('GET');
  const csrf = (otherwise: string) => ({
    'session without the CSRF header': isChange ? 'csrf_header_required' : otherwise,
  });

  if (kind === 'public') {
    return { ...each([...everybody, 'session without the CSRF header'], () => allowed), ...except };
  }
  if (kind === 'admin') {
    return {
      ...each(everybody, () => 'admin_required'),
      ...each(nobody, () => 'unauthenticated'),
      'platform admin: session': allowed,
      'platform admin: full token': allowed,
      'platform admin: read token': 'insufficient_scope',
      'platform admin: limited token': 'insufficient_scope',
      ...csrf('admin_required'),
      ...except,
    };
  }
  const access = (name: string) => of(`owner: ${name.split(' ').at(-2)} token`);
  if (kind === 'account') {
    // The route names no organization, so only the kind of credential matters.
    const own = (name: string) => {
      if (name.endsWith('session')) return of('owner: session');
      if (name.includes('token for') || name.includes('limited')) return of('owner: token for the organization');
      return access(name);
    };
    return {
      ...each(nobody, () => 'unauthenticated'),
      ...each([...roleTokens, ...outsiders, ...inProjects.map(({ caller }) => caller)], own),
      ...each(identities, () => 'unauthenticated'),
      ...each(columns, of),
      ...csrf(of('owner: session')),
      ...except,
    };
  }
  const roleToken = (name: string) =>
    access(name) === 'insufficient_scope' ? 'insufficient_scope' : of(`${name.split(':')[0]}: session`);
  return {
    ...each(nobody, () => 'unauthenticated'),
    ...each(outsiders, () => 'organization_not_found'),
    'identity of another organization': 'organization_not_found',
    'deleted identity': 'unauthenticated',
    'identity: developer': roleToken('developer: write token'),
    'identity: viewer': roleToken('viewer: read token'),
    // The rights are the intersection of the member's role and the token's scope. Scope is checked first.
    ...each(roleTokens, roleToken),
    ...each(columns, of),
    ...Object.fromEntries(
      inProjects.map(one => [one.caller, verdictInProject(one, row, role => of(`${role}: session`))]),
    ),
    ...csrf(of('owner: session')),
    ...except,
  };
}
