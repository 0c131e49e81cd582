import { topLevelClaim } from '../contracts/fields/match-claims.ts';

const githubOwners = ['repository_id', 'repository_owner_id', 'repository', 'repository_owner'];

/**
 * Issuers that sign tokens for all their customers under one URL, by host and path, with the claims that identify the
 * customer. Other claims don't identify it: any account on the platform can have a branch of the same name, and on
 * CircleCI or Codefresh build the same repository. Sources: the platforms' references for their OpenID Connect tokens,
 * and AWS's list of shared providers (IAM User Guide, "Identity-provider controls for shared OIDC providers").
 */
const ownerClaims: Readonly<Record<string, readonly string[]>> = {
  'token.actions.githubusercontent.com': [...githubOwners, 'enterprise_id', 'sub'],
  'gitlab.com': ['project_id', 'namespace_id', 'project_path', 'namespace_path', 'sub'],
  'app.terraform.io': ['terraform_organization_id', 'terraform_organization_name'],
  'app.eu.terraform.io': ['terraform_organization_id', 'terraform_organization_name'],
  'accounts.google.com': ['sub'],
  'api.pulumi.com/oidc': ['sub'],
  'issuer.enforce.dev': ['sub'],
  'proidc.upbound.io': ['sub'],
  'scalr.io': ['sub'],
  'studio.datachain.ai/api': ['sub'],
  'tokens.cloud.shisho.dev': ['sub'],
  'oidc.vercel.com': ['owner_id', 'owner', 'project_id', 'sub'],
  'agent.buildkite.com': ['organization_id', 'organization_slug', 'pipeline_id', 'sub'],
  'oidc.circleci.com': ['oidc.circleci.com/org-id', 'oidc.circleci.com/project-id', 'sub'],
  'oidc.codefresh.io': ['account_id', 'account_name', 'pipeline_id', 'sub'],
  'oidc.cirrus-ci.com': ['owner_id', 'owner', 'repository_id', 'repository'],
  'identity.depot.dev': ['org_id', 'repository_id', 'repository_owner_id', 'repository', 'sub'],
  'federation.namespaceapis.com': ['tenant_id', 'sub'],
  'oidc.modal.com': ['workspace_id', 'environment_id', 'app_id', 'function_id', 'sub'],
};

/** Microsoft's tenant for personal accounts. */
const microsoftConsumers = '9188040d-6c67-4c5b-b112-36a304b66dad';
const microsoftHosts = /^(?:login\.microsoftonline\.(?:com|us)|login\.partner\.microsoftonline\.cn|sts\.windows\.net)$/;

/** The host and path of an issuer, as `ownerClaims` names them. */
function nameOf(issuer: string): string {
  const { hostname = '', pathname = '' } = URL.parse(issuer) ?? {};
  return hostname.replace(/\.$/, '') + pathname.replace(/\/+$/, '');
}

/**
 * The tenant that an issuer of Entra ID names (`https://login.microsoftonline.com/<tenant id>/v2.0`); undefined for any
 * other issuer, and for Entra's issuers that serve many tenants or anybody.
 */
export function entraTenantOf(issuer: string): string | undefined {
  const [host = '', tenant = '', version] = nameOf(issuer).toLowerCase().split('/');
  const isTenant = microsoftHosts.test(host) && /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(tenant);
  return isTenant && version === 'v2.0' && tenant !== microsoftConsumers ? tenant : undefined;
}

/** Whether people of more than one customer, or anybody, have accounts at the issuer. */
export function isSharedIssuer(issuer: string): boolean {
  const [host = ''] = nameOf(issuer).toLowerCase().split('/');
  if (microsoftHosts.test(host)) return entraTenantOf(issuer) === undefined;
  return claimsOfOwner(issuer) !== undefined || personalIssuers.has(nameOf(issuer).toLowerCase());
}

/** Issuers at which people sign in, and not only programs. */
const personalIssuers = new Set([
  'appleid.apple.com',
  'login.yahoo.com',
  'api.login.yahoo.com',
  'www.linkedin.com',
  'www.linkedin.com/oauth',
  'www.facebook.com',
  'slack.com',
  'id.twitch.tv/oauth2',
  'www.paypal.com',
  'login.salesforce.com',
  'access.line.me',
  'discord.com',
  'github.com/login/oauth',
  'auth.atlassian.com',
]);

/** The claims that identify the owner; undefined if the URL does (as for GitHub enterprises and Vercel teams). */
export function claimsOfOwner(issuer: string): readonly string[] | undefined {
  const name = nameOf(issuer);
  return Object.hasOwn(ownerClaims, name) ? ownerClaims[name] : undefined;
}

/** None of these identifies a pipeline: they name the issuer, audience and subject, or differ in each token. */
const claimsThatProveLittle: ReadonlySet<string> = new Set(['iss', 'aud', 'sub', 'jti', 'exp', 'iat', 'nbf']);

/** Why these conditions would let strangers sign in. The subject suffices if no other claim names the owner. */
export function claimsProblem(issuer: string, claims: Readonly<Record<string, unknown>>): string | undefined {
  const names = Object.keys(claims).map(topLevelClaim);
  const ofOwner = claimsOfOwner(issuer);
  const onlySubjectBinds = ofOwner?.every(name => name === 'sub') === true;
  if (!onlySubjectBinds && names.every(name => name !== undefined && claimsThatProveLittle.has(name))) {
    return 'must require at least one claim besides iss, aud and sub, such as repository_id';
  }
  if (ofOwner === undefined || names.some(name => name !== undefined && ofOwner.includes(name))) return undefined;
  const oneOf = ofOwner.length === 1 ? ofOwner[0] : `one of ${ofOwner.join(', ')}`;
  return `must require ${oneOf}, because anyone can get tokens from this issuer`;
}
