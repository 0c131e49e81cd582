import { randomUUID } from 'node:crypto';
import { identityOf } from '../support/issuer.ts';
import type { World } from './world.ts';

/*
 * Who may do what, according to the tables of the specification. Deliberately not derived from `lib/`: the contracts
 * are checked against this.
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

export interface Request {
  path: string;
  body?: unknown;
}

export interface Row {
  /** `METHOD /path` as in the specification; after `@` the subject of the request. */
  route: string;
  kind: Kind;
  signs: string;
  request: (world: World) => Request;
  /** The error that allowed callers get, for requests that are built to change nothing. */
  allowed?: string;
  /** A caller with a different verdict; a comment next to it gives the reason. */
  except?: Readonly<Record<string, string>>;
}

//                                         O A D V   r w f   o p d s q
const anyMember = /*                   */ '+ + + +   + + +   + S S S S';
const anyMemberInProject = /*          */ '+ + + +   + + +   + + + + P';
const managersReading = /*             */ '+ + R R   + + +   + S S S S';
const managersChanging = /*            */ '+ + R R   S S +   + S S S S';
const managersChangingProject = /*     */ '+ + R R   S S +   + + S S P';
const ownersChanging = /*              */ '+ R R R   S S +   + S S S S';
const ownersInSession = /*              */ '+ R R R   S S S   S S S S S';
const ownersChangingProject = /*       */ '+ R R R   S S +   + + S S P';
const membersLeaving = /*              */ '+ + + +   S S +   + S S S S';
const sessionsOnly = /*                */ '+ + + +   S S S   S S S S S';
const fullWithoutLimit = /*            */ '+ + + +   S S +   S S S S S';
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
/** Bulk delete: owner, admin. */
const bulkDeletingIn = {
  dev: /*                              */ '+ + R R   S + +   + + + E P',
  production: /*                       */ '+ + R R   S + +   + + E E P',
};
/** Destroying: owner, admin; a token needs `full`. */
const destroyingIn = {
  dev: /*                              */ '+ + R R   S S +   + + + E P',
  production: /*                       */ '+ + R R   S S +   + + E E P',
};
/** Validation needs membership only, in every environment. */
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

/** "Read on both". */
const comparing = {
  'dev with staging': /*               */ '+ + + R   + + +   + + E E P',
  'staging with dev': /*               */ '+ + + R   + + +   + + E E P',
  'dev with production': /*            */ '+ + R R   + + +   + + E E P',
  'production with dev': /*            */ '+ + R R   + + +   + + E E P',
};

const member =
  (path: (world: World['own']) => string, body?: unknown) =>
  ({ own }: World): Request => ({ path: path(own), ...(body === undefined ? {} : { body }) });

function inEach(
  verdicts: Readonly<Record<string, string>>,
  route: string,
  request: (own: World['own'], env: string) => Request,
): Row[] {
  return Object.entries(verdicts).map(([env, signs]) => ({
    route: `${route} @ ${env}`,
    kind: 'member',
    signs,
    request: ({ own }) => request(own, env),
  }));
}

const organization = (area: string) => (own: World['own']) => `/${area}/${own.organization.id}`;
const project = (own: World['own']) => `${organization('projects')(own)}/${own.project.slug}`;
const secrets = (own: World['own'], env = '') =>
  `/secrets/${own.organization.slug}/${own.project.slug}${env === '' ? '' : `/${env}`}`;
const templates = (own: World['own']) => `/templates/${own.organization.slug}/${own.project.slug}`;
const signIn = (own: World['own']) => `${organization('orgs')(own)}/sign-in`;
const identity = (own: World['own']) => `${organization('identities')(own)}/${own.identityId}`;
const webhook = (own: World['own']) => `/webhooks/${own.organization.id}/${own.webhookId}`;

/** A public route treats all callers alike. The sample request is rejected for its content. */
const open = (route: string, path: string, allowed: string, body: unknown): Row => ({
  route,
  kind: 'public',
  signs: '',
  request: () => ({ path, body }),
  allowed,
});

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

/** Callers without a valid credential whose request nevertheless has the form of one. */
const malformed = ['junk token', 'broken Authorization beside a valid session'];

/** A browser is always sent on, to the log-in page if nothing else, with a session or without. No token may do it. */
function browsing(route: string, path: string): Row {
  const without = nobody.filter(name => !malformed.includes(name));
  return {
    route,
    kind: 'account',
    signs: sessionsOnly,
    request: () => ({ path }),
    allowed: 'status 302',
    except: {
      ...Object.fromEntries(without.map(name => [name, 'status 302'])),
      ...Object.fromEntries(identities.map(name => [name, 'insufficient_scope'])),
    },
  };
}

