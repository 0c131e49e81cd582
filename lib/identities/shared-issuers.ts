/**
 * Issuers that sign tokens for everybody under one URL, by host, and the claims of which each says whose token it is. A
 * name without such a claim, such as a branch, can be had by any account of the platform. Sources: the platforms'
 * references of their OpenID Connect tokens.
 */
const ownerClaims: Readonly<Record<string, readonly string[]>> = {
  'token.actions.githubusercontent.com': [
    'repository_id',
    'repository_owner_id',
    'repository',
    'repository_owner',
    'enterprise_id',
    'sub',
  ],
  'gitlab.com': ['project_id', 'namespace_id', 'project_path', 'namespace_path', 'sub'],
  'app.terraform.io': ['terraform_organization_id', 'terraform_organization_name'],
  'app.eu.terraform.io': ['terraform_organization_id', 'terraform_organization_name'],
  'accounts.google.com': ['sub'],
  'oidc.vercel.com': ['owner_id', 'owner', 'project_id', 'sub'],
  'agent.buildkite.com': ['organization_id', 'organization_slug', 'pipeline_id', 'sub'],
};

/**
 * The claims that bind the owner; undefined where the issuer's URL does so itself, by its host or, as GitHub's for an
 * enterprise and Vercel's for a team, by its path. Pure.
 */
export function claimsOfOwner(issuer: string): readonly string[] | undefined {
  const { hostname = '', pathname = '' } = URL.parse(issuer) ?? {};
  const host = hostname.replace(/\.$/, '');
  return /^\/*$/.test(pathname) && Object.hasOwn(ownerClaims, host) ? ownerClaims[host] : undefined;
}
