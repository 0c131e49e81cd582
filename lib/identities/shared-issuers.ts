/**
 * Issuers that sign tokens for all their customers under one URL, by host and path, with the claims that identify the
 * customer. Other claims don't identify it: any account on the platform can have a branch of the same name, and on
 * CircleCI or Codefresh build the same repository. Sources: the platforms' references for their OpenID Connect tokens,
 * and AWS's list of shared providers (IAM User Guide, "Identity-provider controls for shared OIDC providers").
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

/**
 * The claims that identify the owner; undefined if the issuer's URL already does, by its host or by its path (as for
 * GitHub enterprises and Vercel teams). Pure.
 */
export function claimsOfOwner(issuer: string): readonly string[] | undefined {
  const { hostname = '', pathname = '' } = URL.parse(issuer) ?? {};
  const name = hostname.replace(/\.$/, '') + pathname.replace(/\/+$/, '');
  return Object.hasOwn(ownerClaims, name) ? ownerClaims[name] : undefined;
}
