import { describe, expect, test } from 'vitest';
import { functions, type RoutedFunctionPlan, routedFunctions, workers } from '#infra/plan/functions.ts';
import { type ServiceVersion, trafficDuring, unfencedFunctions } from '#infra/stacks/deployment-traffic.ts';
import { type Step, walkRegions } from '#infra/stacks/region-walk.ts';
import { callsOf } from '#infra/stacks/rights.ts';
import type { Resource, Templates } from '#infra/stacks/synthesize.ts';
import { exampleSettings, fullSettings, synthesize } from '#test/support/installation.ts';

const restoredTable = 'holdfast-restored';

function versionOf(settings: Record<string, unknown>, routed = routedFunctions): ServiceVersion {
  const { templates } = synthesize({ ...exampleSettings, ...settings }, { routed });
  return { templates, callsOf: callsIn([...routed, ...Object.values(workers)]) };
}

const callsIn = (plans: readonly Pick<RoutedFunctionPlan, 'name' | 'uses'>[]) => (name: string) =>
  plans.filter(plan => plan.name === name).flatMap(plan => callsOf(plan));

/** A version with the statements of one function's role changed, under the same name. */
function withRole(
  { templates, ...version }: ServiceVersion,
  role: RegExp,
  change: (resource: Resource) => void,
): ServiceVersion {
  const changed = structuredClone(templates) as Map<string, { Resources: Record<string, Resource> }>;
  for (const { Resources: resources } of changed.values()) {
    for (const [id, resource] of Object.entries(resources)) if (role.test(id)) change(resource);
  }
  return { ...version, templates: changed as Templates };
}

const plain = versionOf({});
const maintained = versionOf({ maintenance: true });
const restored = versionOf({ maintenance: true, restoredTable });
const ended = versionOf({ restoredTable });

describe('during a restore', () => {
  test.each([
    ['maintenance begins', plain, maintained],
    ['the table is exchanged', maintained, restored],
    ['maintenance goes on without the restored table', restored, maintained],
  ])('no request of either version fails, and changes are refused as announced: %s', (_, before, after) => {
    const { allowed, refusing, failures } = trafficDuring(before, after);
    expect(failures).toEqual([]);
    expect(allowed).toBeGreaterThan(500);
    expect(refusing).toBeGreaterThan(40);
  });

  test('changes begin again in one table when maintenance ends, at once and unwatched', () => {
    const { templates } = synthesize({ ...exampleSettings, restoredTable }, { rollout: 'at-once' });
    expect(trafficDuring(restored, { ...ended, templates }).failures).toEqual([]);
  });

  test('an alarm that could stop the deployment is named', () => {
    expect(trafficDuring(restored, ended).failures).toEqual([
      'An alarm can stop the deployment in the middle of the maintenance.',
    ]);
  });

  test('an exchange without maintenance is named, because changes would go to both tables', () => {
    expect(trafficDuring(plain, ended).failures).toEqual([
      expect.stringMatching(/^Changes go to several tables at once: Table\w+, holdfast-restored\.$/),
    ]);
    expect(trafficDuring(plain, restored).failures).toEqual([]);
    expect(trafficDuring(restored, plain).failures).toContainEqual(expect.stringMatching(/^An alarm can stop/));
  });

  test('a role that both versions share and that names only the restored table is named', () => {
    const secretsOf = ({ templates }: ServiceVersion) => templates.get('Secrets')?.Resources ?? {};
    const roleIn = (version: ServiceVersion) =>
      Object.entries(secretsOf(version)).find(([id]) => id.startsWith('PullSecretsRole')) as [string, Resource];
    const Resources = { ...secretsOf(restored), [roleIn(maintained)[0]]: roleIn(restored)[1] };
    const secrets = { ...restored.templates.get('Secrets'), Resources };
    const templates = new Map([...restored.templates, ['Secrets', secrets]]);
    expect(trafficDuring(maintained, { ...restored, templates }).failures).toEqual([
      expect.stringMatching(/^The old version of pull-secrets may not call dynamodb:.*GetItem/),
    ]);
  });
});

describe('during a rollback across a version that adds an endpoint and a right', () => {
  const older = versionOf(
    {},
    routedFunctions
      .filter(({ name }) => name !== 'list-webhooks')
      .map(plan =>
        plan.name === 'pull-secrets' ? { ...plan, uses: { ...plan.uses, table: { GetItem: ['ENV'] as const } } } : plan,
      ),
  );

  test('no request fails forward or back', () => {
    expect(trafficDuring(older, plain).failures).toEqual([]);
    expect(trafficDuring(plain, older).failures).toEqual([]);
  });

  test('a right that is taken from a shared role while the newer version still runs is named', () => {
    const poorer = withRole(plain, /^PullSecretsRole/, resource => {
      resource.Properties.Policies = [];
    });
    expect(trafficDuring(plain, { ...older, templates: poorer.templates }).failures).toContainEqual(
      expect.stringMatching(/^The old version of pull-secrets may not call /),
    );
  });
});