export const rows: readonly Row[] = [
  open('POST /auth/register', '/auth/register', 'invalid_request', { email: 'nobody' }),
  open('POST /auth/login', '/auth/login', 'invalid_request', { email: 'nobody' }),
  open('POST /auth/login/options', '/auth/login/options', 'ok', {}),
  open('POST /auth/login/verify', '/auth/login/verify', 'invalid_token', { challenge: 'unknown', totp: '123456' }),
  open('POST /auth/verify-email', '/auth/verify-email', 'invalid_token', { token: 'unknown' }),
  open('POST /auth/forgot-password', '/auth/forgot-password', 'invalid_request', { email: 'nobody' }),
  open('POST /auth/reset-password', '/auth/reset-password', 'invalid_token', {
    token: 'unknown',
    newPassword: 'correct horse battery',
  }),
  open('POST /auth/factors/undo', '/auth/factors/undo', 'invalid_token', { token: 'unknown' }),
  open('POST /auth/exchange', '/auth/exchange', 'invalid_assertion', {
    identityId: randomUUID(),
    organizationSlug: 'own-org',
    subjectToken: 'e30.e30.',
  }),
  open('GET /auth/sign-in', '/auth/sign-in?email=nobody', 'invalid_request', undefined),
  open('POST /auth/provider/factor', '/auth/provider/factor', 'invalid_token', {}),
  browsing('GET /auth/provider/:orgSlug/start', '/auth/provider/own-org/start'),
  browsing('GET /auth/provider/:orgSlug/callback', '/auth/provider/own-org/callback'),
  open('POST /billing/webhook', '/billing/webhook', 'invalid_signature', { id: 'evt_forged' }),
  {
    route: 'POST /auth/logout',
    kind: 'account',
    signs: sessionsOnly,
    request: () => ({ path: '/auth/logout', body: {} }),
  },
  {
    route: 'GET /auth/me',
    kind: 'account',
    signs: anyCredential,
    request: () => ({ path: '/auth/me' }),
    // The membership that the token belongs to has ended, and the token with it.
    except: { 'removed member: token for the organization': 'unauthenticated' },
  },
  {
    route: 'POST /auth/token',
    kind: 'account',
    signs: sessionsOnly,
    request: () => ({ path: '/auth/token', body: { name: 'x' } }),
  },
  {
    route: 'POST /auth/cli-auth',
    kind: 'account',
    signs: sessionsOnly,
    request: () => ({ path: '/auth/cli-auth', body: { codeChallenge: 'x'.repeat(43), name: 'x' } }),
    // Redeeming needs no account, so this rejects the kind of credential.
    except: Object.fromEntries(identities.map(name => [name, 'insufficient_scope'])),
  },
  { route: 'GET /auth/tokens', kind: 'account', signs: sessionsOnly, request: () => ({ path: '/auth/tokens' }) },
  {
    route: 'DELETE /auth/tokens/:tokenId',
    kind: 'account',
    signs: sessionsOnly,
    request: () => ({ path: `/auth/tokens/${randomUUID()}` }),
    allowed: 'token_not_found',
  },
  {
    route: 'DELETE /auth/tokens/current',
    kind: 'account',
    signs: anyToken,
    request: () => ({ path: '/auth/tokens/current' }),
    // Identities have no account, but their tokens can be revoked too.
    except: Object.fromEntries(identities.slice(0, -1).map(name => [name, 'ok'])),
  },
  {
    route: 'PATCH /auth/me',
    kind: 'account',
    signs: fullWithoutLimit,
    request: () => ({ path: '/auth/me', body: { name: 'New' } }),
  },
  {
    route: 'GET /auth/sessions',
    kind: 'account',
    signs: fullWithoutLimit,
    request: () => ({ path: '/auth/sessions' }),
  },
  {
    route: 'DELETE /auth/sessions/:sessionId',
    kind: 'account',
    signs: sessionsOnly,
    request: () => ({ path: `/auth/sessions/${randomUUID()}` }),
    allowed: 'session_not_found',
  },
  {
    route: 'GET /auth/providers',
    kind: 'account',
    signs: fullWithoutLimit,
    request: () => ({ path: '/auth/providers' }),
  },
  {
    route: 'DELETE /auth/providers/:linkId',
    kind: 'account',
    signs: sessionsOnly,
    request: () => ({ path: `/auth/providers/${randomUUID()}` }),
    allowed: 'link_not_found',
  },
  {
    route: 'POST /auth/step-up',
    kind: 'account',
    signs: sessionsOnly,
    request: () => ({ path: '/auth/step-up', body: { password: '' } }),
    allowed: 'invalid_request',
  },
  {
    route: 'POST /auth/passkeys/options',
    kind: 'account',
    signs: sessionsOnly,
    request: () => ({ path: '/auth/passkeys/options', body: {} }),
  },
  {
    route: 'POST /auth/passkeys',
    kind: 'account',
    signs: sessionsOnly,
    request: () => ({ path: '/auth/passkeys', body: {} }),
    allowed: 'invalid_request',
  },
  {
    route: 'GET /auth/passkeys',
    kind: 'account',
    signs: sessionsOnly,
    request: () => ({ path: '/auth/passkeys' }),
  },
  {
    route: 'DELETE /auth/passkeys/:passkeyId',
    kind: 'account',
    signs: sessionsOnly,
    request: () => ({ path: `/auth/passkeys/${randomUUID()}` }),
    allowed: 'passkey_not_found',
  },
  {
    route: 'POST /auth/totp',
    kind: 'account',
    signs: sessionsOnly,
    request: () => ({ path: '/auth/totp', body: {} }),
  },
  {
    route: 'POST /auth/totp/confirm',
    kind: 'account',
    signs: sessionsOnly,
    request: () => ({ path: '/auth/totp/confirm', body: { code: 'x' } }),
    allowed: 'invalid_request',
  },
  {
    route: 'DELETE /auth/totp',
    kind: 'account',
    signs: sessionsOnly,
    request: () => ({ path: '/auth/totp' }),
  },
  {
    route: 'POST /auth/recovery-codes',
    kind: 'account',
    signs: sessionsOnly,
    request: () => ({ path: '/auth/recovery-codes', body: {} }),
    allowed: 'invalid_request',
  },
  {
    route: 'POST /auth/change-password',
    kind: 'account',
    signs: sessionsOnly,
    request: () => ({ path: '/auth/change-password', body: { newPassword: 'short' } }),
    allowed: 'invalid_request',
  },
  {
    route: 'POST /auth/send-verification',
    kind: 'account',
    signs: sessionsOnly,
    request: () => ({ path: '/auth/send-verification', body: {} }),
  },

  { route: 'GET /projects/:orgId', kind: 'member', signs: anyCredential, request: member(organization('projects')) },
  {
    route: 'POST /projects/:orgId',
    kind: 'member',
    signs: managersChanging,
    request: member(organization('projects'), { name: 'New' }),
  },
  { route: 'GET /projects/:orgId/:slug', kind: 'member', signs: anyMemberInProject, request: member(project) },
  {
    route: 'PATCH /projects/:orgId/:slug',
    kind: 'member',
    signs: managersChangingProject,
    request: member(project, { name: 'Renamed' }),
  },
  { route: 'DELETE /projects/:orgId/:slug', kind: 'member', signs: ownersChangingProject, request: member(project) },
  {
    route: 'POST /projects/:orgId/:slug/environments',
    kind: 'member',
    // "Not restricted in the reference beyond membership".
    signs: '+ + + +   S S +   + + S S P',
    request: member(own => `${project(own)}/environments`, { name: 'New' }),
  },
  {
    route: 'PATCH /projects/:orgId/:slug/environments/:env @ its name',
    kind: 'member',
    signs: managersChangingProject,
    request: member(own => `${project(own)}/environments/production`, { name: 'Renamed' }),
  },
  {
    // The type decides who may read.
    route: 'PATCH /projects/:orgId/:slug/environments/:env @ its type',
    kind: 'member',
    signs: ownersChangingProject,
    request: member(own => `${project(own)}/environments/production`, { name: 'Renamed', type: 'development' }),
  },
  {
    route: 'DELETE /projects/:orgId/:slug/environments/:env',
    kind: 'member',
    signs: managersChangingProject,
    request: member(own => `${project(own)}/environments/production`),
  },
  {
    route: 'POST /projects/:orgId/:slug/rotate-key',
    kind: 'member',
    signs: managersChangingProject,
    request: member(own => `${project(own)}/rotate-key`, {}),
  },

  ...inEach(readingIn, 'GET /secrets/:orgSlug/:project/:env', (own, env) => ({ path: secrets(own, env) })),
  ...inEach(readingIn, 'GET /secrets/:orgSlug/:project/:env/keys', (own, env) => ({
    path: `${secrets(own, env)}/keys`,
  })),
  ...inEach(readingIn, 'GET /secrets/:orgSlug/:project/:env/versions/:key', (own, env) => ({
    path: `${secrets(own, env)}/versions/KEY?values=true`,
  })),
  ...inEach(readingIn, 'GET /secrets/:orgSlug/:project/:env/revisions', (own, env) => ({
    path: `${secrets(own, env)}/revisions`,
  })),
  ...inEach(readingIn, 'GET /secrets/:orgSlug/:project/:env/diff', (own, env) => ({
    path: `${secrets(own, env)}/diff?from=0&values=true`,
  })),
  ...inEach(bulkDeletingIn, 'POST /secrets/:orgSlug/:project/:env/restore', (own, env) => ({
    path: `${secrets(own, env)}/restore`,
    body: { revision: 0, keys: ['NEVER'] },
  })),
  ...inEach(destroyingIn, 'POST /secrets/:orgSlug/:project/:env/versions/:key/destroy', (own, env) => ({
    path: `${secrets(own, env)}/versions/KEY/destroy`,
    body: { before: 1 },
  })),
  ...inEach(comparing, 'GET /secrets/:orgSlug/:project/:env/compare', (own, ends) => {
    const [from, to] = ends.split(' with ');
    return { path: `${secrets(own, from)}/compare?with=${to}` };
  }),
  ...inEach(writingIn, 'PUT /secrets/:orgSlug/:project/:env', (own, env) => ({
    path: secrets(own, env),
    body: { key: 'NEW', value: 'new' },
  })),
  ...inEach(writingIn, 'POST /secrets/:orgSlug/:project/:env/bulk', (own, env) => ({
    path: `${secrets(own, env)}/bulk`,
    body: { secrets: { NEW: 'new' } },
  })),
  ...inEach(writingIn, 'POST /secrets/:orgSlug/:project/:env/changes', (own, env) => ({
    path: `${secrets(own, env)}/changes`,
    body: { set: [{ key: 'B', value: 'new' }] },
  })),
  ...inEach(bulkDeletingIn, 'POST /secrets/:orgSlug/:project/:env/changes', (own, env) => ({
    path: `${secrets(own, env)}/changes`,
    body: { delete: ['KEY', 'NOT_THERE'] },
  })).map(row => ({ ...row, route: `${row.route}, two deletions`, allowed: 'secret_not_found' })),
  ...inEach(writingIn, 'DELETE /secrets/:orgSlug/:project/:env/:key', (own, env) => ({
    path: `${secrets(own, env)}/KEY`,
  })),
  ...inEach(bulkDeletingIn, 'POST /secrets/:orgSlug/:project/:env/bulk-delete', (own, env) => ({
    path: `${secrets(own, env)}/bulk-delete`,
    body: { keys: ['KEY'] },
  })),
  ...inEach(promoting, 'POST /secrets/:orgSlug/:project/promote', (own, ends) => {
    const [from, to] = ends.split(' to ');
    return { path: `${secrets(own)}/promote`, body: { from, to } };
  }),

  {
    route: 'POST /orgs',
    kind: 'account',
    signs: fullWithoutLimit,
    request: () => ({ path: '/orgs', body: { name: 'New' } }),
  },
  {
    route: 'PATCH /orgs/:orgId',
    kind: 'member',
    signs: managersChanging,
    request: member(organization('orgs'), { name: 'Renamed' }),
  },
  {
    route: 'PATCH /orgs/:orgId @ whether a second factor is demanded',
    kind: 'member',
    signs: ownersChanging,
    request: member(organization('orgs'), { requireSecondFactor: true }),
    // The owner has none.
    allowed: 'second_factor_required',
  },
  { route: 'GET /orgs/:orgId/sign-in', kind: 'member', signs: ownersInSession, request: member(signIn) },
  {
    route: 'PUT /orgs/:orgId/sign-in',
    kind: 'member',
    signs: ownersInSession,
    request: member(signIn, { issuer: 'https://10.0.0.1', clientId: 'x', domains: ['example.com'] }),
    allowed: 'invalid_request',
  },
  {
    route: 'POST /orgs/:orgId/sign-in/domains/verify',
    kind: 'member',
    signs: ownersInSession,
    request: member(own => `${signIn(own)}/domains/verify`, { domain: 'example.com' }),
    allowed: 'invalid_request',
  },
  { route: 'DELETE /orgs/:orgId/sign-in', kind: 'member', signs: ownersInSession, request: member(signIn) },
  { route: 'DELETE /orgs/:orgId', kind: 'member', signs: ownersChanging, request: member(organization('orgs')) },

  {
    route: 'GET /templates/:orgSlug/:project',
    kind: 'member',
    signs: anyMemberInProject,
    request: member(templates),
  },
  {
    route: 'POST /templates/:orgSlug/:project',
    kind: 'member',
    signs: managersChangingProject,
    request: member(templates, { key: 'NEW' }),
  },
  {
    route: 'PATCH /templates/:orgSlug/:project/:key',
    kind: 'member',
    signs: managersChangingProject,
    request: member(own => `${templates(own)}/KEY`, { required: false }),
  },
  {
    route: 'DELETE /templates/:orgSlug/:project/:key',
    kind: 'member',
    signs: managersChangingProject,
    request: member(own => `${templates(own)}/KEY`),
  },
  ...inEach(validatingIn, 'GET /templates/:orgSlug/:project/validate/:env', (own, env) => ({
    path: `${templates(own)}/validate/${env}`,
  })),

  { route: 'GET /webhooks/:orgId', kind: 'member', signs: managersReading, request: member(organization('webhooks')) },
  {
    route: 'POST /webhooks/:orgId',
    kind: 'member',
    signs: managersChanging,
    request: member(organization('webhooks'), { url: 'https://hooks.example.com/y', events: ['secret.updated'] }),
  },
  { route: 'GET /webhooks/:orgId/:webhookId', kind: 'member', signs: managersReading, request: member(webhook) },
  {
    route: 'PATCH /webhooks/:orgId/:webhookId',
    kind: 'member',
    signs: managersChanging,
    request: member(webhook, { active: false }),
  },
  { route: 'DELETE /webhooks/:orgId/:webhookId', kind: 'member', signs: managersChanging, request: member(webhook) },
  {
    route: 'POST /webhooks/:orgId/:webhookId/test',
    kind: 'member',
    signs: managersChanging,
    request: member(own => `${webhook(own)}/test`, {}),
  },
  {
    route: 'POST /webhooks/:orgId/:webhookId/deliveries/:deliveryId/redeliver',
    kind: 'member',
    signs: managersChanging,
    request: member(own => `${webhook(own)}/deliveries/${randomUUID()}/redeliver`, {}),
    allowed: 'delivery_not_found',
  },

  {
    route: 'GET /identities/:orgId',
    kind: 'member',
    signs: managersReading,
    request: member(organization('identities')),
  },
  {
    route: 'POST /identities/:orgId',
    kind: 'member',
    signs: managersChanging,
    request: member(organization('identities'), identityOf({ url: 'https://issuer.example.com' })),
  },
  { route: 'GET /identities/:orgId/:identityId', kind: 'member', signs: managersReading, request: member(identity) },
  {
    route: 'PATCH /identities/:orgId/:identityId',
    kind: 'member',
    signs: managersChanging,
    request: member(identity, { role: 'viewer' }),
  },
  {
    route: 'DELETE /identities/:orgId/:identityId',
    kind: 'member',
    signs: managersChanging,
    request: member(identity),
  },

  { route: 'GET /members/:orgId', kind: 'member', signs: anyMember, request: member(organization('members')) },
  {
    route: 'POST /members/:orgId/invite @ a viewer',
    kind: 'member',
    signs: managersChanging,
    request: member(own => `${organization('members')(own)}/invite`, { email: 'new@example.com', role: 'viewer' }),
  },
  {
    // Members can only invite up to their own role.
    route: 'POST /members/:orgId/invite @ an owner',
    kind: 'member',
    signs: ownersChanging,
    request: member(own => `${organization('members')(own)}/invite`, { email: 'new@example.com', role: 'owner' }),
  },
  {
    route: 'POST /members/invite/:token/accept',
    kind: 'account',
    signs: fullWithoutLimit,
    request: () => ({ path: `/members/invite/${'x'.repeat(60)}/accept`, body: {} }),
    allowed: 'invalid_token',
  },
  {
    route: 'PATCH /members/:orgId/:id',
    kind: 'member',
    signs: ownersChanging,
    request: member(own => `${organization('members')(own)}/${own.bystanderId}`, { role: 'viewer' }),
  },
  {
    route: 'DELETE /members/:orgId/:id @ a developer',
    kind: 'member',
    signs: managersChanging,
    request: member(own => `${organization('members')(own)}/${own.bystanderId}`),
  },
  {
    // An admin can't remove an owner.
    route: 'DELETE /members/:orgId/:id @ an owner',
    kind: 'member',
    signs: ownersChanging,
    request: member(own => `${organization('members')(own)}/${own.secondOwnerId}`),
  },
  {
    route: 'DELETE /members/:orgId/me',
    kind: 'member',
    signs: membersLeaving,
    // It takes no body, so nobody leaves.
    request: member(own => `${organization('members')(own)}/me`, { unknown: true }),
    allowed: 'invalid_request',
  },

  { route: 'GET /audit/:orgId', kind: 'member', signs: managersReading, request: member(organization('audit')) },
  {
    route: 'GET /audit/:orgId/feed',
    kind: 'member',
    signs: managersReading,
    request: member(own => `${organization('audit')(own)}/feed`),
  },
  {
    route: 'GET /audit/:orgId/exposure',
    kind: 'member',
    signs: managersReading,
    request: member(own => `${organization('audit')(own)}/exposure?tokenId=${randomUUID()}`),
  },
  { route: 'GET /billing/:orgId', kind: 'member', signs: anyMember, request: member(organization('billing')) },
  {
    route: 'POST /billing/:orgId/checkout',
    kind: 'member',
    signs: managersChanging,
    request: member(own => `${organization('billing')(own)}/checkout`, { plan: 'pro' }),
  },
  {
    route: 'POST /billing/:orgId/portal',
    kind: 'member',
    signs: managersChanging,
    request: member(own => `${organization('billing')(own)}/portal`, {}),
  },

  { route: 'GET /admin/stats', kind: 'admin', signs: '', request: () => ({ path: '/admin/stats' }) },
  { route: 'GET /admin/orgs', kind: 'admin', signs: '', request: () => ({ path: '/admin/orgs' }) },
  { route: 'GET /admin/orgs/:orgId', kind: 'admin', signs: '', request: member(organization('admin/orgs')) },
  {
    route: 'PATCH /admin/orgs/:orgId',
    kind: 'admin',
    signs: '',
    request: member(organization('admin/orgs'), { limitOverrides: { maxProjects: 3 } }),
  },
  { route: 'GET /admin/plans', kind: 'admin', signs: '', request: () => ({ path: '/admin/plans' }) },
  {
    route: 'PUT /admin/plans/:planName',
    kind: 'admin',
    signs: '',
    request: () => ({ path: '/admin/plans/pro', body: { limits: { maxProjects: 100 } } }),
  },
  {
    route: 'GET /admin/metrics/summary',
    kind: 'admin',
    signs: '',
    request: () => ({ path: '/admin/metrics/summary' }),
  },
];

