import { maximumBodyBytes, maximumPublicBodyBytes } from '../../lib/contracts/contract.ts';
import { sampleVariables } from './curl-samples.ts';

/** The groups of the operations, in the order in which readers meet them. */
export const tags = [
  {
    name: 'auth',
    'x-displayName': 'Accounts',
    description: 'Accounts, sessions of the dashboard, and bearer tokens of the CLI and SDKs.',
  },
  {
    name: 'projects',
    'x-displayName': 'Projects',
    description: 'Projects, their environments and their encryption keys.',
  },
  {
    name: 'secrets',
    'x-displayName': 'Secrets',
    description: 'Secrets of an environment: pull, set, import, promote and delete them, and read their history.',
  },
  {
    name: 'organizations',
    'x-displayName': 'Organizations',
    description: 'The tenants that everything else belongs to.',
  },
  {
    name: 'templates',
    'x-displayName': 'Templates',
    description: 'The keys that a project requires of its environments.',
  },
  {
    name: 'webhooks',
    'x-displayName': 'Webhooks',
    description: 'Notifications about changes of secrets. They never carry a value.',
  },
  { name: 'members', 'x-displayName': 'Members', description: 'Who belongs to an organization, in which role.' },
  {
    name: 'identities',
    'x-displayName': 'Identities',
    description:
      'Pipelines and workloads that sign in with the OpenID Connect token of their platform, without a secret.',
  },
  { name: 'audit', 'x-displayName': 'Audit log', description: 'Who did what in an organization.' },
  {
    name: 'billing',
    'x-displayName': 'Billing',
    description: 'Plans and payment, through a hosted checkout and portal.',
  },
  {
    name: 'admin',
    'x-displayName': 'Administration',
    description: 'Statistics, plans and limits, for platform administrators.',
  },
];

/** What holds for every operation. */
export const description = `Holdfast stores secrets by organization, project and environment. It encrypts them and returns them to those who may read them.

Every request and answer is JSON. A request body is strict: an unknown field is an \`invalid_request\`. A body holds at
most 5 MB (${maximumBodyBytes} bytes), and ${maximumPublicBodyBytes / 1024} KiB on routes that need no credential. Answers may gain members; a client must ignore those it does not know. Every answer
carries \`X-Request-Id\`. Every error has the same shape, with a code from a closed set. An unknown route or method is
\`404 route_not_found\`.

**Consistency.** Every environment has a \`revision\`. Each accepted change of its secrets raises it by one. Pulls and key
lists return it as \`ETag\`; \`If-None-Match\` saves a pull, \`If-Match\` makes a write conditional.

**Authentication.** The dashboard uses the session cookie, and sends \`X-Requested-With: service\` with every change. The
CLI and SDKs use bearer tokens, which have at most the rights of their user.

**Samples.** Each operation has a curl command that works as pasted once these shell variables are set. Registering and
logging in keep the session in \`cookies.txt\`.

| Variable | Value |
|---|---|
${sampleVariables.map(([names, source]) => `| ${names.replaceAll(/\w+/g, '`$&`')} | ${source} |`).join('\n')}

**Gateway.** The gateway refuses some requests before the service runs (bodies over 10 MB, its own throttling). Those
answers do not have the error shape: \`{"message": "…"}\`.`;
