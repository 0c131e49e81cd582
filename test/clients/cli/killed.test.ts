import { expect, it } from 'vitest';
import { shared } from '#test/support/fixtures.ts';
import { buildCli } from './cli.ts';
import { startKillableService } from './killable-service.ts';

/* The service is killed in the middle of `push`. `npm run proof -- kills --full` uses 40 moments. */
const moments = Number(process.env.KILLS ?? 1);
/** What happens once a change is sent to the service, and whether its response is lost. */
let onChange: () => void = () => undefined;
let losesAnswer = false;
const cli = shared(buildCli);
const service = shared(async () => {
  const started = await startKillableService();
  started.onRequest = request => {
    if (!request.path.endsWith('/changes') || request.query.has('dryRun')) return undefined;
    onChange();
    return losesAnswer ? 'lose-answer' : undefined;
  };
  return started;
});

const valuesOf = (from: number, to: number, value: string) =>
  Object.fromEntries(Array.from({ length: to - from }, (_, index) => [`K${String(from + index)}`, value]));
const now = async () => {
  const snapshot = await service.environment.pull();
  return { values: { ...snapshot.toObject() }, revision: snapshot.revision };
};
const old = valuesOf(100, 220, 'old');

/** The push creates, updates and deletes: three kinds of change in one revision. */
const push = async (file: string) => await cli.run(['push', file, '--prune', '--yes'], { env: service.variables });

it('a service that is killed in the middle of a push leaves all of it or nothing, and the next push works', async () => {
  const fileOf = (wanted: Record<string, string>) =>
    cli.file(
      '.env',
      Object.entries(wanted)
        .map(([key, value]) => `${key}=${value}\n`)
        .join(''),
    );
  const reset = async () => {
    const { values } = await now();
    const deleted = Object.keys(values).filter(key => !(key in old));
    await (await service.environment.plan({ set: old, delete: deleted })).apply();
    return (await now()).revision;
  };

  // How long an undisturbed change takes.
  const first = valuesOf(160, 300, 'first');
  await service.environment.import(old);
  let begun = 0;
  onChange = () => (begun = performance.now());
  expect(await push(fileOf(first))).toMatchObject({ code: 0 });
  const durationMs = performance.now() - begun;
  expect((await now()).values).toEqual(first);

  const seen = { made: 0, notMade: 0, unknown: 0 };
  for (let moment = 0; moment <= moments; moment += 1) {
    const wanted = valuesOf(160, 300, `new-${moment}`);
    const base = await reset();
    const file = fileOf(wanted);
    const delayMs = (durationMs * moment) / moments;
    let killed: Promise<void> | undefined;
    losesAnswer = moment === moments;
    onChange = () => {
      if (!losesAnswer) killed ??= new Promise(resolve => setTimeout(resolve, delayMs)).then(() => service.kill());
    };
    const { code, stderr } = await push(file);
    onChange = () => undefined;
    losesAnswer = false;
    await killed;
    await service.startAgain();

    const { values, revision } = await now();
    const isMade = revision === base + 1;
    expect({ moment, values, revision }).toEqual({
      moment,
      values: isMade ? wanted : old,
      revision: isMade ? base + 1 : base,
    });
    seen[isMade ? 'made' : 'notMade'] += 1;
    if (code === 0) expect(isMade).toBe(true);
    else {
      seen.unknown += 1;
      expect({ moment, code, stderr }).toMatchObject({
        code: 8,
        stderr: expect.stringMatching(
          /The change may have been applied, in full or not at all\.\nIt is safe to run the command again\. The previous revision was \d+\.\n$/,
        ),
      });
    }

    expect(await push(file)).toMatchObject({ code: 0 });
    expect(await now()).toEqual({ values: wanted, revision: base + 1 });
  }
  process.stderr.write(
    `killed ${moments + 1} times: made ${seen.made}, not made ${seen.notMade}, reported as not known ${seen.unknown}\n`,
  );
  expect(seen.made).toBeGreaterThan(0);
  expect(seen.notMade).toBeGreaterThan(0);
  expect(seen.unknown).toBeGreaterThan(0);
}, 600_000);