describe('during a failover', () => {
  const { domainName, certificateArn } = fullSettings;
  const [first, second] = ['eu-central-1', 'eu-west-1'];
  const settings = { domainName, certificateArn, mailIdentity: 'existing' };
  const production = { ...settings, region: first, replicaRegion: second };
  const shared = { sharedTable: 'holdfast-table', restoredKey: `arn:aws:kms:${second}:123456789012:key/mrk-0d4e8b6f` };
  const replica = { ...settings, name: 'standby', region: second, peerRegion: first, ...shared };
  /** Both installations as the runbook deploys them, and the same with their roles swapped. */
  const [serving, standby] = [versionOf(production), versionOf({ ...replica, standby: true })];
  const [returned, promoted] = [versionOf({ ...production, standby: true }), versionOf(replica)];
  const inFirst = ({ templates }: ServiceVersion) => ({ name: first, templates });
  const inSecond = ({ templates }: ServiceVersion) => ({ name: second, templates });

  test.each([
    ['the standby becomes production', standby, promoted],
    ['the first region returns as the standby', serving, returned],
    ['the roles are swapped back', returned, serving],
    ['the second region is the standby again', promoted, standby],
  ])('no request of either version fails: %s', (_, before, after) => {
    const { allowed, failures } = trafficDuring(before, after);
    expect(failures).toEqual([]);
    expect(allowed).toBeGreaterThan(1000);
  });

  test.each([
    ['before it', serving, standby],
    ['when the lost region returns as it was', serving, promoted],
    ['when both have swapped their roles', returned, promoted],
  ])('only one region serves, because all functions ask both replicas which: %s', (_, one, other) => {
    expect(unfencedFunctions(inFirst(one), inSecond(other))).toEqual([]);
  });

  const start = { [first]: serving, [second]: standby };
  const moving: Step[] = [{ move: second }, { moveDomain: second }, { deploy: second, version: promoted }];
  const failOver: Step[] = [{ lose: first }, ...moving];
  const goBack: Step[] = [
    { deploy: first, version: returned },
    { move: first },
    { moveDomain: first },
    { deploy: first, version: serving },
    { deploy: second, version: standby },
  ];
  const failuresOf = (...steps: Step[]) => walkRegions(start, steps).flatMap(({ failures }) => failures);

  test('every step of the runbook is possible, and one region serves at most', () => {
    const walked = walkRegions(start, [...failOver, { return: first }, ...goBack]);

    expect(walked.flatMap(({ failures }) => failures)).toEqual([]);
    expect(walked.map(({ serving: [region], domain }) => [region, domain])).toEqual([
      [undefined, first],
      [second, first],
      [second, second],
      [second, second],
      // The first region is back, and its replica has not received the item yet.
      [second, second],
      [second, second],
      [first, second],
      [first, first],
      [first, first],
      [first, first],
    ]);
  });

  test('a rehearsal with both regions up needs the same steps', () => {
    expect(failuresOf(...moving, ...goBack)).toEqual([]);
  });

  test('a step that is left out, or taken in the wrong order, is named', () => {
    const [lose, move] = [{ lose: first }, { move: second }];
    expect(failuresOf(lose, move, { deploy: second, version: promoted })).toEqual([
      'The domain is on the distribution in eu-central-1: CNAMEAlreadyExists.',
    ]);
    expect(failuresOf(...failOver, { return: first }, { deploy: first, version: serving })).toEqual([
      'The domain is on the distribution in eu-west-1: CNAMEAlreadyExists.',
    ]);
    expect(failuresOf({ deploy: first, version: returned })).toContain('No distribution has the domain any more.');
    expect(failuresOf(lose, { deploy: first, version: returned })).toContain(
      'eu-central-1 is lost, so nothing can be deployed there.',
    );
    const withoutDomain = versionOf({ ...replica, domainName: undefined, certificateArn: undefined });
    expect(walkRegions({ ...start, [second]: withoutDomain }, [lose, move, { moveDomain: second }]).at(-1)?.failures)
      // Nothing else is wrong with it.
      .toEqual(['The distribution in eu-west-1 has no certificate for the domain.']);
  });

  test('a function that can’t ask the other region is named', () => {
    const noRight = withRole(serving, /^SetSecretRole/, ({ Properties }) => {
      for (const { PolicyDocument: document } of Properties.Policies)
        document.Statement = document.Statement.filter(({ Sid }: { Sid: string }) => Sid !== 'ReadServingRegion');
    });
    expect(unfencedFunctions(inFirst(noRight), inSecond(promoted))).toEqual([
      "set-secret in eu-central-1 can't find out whether eu-west-1 serves.",
    ]);

    const alone = versionOf({ ...settings, region: first });
    expect(unfencedFunctions(inFirst(alone), inSecond(promoted))).toContain(
      "run-jobs in eu-central-1 can't find out whether eu-west-1 serves.",
    );
    const bothFirst = versionOf({ ...replica, restoredKey: undefined, standby: true });
    expect(unfencedFunctions(inFirst(serving), inSecond(bothFirst))).toEqual([
      'The two regions disagree about which of them serves first.',
    ]);
  });
});

test('every function is walked', () => {
  const calls = functions.flatMap(plan => callsOf(plan)).length;
  const { allowed, failures } = trafficDuring(plain, plain);
  expect(failures).toEqual([]);
  expect(allowed).toBe(2 * calls);
});
