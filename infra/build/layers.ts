import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The modules of `lib`, which are its folders, in layers from the highest to the lowest. A module imports only from
 * itself and from lower layers, as `test/structure.test.ts` checks. `npm run generate -- layers` draws them in
 * docs/architecture.md.
 */
export const layers: readonly Readonly<Record<string, string>>[] = [
  {
    portability: 'export an organization with all that it owns',
    providers: "sign in with a company's provider",
  },
  {
    exposure: 'what a credential saw, who knows a secret',
    identities: "pipelines that sign in with their platform's token",
    jobs: 'erase an organization or project, re-encrypt',
  },
  {
    accounts: 'sign-in, sessions, passwords, second factors, tokens',
    admin: "the administrators' directory and statistics",
    projects: 'projects, environments, templates',
    webhooks: 'webhooks and their deliveries, as their owners see them',
  },
  {
    api: 'the chain that every request goes through',
    billing: 'subscriptions and events of the payment provider',
    organizations: 'organizations, members, invitations',
    secrets: 'read and change secrets; secrets/engine writes revisions',
  },
  { access: 'authentication, authorization' },
  { audit: 'write, scan, list, search, follow and count audit entries; retention' },
  { deliveries: 'publish and queue events, send webhooks' },
  { outbound: 'send requests to addresses that customers choose, directly or through a worker' },
  {
    limits: 'all rate limits and how they are counted',
    metrics: 'request metrics',
    plans: 'plan limits and usage',
  },
  {
    crypto: 'data keys, sealed values, passwords, credentials',
    mail: 'compose and send',
    table: 'keys, records, typed reads and writes, transactions',
  },
  { core: 'errors, logger, settings, queue, memory of the process, time' },
  {
    contracts: 'every endpoint as data: fields, rules, rights',
    documentation: 'openapi.json and the reference page',
  },
  { formats: 'how other tools read dotenv text' },
];

const head = `\
            functions/<area>   functions/workers                    infra
            one handler per    handlers for queues,                 CDK app, bundles,
            endpoint           schedules and logs                   local stack, commands
                  |                   |                                  |
  --------------- v ----------------- v -------------------------------- v ------------------`;

export function drawLayers(): string {
  const bands = layers.map(modules =>
    Object.entries(modules).map(([name, description]) => `   ${name.padEnd(16)} ${description}`),
  );
  return [head, bands.map(lines => lines.join('\n')).join(`\n  ${'-'.repeat(92)}\n`)].join('\n');
}

if (import.meta.main) {
  const page = join(import.meta.dirname, '../../docs/architecture.md');
  const text = readFileSync(page, 'utf8');
  writeFileSync(
    page,
    text.replace(/(\n## Layers\n[\s\S]*?\n```\n)[\s\S]*?(\n```\n)/, (_, start, end) => start + drawLayers() + end),
  );
}
