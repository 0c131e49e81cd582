/** A search for what breaks a promise that takes minutes. Its tests run in every check too, at a smaller size. */
export interface Proof {
  name: string;
  files: readonly string[];
  /** The size that a machine with two cores finishes within minutes. By hand there is a larger one: see package.json. */
  env: Readonly<Record<string, string>>;
}

/** Longest first, so that the two that run side by side end at about the same time. */
export const proofs: readonly Proof[] = [
  { name: 'faults', files: ['test/faults/faults.test.ts'], env: { FAULTS: 'most' } },
  { name: 'fuzz', files: ['test/fuzz'], env: { FUZZ: '60' } },
  { name: 'search-protocol', files: ['test/model/search.test.ts'], env: { SEARCH: 'all' } },
  { name: 'churn', files: ['test/consistency/natural.test.ts'], env: { ROUNDS: '20' } },
  { name: 'time-machine', files: ['test/functions/secrets/time-machine.test.ts'], env: { REVISIONS: '60' } },
  { name: 'histories', files: ['test/functions/secrets/model.test.ts'], env: { MODEL_RUNS: '100' } },
  { name: 'dry-runs', files: ['test/functions/secrets/dry-run.test.ts'], env: { DRY_RUNS: '200' } },
  { name: 'deleted-keys', files: ['test/functions/secrets/deleted-keys.test.ts'], env: { DELETED_KEYS: '3000' } },
  { name: 'kills', files: ['test/clients/cli/killed.test.ts'], env: { KILLS: '8' } },
  { name: 'formats', files: ['test/clients/cli/formats'], env: { FORMATS: '4000' } },
  { name: 'load', files: ['test/load'], env: { LOAD: '20' } },
];
