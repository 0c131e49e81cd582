import { maximumBodyBytes, maximumSmallBodyBytes } from '#lib/contracts/contract.ts';
import { sampleVariables } from './curl-samples.ts';

/** The groups of operations, in the order in which readers need them. */
export const tags = [
  {
    name: 'auth',
    'x-displayName': 'Accounts',
    description: 'Accounts, dashboard sessions, and bearer tokens for the CLI and SDKs.',
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
    description: 'Notifications about changed secrets. They never contain a value.',
  },
  { name: 'members', 'x-displayName': 'Members', description: 'The members of an organization and their roles.' },
  {
    name: 'grants',
    'x-displayName': 'Grants',
    description: 'Access of members to single environments for a limited time, and requests for it.',
  },
  {
    name: 'identities',
    'x-displayName': 'Identities',
    description:
      'Pipelines and workloads that sign in with their platform’s OpenID Connect token instead of a stored secret.',
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

/** Applies to every operation. */
export const description = `Holdfast stores secrets by organization, project and environment. It encrypts them and returns them to authorized callers.

Requests and responses are JSON. Request bodies are strict: an unknown field is an \`invalid_request\`. A body can be at
most 5 MB (${maximumBodyBytes} bytes), or ${maximumSmallBodyBytes / 1024} KiB on routes that take no secrets (512 KiB if they take lists of keys).
Responses may gain fields; clients must ignore unknown ones. Every response
carries \`X-Request-Id\`. Every error has the same shape, with a code from a closed set. Unknown routes and methods return
\`404 route_not_found\`.

**Consistency.** Every environment has a \`revision\`, which increases with each accepted change to its secrets. Pulls
and key lists return it as \`ETag\`; \`If-None-Match\` avoids an unnecessary pull, and \`If-Match\` makes a write
conditional.

**Authentication.** The dashboard uses the session cookie and sends \`X-Requested-With: service\` with every change. The
CLI and SDKs use bearer tokens, which can never do more than their user. With the header \`Holdfast-Access: names\`, a
request can do no more than a token with the access \`names\`, whatever its credential may.

**Samples.** Each operation has a curl command that works as pasted once these shell variables are set. Registering and
logging in store the session in \`cookies.txt\`.

| Variable | Value |
|---|---|
${sampleVariables.map(([names, source]) => `| ${names.replaceAll(/\w+/g, '`$&`')} | ${source} |`).join('\n')}

**Gateway.** The gateway rejects some requests before the service runs (bodies over 10 MB, its own throttling). Those
responses do not have the error shape: \`{"message": "…"}\`.`;