const codes: Readonly<Record<string, string>> = {
  T: 'token_not_found',
  R: 'forbidden',
  S: 'insufficient_scope',
  P: 'project_not_found',
  E: 'environment_not_found',
};

const roles = ['owner', 'admin', 'developer', 'viewer'];
const columns = [
  ...roles.map(role => `${role}: session`),
  'owner: read token',
  'owner: write token',
  'owner: full token',
  'owner: token for the organization',
  'owner: token for the project',
  'owner: token for dev',
  'owner: token for staging',
  'owner: token for another project',
];

const outsiders = [
  'owner: token for another organization',
  'stranger: session',
  'stranger: full token',
  'removed member: session',
  'removed member: full token',
  'removed member: token for the organization',
  'platform admin: session',
  'platform admin: full token',
  'platform admin: read token',
  'platform admin: limited token',
];
const roleTokens = roles.flatMap(role => ['read', 'write', 'full'].map(access => `${role}: ${access} token`));

/** The expected result for each caller on a route: `ok` or an error code. */
export function expectedOf({ route, kind, signs, allowed = 'ok', except = {} }: Row): Record<string, string> {
  const signed = signs.split(/\s+/).filter(sign => sign !== '');
  const verdict = (sign: string | undefined) => (sign === '+' ? allowed : (codes[sign ?? ''] ?? `no sign ${sign}`));
  const of = (column: string) => verdict(signed[columns.indexOf(column)]);
  const each = (names: readonly string[], answer: (name: string) => string) =>
    Object.fromEntries(names.map(name => [name, answer(name)]));
  const everybody = [...nobody, ...columns, ...roleTokens, ...outsiders, ...identities];
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
      ...each([...roleTokens, ...outsiders], own),
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
    ...csrf(of('owner: session')),
    ...except,
  };
}
