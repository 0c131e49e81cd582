import type { Identity } from '@holdfast/contracts/identities/identities.ts';

/** A claim that an identity for a platform should require. */
interface PlatformClaim {
  name: string;
  label: string;
  /** What the claim proves, and where to find its value. */
  why: string;
  /** Prints the value. */
  command?: string;
  /** The value that most users want. */
  value?: string;
  example?: string;
}

/** What a job needs to sign in as an identity. */
export interface JobSettings {
  url: string;
  organization: string;
  project: string;
  environment: string;
  /** Environments below it, as `project/environment`, separated by commas; empty without any. */
  layers?: string;
  identity: Pick<Identity, 'id' | 'audience'>;
}

/** A text for a file, a shell or a settings page of the platform. */
interface SetUpStep {
  title: string;
  language: 'yaml' | 'sh' | 'json';
  text: string;
}

/** How workloads of a platform sign in. */
export interface Platform {
  name: string;
  /** Empty if each installation of the platform has its own. */
  issuer: string;
  issuerHint: string;
  claims: readonly PlatformClaim[];
  singleUse: boolean;
  maxAssertionAgeMinutes: number;
  /** Why tokens of this platform may be used so often and be so old. */
  tokens: string;
  setUp: (job: JobSettings) => readonly [SetUpStep, ...SetUpStep[]];
}

/** The settings of every job, in the order of the documentation. */
const variables = ({ url, organization, project, environment, layers, identity }: JobSettings) => ({
  HOLDFAST_URL: url,
  HOLDFAST_ORG: organization,
  HOLDFAST_PROJECT: project,
  HOLDFAST_ENV: environment,
  ...(layers ? { HOLDFAST_LAYERS: layers } : {}),
  HOLDFAST_IDENTITY: identity.id,
});

/** The inputs of the GitHub action. */
const inputs = ({ url, organization, project, environment, layers, identity }: JobSettings) => ({
  url,
  organization,
  project,
  environment,
  ...(layers ? { layers } : {}),
  identity: identity.id,
});

/** Quoted, because YAML would take slugs such as `no`, `2026` and `1e3` for something other than text. */
const quoted = (value: string) => JSON.stringify(value);

const asYaml = (values: Readonly<Record<string, string>>, indent: number) =>
  Object.entries(values)
    .map(([name, value]) => `${' '.repeat(indent)}${name}: ${quoted(value)}`)
    .join('\n');

const asShell = (values: Readonly<Record<string, string>>) =>
  Object.entries(values)
    .map(([name, value]) => `export ${name}=${value}`)
    .join('\n');

const gitHub: Platform = {
  name: 'GitHub Actions',
  issuer: 'https://token.actions.githubusercontent.com',
  issuerHint: 'GitHub Enterprise Server has its own: https://HOST/_services/token.',
  claims: [
    {
      name: 'repository_id',
      label: 'Repository id',
      why: 'The only repository whose workflows may sign in.',
      command: 'gh api repos/acme/web-shop --jq .id',
      example: '74',
    },
    {
      name: 'repository_owner_id',
      label: 'Owner id',
      why: 'The repository’s account.',
      command: 'gh api repos/acme/web-shop --jq .owner.id',
      example: '65',
    },
    {
      name: 'environment',
      label: 'GitHub environment',
      why: 'Only jobs of this environment. Protect it on GitHub with reviewers and with the branches that may deploy.',
      value: 'production',
    },
  ],
  singleUse: true,
  maxAssertionAgeMinutes: 10,
  tokens: 'GitHub issues a new token for each request, so each needs to be accepted only once.',
  setUp: job => [
    {
      title: '.github/workflows/deploy.yml',
      language: 'yaml',
      text: `name: Deploy
on:
  push:
    branches: [main]
permissions:
  contents: read
  id-token: write
jobs:
  deploy:
    runs-on: ubuntu-latest
    environment: production
    steps:
      - uses: actions/checkout@v4
      # Your organization's copy of Holdfast's repository.
      - uses: ${job.organization}/holdfast/clients/github-action@v0.1.0
        with:
${asYaml(inputs(job), 10)}
      - run: ./deploy.sh`,
    },
  ],
};

