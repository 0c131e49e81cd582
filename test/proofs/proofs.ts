import { words } from '../support/words.ts';

/** Tests that `npm run check` omits: long searches, and what needs a browser, packages or all bundles. CI runs them. */
export interface Proof {
  name: string;
  files: readonly string[];
  /** The size that two cores finish within minutes, if there are several. */
  env?: Readonly<Record<string, string>>;
  /** The size of `npm run proof -- <name> --full`, which takes from ten minutes to an hour. */
  full?: Readonly<Record<string, string>>;
}

/** Longest first, so that the two that run side by side end at about the same time. */
export const proofs: readonly Proof[] = [
  {
    name: 'faults',
    files: ['test/faults/faults.test.ts', 'test/faults/due-letters.test.ts'],
    env: { FAULTS: 'most' },
    full: { FAULTS: 'all' },
  },
  {
    name: 'deployments',
    files: words(`test/infra/stacks/template-changes.test.ts test/infra/stacks/deployment-traffic.test.ts
      test/infra/commands/rehearse-restore.test.ts test/infra/commands/deploy.test.ts
      test/infra/commands/ready-for-failover.test.ts test/docs/commands.test.ts`),
  },
  { name: 'fuzz', files: ['test/fuzz'], env: { FUZZ: '60' }, full: { FUZZ: '300' } },
  {
    name: 'stalls',
    files: words(`test/lib/jobs/late-steps.test.ts test/functions/secrets/late-writes.test.ts
      test/functions/secrets/stalled-reads.test.ts test/functions/secrets/one-moment.test.ts
      test/functions/secrets/long-revisions.test.ts test/consistency/made-again.test.ts
      test/attacks/waiting-write.test.ts`),
  },
  {
    name: 'authorization',
    files: ['test/authorization/authorization.test.ts', 'test/authorization/deployer.test.ts'],
  },
  { name: 'limited-members', files: ['test/authorization/limited-members.test.ts'] },
  { name: 'rights-in-projects', files: ['test/authorization/in-projects.test.ts'] },
  { name: 'search-protocol', files: ['test/model/search.test.ts'], env: { SEARCH: 'all' } },
  { name: 'screens', files: ['test/clients/dashboard/screens.test.ts'] },
  {
    name: 'browser',
    files: words(`test/clients/dashboard/flows.test.ts test/clients/dashboard/management.test.ts
      test/clients/dashboard/provider.test.ts test/clients/dashboard/sign-in.test.ts
      test/clients/dashboard/account.test.ts test/clients/dashboard/grid.test.ts
      test/clients/dashboard/many-keys.test.ts`),
  },
  {
    name: 'evidence-screens',
    files: ['test/clients/dashboard/audit.test.ts', 'test/clients/dashboard/exposure.test.ts'],
  },
  { name: 'key-screens', files: ['test/clients/dashboard/keys.test.ts'] },
  {
    name: 'team-screens',
    files: words(`test/clients/dashboard/proposals.test.ts test/clients/dashboard/members.test.ts
      test/clients/dashboard/grants.test.ts`),
  },
  {
    name: 'evidence',
    files: words(`test/evidence test/functions/audit/search-entries.test.ts test/clients/cli/audit-follow.test.ts
      test/clients/cli/audit.test.ts test/clients/cli/exposure.test.ts test/clients/sdk/audit.test.ts
      test/functions/audit/get-exposure.test.ts`),
  },
  {
    name: 'command-line',
    files: words(`test/clients/cli/against-service.test.ts test/clients/cli/changes.test.ts
      test/clients/cli/run.test.ts test/clients/cli/settings.test.ts test/clients/cli/identity.test.ts
      test/clients/cli/proposals.test.ts`),
  },
  {
    name: 'deliveries',
    files: words(`test/functions/webhooks/deliveries.test.ts test/lib/jobs/unfinished-work.test.ts`),
  },
  { name: 'bundles', files: ['test/infra/build/bundles.test.ts'] },
  {
    name: 'crashes',
    files: words(`test/functions/secrets/crashes.test.ts test/functions/secrets/consistency.test.ts
      test/functions/secrets/throughput.test.ts test/faults/races.test.ts`),
  },
  {
    name: 'exchanges',
    files: ['test/functions/identities/exchange-assertion.test.ts', 'test/attacks/workload-identity.test.ts'],
  },
  {
    name: 'ways-in',
    files: words(`test/attacks/ways-in.test.ts test/functions/organizations/proved-domains.test.ts
      test/functions/auth/role-rules.test.ts test/functions/auth/provider-required.test.ts`),
  },
  { name: 'second-factors', files: ['test/attacks/second-factors.test.ts'] },
  {
    name: 'ways-in-search',
    files: ['test/attacks/ways-in-search'],
    env: { WAYS_IN: '150' },
    full: { WAYS_IN: '2000' },
  },
  {
    name: 'through-provider',
    files: ['test/authorization/through-provider.test.ts', 'test/authorization/confined.test.ts'],
  },
  {
    name: 'hostile-providers',
    files: ['test/attacks/provider-sign-in.test.ts', 'test/attacks/sign-in-browsers.test.ts'],
  },
  { name: 'rollback', files: ['test/rollback/rollback.test.ts'] },
  { name: 'key-off', files: ['test/faults/key-off.test.ts'] },
  {
    name: 'revocations',
    files: ['test/infra/repair/replay-revocations.test.ts'],
  },
  { name: 'counts', files: ['test/bench/counts.test.ts'] },
  { name: 'canary', files: ['test/canary'] },
  { name: 'large-log', files: ['test/functions/audit/large-log.test.ts'] },
  {
    name: 'growth',
    files: ['test/functions/secrets/growth.test.ts'],
    env: { GROWTH_THOUSANDS: '1' },
    full: { GROWTH_THOUSANDS: '14' },
  },
  { name: 'rotation', files: ['test/functions/projects/rotation.test.ts'] },
  { name: 'repair', files: ['test/infra/repair/recount.test.ts', 'test/infra/repair/repair-environment.test.ts'] },
  {
    name: 'portability',
    files: ['test/infra/portability'],
    env: { PORTABILITY: '7,20' },
    full: { PORTABILITY: '50,400' },
  },
  {
    name: 'keep-days',
    files: ['test/faults/keep-days.test.ts'],
    env: { KEEP_ROUNDS: '24' },
    full: { KEEP_ROUNDS: '500' },
  },
  { name: 'service-killed', files: ['test/functions/secrets/kill.test.ts'] },
  { name: 'learns-nothing', files: ['test/functions/secrets/learns-nothing.test.ts'] },
  { name: 'churn', files: ['test/consistency/natural.test.ts'], env: { ROUNDS: '20' }, full: { ROUNDS: '200' } },
  {
    name: 'stale-reads',
    files: ['test/consistency/stale-reads.test.ts', 'test/model/kept-access.test.ts'],
    env: { READ_SECONDS: '40', KEPT_SEQUENCES: '1000' },
    full: { READ_SECONDS: '600', KEPT_SEQUENCES: '20000' },
  },
  {
    name: 'time-machine',
    files: ['test/functions/secrets/time-machine.test.ts'],
    env: { REVISIONS: '60' },
    full: { REVISIONS: '500' },
  },
  { name: 'histories', files: ['test/functions/secrets/model.test.ts'], env: { MODEL_RUNS: '100' } },
  {
    name: 'dry-runs',
    files: ['test/functions/secrets/dry-run.test.ts'],
    env: { DRY_RUNS: '200' },
    full: { DRY_RUNS: '1000' },
  },
  {
    name: 'references',
    files: words(`test/functions/secrets/reference-search.test.ts test/functions/secrets/reference-races.test.ts
      test/functions/secrets/reference-costs.test.ts`),
    env: { REFERENCE_ENVIRONMENTS: '100' },
    full: { REFERENCE_ENVIRONMENTS: '2000' },
  },
  {
    name: 'proposals',
    files: words(`test/functions/secrets/proposal-search test/functions/secrets/proposals.test.ts
      test/functions/grants/grants.test.ts`),
    env: { PROPOSAL_SEQUENCES: '60', PROPOSAL_SEED: '2026' },
    full: { PROPOSAL_SEQUENCES: '2000' },
  },
  {
    name: 'busy',
    files: ['test/functions/secrets/waiting-writers.test.ts', 'test/functions/audit/busy-organization.test.ts'],
  },
  { name: 'throttled', files: ['test/throttled'] },
  {
    name: 'deleted-keys',
    files: ['test/functions/secrets/deleted-keys.test.ts'],
    env: { DELETED_KEYS: '3000' },
    full: { DELETED_KEYS: '20000' },
  },
  { name: 'scripts', files: ['test/clients/cli/scripts', 'test/docs/any-image.test.ts'] },
  { name: 'use', files: ['test/docs/use.test.ts', 'test/clients/github-action/action.test.ts'] },
  { name: 'first-session', files: ['test/clients/cli/first-session.test.ts'] },
  { name: 'endings', files: ['test/clients/cli/endings.test.ts', 'test/clients/cli/inherits.test.ts'] },
  { name: 'packages', files: ['test/clients/sdk/package.test.ts', 'test/clients/cli/package.test.ts'] },
  { name: 'starts', files: ['test/infra/local/start.test.ts'] },
  { name: 'kills', files: ['test/clients/cli/killed.test.ts'], env: { KILLS: '8' }, full: { KILLS: '40' } },
  {
    name: 'syncs',
    files: words(`test/clients/cli/sync/histories.test.ts test/clients/cli/sync/sync.test.ts
      test/clients/cli/sync/half-done.test.ts`),
    env: { SYNC_HISTORIES: '100' },
    full: { SYNC_HISTORIES: '500' },
  },
  {
    name: 'rotations',
    files: words(`test/clients/cli/rotate-killed.test.ts test/clients/cli/rotate.test.ts
      test/clients/cli/rotate-lost-answers.test.ts test/clients/cli/rotate-limits.test.ts`),
    env: { ROTATION_KILLS: '18' },
    full: { ROTATION_KILLS: '200' },
  },
  { name: 'names-only', files: ['test/attacks/names-only.test.ts'] },
  { name: 'python', files: ['test/clients/python/cases.test.ts', 'test/clients/python/package.test.ts'] },
  {
    name: 'import',
    files: words(`test/clients/cli/import.test.ts test/clients/cli/import-sources.test.ts
      test/clients/cli/import-settle.test.ts`),
  },
  { name: 'layers', files: ['test/functions/secrets/layers-search.test.ts'] },
  { name: 'dialects', files: ['test/lib/formats/dotenv'], env: { DIALECTS: '2000' }, full: { DIALECTS: '10000' } },
  { name: 'formats', files: ['test/clients/cli/formats'], env: { FORMATS: '4000' }, full: { FORMATS: '20000' } },
  {
    name: 'load',
    files: ['test/load', 'test/functions/projects/many-environments.test.ts'],
    env: { LOAD: '120' },
    full: { LOAD: '2000' },
  },
];

/** What `npm run check` omits, as file patterns. */
export const proofPatterns: readonly string[] = proofs
  .flatMap(({ files }) => files)
  .map(file => (file.endsWith('.ts') ? file : `${file}/**`));
