import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { proposals } from '#clients/sdk/src/index.ts';
import { eventually } from '#test/support/eventually.ts';
import { shared } from '#test/support/fixtures.ts';
import { isRunning } from '#test/support/is-running.ts';
import { hasPostgres, startPostgres } from '#test/support/postgres.ts';
import { buildCli } from './cli.ts';
import { startKillableService } from './killable-service.ts';

/*
 * `kill -9` of a rotation, at moments spread over it: of the command, of one of its scripts, and of the service. What
 * PostgreSQL accepts must always be in Holdfast. `npm run proof -- rotations --full` uses 200 moments.
 */
const moments = Number(process.env.ROTATION_KILLS ?? 6);

/** Of one script. */
const longestScriptMs = 150;

const victims = ['command', 'script', 'service'] as const;
const scriptNames = ['run', 'check', 'after'] as const;
type Victim = (typeof victims)[number];

const cli = shared(buildCli);
const service = shared(startKillableService);

/** One user, or two in turn. */
interface Users {
  keys: readonly string[];
  login: (values: Readonly<Record<string, string>>) => [user: string, password: string];
  /** For --stdin. */
  next: (values: Readonly<Record<string, string>>, round: string) => Record<string, string>;
  change: string;
}

const alter = (role: string, key: string) => `<<'SQL'
\\set new \`printf %s "$HOLDFAST_NEW_${key}"\`
${role}
SQL`;

const oneUser: Users = {
  keys: ['PASSWORD'],
  login: ({ PASSWORD = '' }) => ['shop', PASSWORD],
  next: (_, round) => ({ PASSWORD: `one-${round}` }),
  change: `for password in "$HOLDFAST_OLD_PASSWORD" "$HOLDFAST_NEW_PASSWORD"; do
  PGUSER=shop PGPASSWORD=$password psql -Xqw -v ON_ERROR_STOP=1 ${alter("ALTER ROLE CURRENT_USER PASSWORD :'new';", 'PASSWORD').replace('\n', ' && exit 0\n')}
done
exit 1`,
};
const twoUsers: Users = {
  keys: ['USER_IN_TURN', 'PASSWORD_IN_TURN'],
  login: ({ USER_IN_TURN = '', PASSWORD_IN_TURN = '' }) => [USER_IN_TURN, PASSWORD_IN_TURN],
  next: ({ USER_IN_TURN }, round) => ({
    USER_IN_TURN: USER_IN_TURN === 'shop_a' ? 'shop_b' : 'shop_a',
    PASSWORD_IN_TURN: `two-${round}`,
  }),
  change: `PGUSER=admin PGPASSWORD=admin exec psql -Xqw -v ON_ERROR_STOP=1 -v user="$HOLDFAST_NEW_USER_IN_TURN" \
${alter(`ALTER ROLE :"user" PASSWORD :'new';`, 'PASSWORD_IN_TURN')}`,
};

/** The scripts, each of which first writes its process id and that it has begun. */
function scriptsOf(users: Users): string[] {
  const [user, password] = users.login(Object.fromEntries(users.keys.map(key => [key, `$HOLDFAST_NEW_${key}`])));
  const texts = {
    run: users.change,
    check: `PGUSER="${user}" PGPASSWORD="${password}" exec psql -Xqw -c SELECT`,
    after: 'PGUSER=admin PGPASSWORD=admin exec psql -Xqw -c "SELECT pg_sleep(0.1)"',
  };
  return scriptNames.flatMap(name => {
    const script = `#!/bin/sh\necho ${name} $$ >>begun\n${texts[name]}\n`;
    return [`--${name}`, cli.file(`${name}-${users.keys[0]}.sh`, script, 0o755)];
  });
}