const gitLab: Platform = {
  name: 'GitLab CI/CD',
  issuer: 'https://gitlab.com',
  issuerHint: 'For your own GitLab, its URL.',
  claims: [
    {
      name: 'project_id',
      label: 'Project id',
      why: 'The only project whose jobs may sign in. Its page on GitLab shows the id.',
      example: '22',
    },
    {
      name: 'namespace_id',
      label: 'Group id',
      why: 'The project’s group or user. The group’s page on GitLab shows the id.',
      example: '72',
    },
    {
      name: 'ref_protected',
      label: 'Protected branch or tag',
      why: 'Only jobs of protected branches and tags, where GitLab limits who may push and merge.',
      value: 'true',
    },
  ],
  singleUse: true,
  maxAssertionAgeMinutes: 10,
  tokens:
    'GitLab gives each job one token. The command line exchanges it once and keeps the result for the job’s next ' +
    'commands, so the minutes of a token must cover the whole job.',
  setUp: job => [
    {
      title: '.gitlab-ci.yml',
      language: 'yaml',
      text: `deploy:
  environment: production
  id_tokens:
    HOLDFAST_ID_TOKEN:
      aud: ${job.identity.audience}
  variables:
${asYaml(variables(job), 4)}
  script:
    - holdfast run -- ./deploy.sh`,
    },
  ],
};

const kubernetes: Platform = {
  name: 'Kubernetes',
  issuer: '',
  issuerHint: 'The cluster’s own: kubectl get --raw /.well-known/openid-configuration',
  claims: [
    {
      name: '/kubernetes.io/namespace',
      label: 'Namespace',
      why: 'Only pods of this namespace. Whoever may create pods there can sign in.',
      example: 'web-shop',
    },
    {
      name: '/kubernetes.io/serviceaccount/uid',
      label: 'Service account’s UID',
      why: 'Never reused, unlike its name.',
      command: 'kubectl get serviceaccount web-shop -n web-shop -o jsonpath={.metadata.uid}',
      example: 'e4d7f0f9-3f7e-4c39-9d0c-0a2cf1b8a5c2',
    },
  ],
  singleUse: false,
  maxAssertionAgeMinutes: 10,
  tokens:
    'Kubernetes renews a token only after most of its life. A container that starts again gets the same one, so it ' +
    'must be accepted more than once.',
  setUp: job => [
    {
      title: 'The pod',
      language: 'yaml',
      text: `apiVersion: v1
kind: Pod
metadata:
  name: web-shop
spec:
  serviceAccountName: web-shop
  containers:
    - name: web-shop
      image: registry.example.com/web-shop
      command: [holdfast, run, --, node, server.js]
      env:
${Object.entries({ ...variables(job), HOLDFAST_ID_TOKEN_FILE: '/var/run/holdfast/token' })
  .map(([name, value]) => `        - { name: ${name}, value: ${quoted(value)} }`)
  .join('\n')}
      volumeMounts:
        - { name: holdfast, mountPath: /var/run/holdfast, readOnly: true }
  volumes:
    - name: holdfast
      projected:
        sources:
          - serviceAccountToken:
              audience: ${job.identity.audience}
              # The minimum. Kubernetes renews the file earlier, so its token is never too old.
              expirationSeconds: 600
              path: token`,
    },
  ],
};

const aws: Platform = {
  name: 'AWS (Lambda, ECS, EC2, EKS)',
  issuer: '',
  issuerHint: 'The account’s own: aws iam enable-outbound-web-identity-federation prints it.',
  claims: [
    {
      name: 'sub',
      label: 'Role',
      why: 'The ARN of the IAM role that the workload runs as.',
      example: 'arn:aws:iam::123456789012:role/web-shop',
    },
    {
      name: '/https:~1~1sts.amazonaws.com~1/aws_account',
      label: 'Account',
      why: 'The number of the AWS account.',
      example: '123456789012',
    },
  ],
  singleUse: true,
  maxAssertionAgeMinutes: 10,
  tokens: 'AWS issues a new token for each request, so each needs to be accepted only once.',
  setUp: job => [
    {
      title: 'Once for each account, which prints its issuer',
      language: 'sh',
      text: 'aws iam enable-outbound-web-identity-federation',
    },
    {
      title: 'A statement for the role’s policy',
      language: 'json',
      text: JSON.stringify(
        {
          Effect: 'Allow',
          Action: 'sts:GetWebIdentityToken',
          Resource: '*',
          Condition: { 'ForAllValues:StringEquals': { 'sts:IdentityTokenAudience': job.identity.audience } },
        },
        null,
        2,
      ),
    },
    {
      title: 'The workload’s environment',
      language: 'sh',
      text: asShell({ ...variables(job), HOLDFAST_ID_TOKEN_SOURCE: 'aws' }),
    },
  ],
};

