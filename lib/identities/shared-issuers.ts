/**
 * Issuers that sign tokens for all their customers under one URL, by host, with the claims that identify the customer.
 * Other claims don't identify it: any account on the platform can have a branch of the same name. Sources: the
 * platforms' references for their OpenID Connect tokens.
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
 * The claims that identify the owner; undefined if the issuer's URL already does, by its host or by its path (as for
 * GitHub enterprises and Vercel teams). Pure.
 */
export function claimsOfOwner(issuer: string): readonly string[] | undefined {
  const { hostname = '', pathname = '' } = URL.parse(issuer) ?? {};
  const host = hostname.replace(/\.$/, '');
  return /^\/*$/.test(pathname) && Object.hasOwn(ownerClaims, host) ? ownerClaims[host] : undefined;
}