/** The processes that have inherited a variable. */
const processesWith = (variable: string) =>
  readdirSync('/proc').filter(pid => {
    if (!/^\d+$/.test(pid) || !isRunning(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(variable);
    } catch {
      return false;
    }
  });

it('leaves what PostgreSQL accepts in Holdfast, whatever is killed and when', async ({ skip }) => {
  if (!(await hasPostgres())) skip('PostgreSQL is not installed');
  const postgres = await startPostgres();
  try {
    await kill(postgres);
  } finally {
    await postgres.stop();
  }
}, 7_200_000);

async function kill(postgres: Awaited<ReturnType<typeof startPostgres>>): Promise<void> {
  const { environment, client, variables } = service;
  const own = proposals(client, environment);
  for (const role of ['shop', 'shop_a', 'shop_b']) await postgres.sql(`CREATE ROLE ${role} LOGIN PASSWORD 'first'`);
  await environment.import({ PASSWORD: 'first', USER_IN_TURN: 'shop_a', PASSWORD_IN_TURN: 'first' });

  const valuesNow = async () => (await environment.pull()).toObject() as Record<string, string>;
  const start = async (users: Users, round: string) => {
    cli.file('begun', '');
    const next = users.next(await valuesNow(), round);
    const input = users.keys.map(key => `${key}=${next[key]}\n`).join('');
    const env = { ...variables, ...postgres.variables, ROUND: round };
    const words = ['rotate', ...users.keys, '--stdin', ...scriptsOf(users)];
    return cli.start(words, { env, input: users.keys.length === 1 ? (next[users.keys[0] as string] ?? '') : input });
  };
  const begun = () => readFileSync(join(cli.home, 'begun'), 'utf8').trim().split('\n').filter(Boolean);
  const pidOf = (name: string) =>
    begun()
      .find(line => line.startsWith(`${name} `))
      ?.split(' ')[1];

  /** How long a rotation takes that nothing disturbs; the first one of a kind is slower. */
  const durations = new Map<Users, number>();
  for (const [index, users] of [oneUser, twoUsers, oneUser, twoUsers].entries()) {
    const began = performance.now();
    expect(await (await start(users, `undisturbed-${index}`)).ended).toMatchObject({ code: 0 });
    durations.set(users, performance.now() - began);
  }

  let missedInARow = 0;
  const seen = { command: 0, script: 0, service: 0, missed: 0, resumed: 0, abandoned: 0, onlyProposed: 0, notOpen: 0 };
  for (let moment = 0; moment < moments; ) {
    const victim = victims[moment % victims.length] as Victim;
    const turn = Math.floor(moment / victims.length);
    const users = turn % 2 === 0 ? oneUser : twoUsers;
    // Earlier if it was over before the last attempt.
    const part = ((turn + 0.5) / Math.ceil(moments / victims.length)) * 0.8 ** missedInARow;
    const durationMs = durations.get(users) ?? 0;
    const round = `${moment}-${missedInARow}`;
    const started = await start(users, round);
    const isOver = started.ended.then(() => true);
    const pause = (ms: number) => Promise.race([isOver, new Promise(resolve => setTimeout(resolve, ms))]);
    let isKilled = false;
    if (victim === 'script') {
      const name = scriptNames[turn % scriptNames.length] as string;
      // It is not known when a script begins, only that it does.
      while (pidOf(name) === undefined && (await pause(5)) !== true);
      await pause(longestScriptMs * part);
      const pid = pidOf(name);
      isKilled = pid !== undefined && isRunning(pid);
      if (isKilled) process.kill(Number(pid), 'SIGKILL');
    } else {
      isKilled = (await pause(durationMs * part)) !== true;
      if (isKilled && victim === 'command') started.child.kill('SIGKILL');
    }
    if (victim === 'service') await service.kill();
    const ending = await started.ended;
    if (victim === 'service') await service.startAgain();
    // A script may outlive the command, and its client of the database may outlive the script.
    await eventually(() => expect(processesWith(`ROUND=${round}`)).toEqual([]));

    await eventually(() => expect(service.pending()).toBe(0));
    // First what is proposed: what is applied in between is then found in both places, and not in neither.
    const { proposals: open } = await own.list({ state: 'open' });
    expect(open.length, 'open rotations').toBeLessThanOrEqual(1);
    const id = open[0]?.id;
    const proposed = id === undefined ? [] : ((await own.get(id, { values: true })).values ?? []);
    const now = await valuesNow();
    const after = { ...now, ...Object.fromEntries(proposed.map(one => [one.key, one.after ?? ''])) };
    const acceptsCurrent = await postgres.accepts(...users.login(now));
    const acceptsProposed = id !== undefined && (await postgres.accepts(...users.login(after)));
    const state = { round, victim, ending, acceptsCurrent, acceptsProposed };
    expect(state).toEqual({ ...state, ...(acceptsProposed ? {} : { acceptsCurrent: true }) });
    if (users === twoUsers) expect(state).toMatchObject({ acceptsCurrent: true });
    if (ending.code === 0) expect(state).toMatchObject({ acceptsCurrent: true, acceptsProposed: false });

    const isAbandoned = id !== undefined && acceptsCurrent && turn % 3 !== 0;
    const env = { ...variables, ...postgres.variables };
    const end = isAbandoned ? ['--abandon'] : ['--resume', ...scriptsOf(users)];
    const ended = await cli.run(['rotate', ...end, '--yes'], { env });
    // Without an open rotation, there may be one whose last script has not ended.
    expect({ ...state, ended }).toMatchObject({ ended: { code: id === undefined && ended.code === 5 ? 5 : 0 } });
    if (id !== undefined) seen[isAbandoned ? 'abandoned' : 'resumed'] += 1;
    else seen.notOpen += 1;
    if (acceptsProposed && !acceptsCurrent) seen.onlyProposed += 1;
    const last = await valuesNow();
    expect({ ...state, last: await postgres.accepts(...users.login(last)) }).toMatchObject({ last: true });
    if (!isAbandoned && id !== undefined) expect(last).toEqual(after);
    if (isAbandoned) expect(last).toEqual(now);
    expect((await own.list({ state: 'open' })).proposals).toEqual([]);
    seen[isKilled ? victim : 'missed'] += 1;
    missedInARow = isKilled ? 0 : missedInARow + 1;
    if (isKilled) moment += 1;
  }
  const { command, script, service: ofService, missed, resumed, abandoned, onlyProposed, notOpen } = seen;
  process.stderr.write(
    `killed rotations: the command ${command}, a script ${script} and the service ${ofService} times, ${missed} were ` +
      `over before; resumed ${resumed}, abandoned ${abandoned}, not open ${notOpen}; only the rotation had what was ` +
      `accepted ${onlyProposed} times\n`,
  );
  expect(command + script + ofService).toBe(moments);
  if (moments >= 60) expect(Math.min(resumed, abandoned, onlyProposed, notOpen)).toBeGreaterThan(0);
}