const google: Platform = {
  name: 'Google Cloud (Cloud Run, GKE, Compute Engine)',
  issuer: 'https://accounts.google.com',
  issuerHint: 'The same for all of Google Cloud.',
  claims: [
    {
      name: 'sub',
      label: 'Service account’s unique id',
      why: 'Never reused, unlike its e-mail address.',
      command: "gcloud iam service-accounts describe web-shop@acme.iam.gserviceaccount.com --format='value(uniqueId)'",
      example: '103917564820193758264',
    },
  ],
  singleUse: false,
  maxAssertionAgeMinutes: 60,
  tokens:
    'Google’s metadata server returns the same token for up to an hour, so it must be accepted more than once and ' +
    'until it expires.',
  setUp: job => [
    {
      title: 'The workload’s environment',
      language: 'sh',
      text: asShell({ ...variables(job), HOLDFAST_ID_TOKEN_SOURCE: 'gcp' }),
    },
  ],
};

const terraform: Platform = {
  name: 'HCP Terraform (Terraform Cloud)',
  issuer: 'https://app.terraform.io',
  issuerHint: 'In Europe https://app.eu.terraform.io; for Terraform Enterprise, its URL.',
  claims: [
    {
      name: 'terraform_organization_id',
      label: 'Organization id',
      why: 'Its settings show the id, which begins with org-.',
      example: 'org-GRNbCjYNpBB6NEBH',
    },
    {
      name: 'terraform_workspace_id',
      label: 'Workspace id',
      why: 'Its settings show the id, which begins with ws-.',
      example: 'ws-mbsd5E3Ktt5Rg2Xm',
    },
    {
      name: 'terraform_run_phase',
      label: 'Run phase',
      why: 'Only the apply, which somebody confirmed. A plan also runs for changes that nobody has reviewed.',
      value: 'apply',
    },
  ],
  singleUse: true,
  maxAssertionAgeMinutes: 10,
  tokens: 'Each plan and each apply gets a token of its own, so each needs to be accepted only once.',
  setUp: job => [
    {
      title: 'Environment variables of the workspace, for an agent with the command line in its image',
      language: 'sh',
      text: asShell({
        ...variables(job),
        TFC_WORKLOAD_IDENTITY_AUDIENCE: job.identity.audience,
        HOLDFAST_ID_TOKEN_SOURCE: 'command',
        HOLDFAST_ID_TOKEN_COMMAND: "'printenv TFC_WORKLOAD_IDENTITY_TOKEN'",
      }),
    },
  ],
};

const another: Platform = {
  name: 'Another platform',
  issuer: '',
  issuerHint: 'The exact iss of its tokens. Its keys must be reachable from the internet.',
  claims: [],
  singleUse: true,
  maxAssertionAgeMinutes: 10,
  tokens:
    'If the platform returns the same token more than once, or a container may start again with it, turn this off.',
  setUp: job => [
    {
      title: 'The job’s environment, with a command that prints a token for HOLDFAST_AUDIENCE',
      language: 'sh',
      text: asShell({
        ...variables(job),
        HOLDFAST_ID_TOKEN_SOURCE: 'command',
        HOLDFAST_ID_TOKEN_COMMAND: `'issue-token --audience "$HOLDFAST_AUDIENCE"'`,
      }),
    },
  ],
};

/** The platforms with a recipe, in the order of the documentation. The last one is for all others. */
export const platforms = { gitHub, gitLab, kubernetes, aws, google, terraform, another } as const satisfies Record<
  string,
  Platform
>;

export type PlatformName = keyof typeof platforms;

export const platformNames = Object.keys(platforms) as PlatformName[];

/** The platform whose tokens an identity most likely accepts, by its issuer or otherwise by its claims. Pure. */
export function platformOf({ issuer, claims }: Pick<Identity, 'issuer' | 'claims'>): PlatformName {
  const byIssuer = platformNames.find(name => platforms[name].issuer === issuer);
  const requires = (name: PlatformName) =>
    platforms[name].claims.filter(claim => claim.name !== 'sub' && Object.hasOwn(claims, claim.name)).length;
  const [closest = 'another'] = platformNames.toSorted((a, b) => requires(b) - requires(a));
  return byIssuer ?? (requires(closest) > 0 ? closest : 'another');
}
