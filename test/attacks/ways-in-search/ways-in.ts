import { expectStatus } from '#test/support/sample-requests.ts';
import { ageSession } from '#test/support/second-factors.ts';
import { randomFrom } from '#test/support/seed.ts';
import { openBrowser } from '#test/support/sign-in/browser.ts';
import { tryDoors } from './oracle.ts';
import { accept, logIn, personMoves, recover, register } from './person-moves.ts';
import { thiefMoves } from './thief-moves.ts';
import { hold, newTrial, pick, type Stolen, stolenThings, type Trial, type World } from './world.ts';

type Move = keyof typeof personMoves | keyof typeof thiefMoves;

type Act = (trial: Trial) => Promise<string>;

const moves: Record<Move, Act> = { ...personMoves, ...thiefMoves };
export const moveNames = Object.keys(moves) as Move[];

const personMoveNames = Object.keys(personMoves) as Move[];
const entrances = {
  provider: ['the thief signs in as the person', 'the thief signs in with the person’s address'],
  password: ['the thief logs in'],
  app: ['the thief logs in', 'the thief presents a passkey'],
} as const satisfies Partial<Record<Stolen, readonly Move[]>>;
const withProvider: readonly Move[] = [...entrances.provider, 'the thief steps up at the provider'];
const furtherMoves = (Object.keys(thiefMoves) as Move[]).filter(name => !withProvider.includes(name));

/** What the thief can do with the stolen thing; getting in comes first. */
function thiefMove({ random, stolen, thief }: Trial): Move {
  const ways = stolen in entrances ? entrances[stolen as keyof typeof entrances] : [];
  if (ways.length > 0 && (thief.held.length === 0 || random() < 0.2)) return pick(random, ways);
  return pick(random, stolen === 'provider' ? [...furtherMoves, ...withProvider] : furtherMoves);
}

/** The provider and the password, with which a thief can do most, are stolen most often. */
const thefts: readonly Stolen[] = [...stolenThings, 'provider', 'provider', 'password', 'password'];

/** One sequence of moves, and at the end a recovery, after which the thief has nothing. */
export async function runSequence(world: World, seed: number) {
  const random = randomFrom(seed);
  const stolen = pick(random, thefts);
  const trial = newTrial(world, random, stolen);
  const succeeded = new Set<string>();
  const take = async (name: string, act: Act) => {
    const ended = await act(trial);
    if (ended === 'ok') succeeded.add(name);
    trial.steps.push(`${name}: ${ended}`);
    // What a refused move changed nevertheless shows after the next one.
    if (ended === 'ok' || name.startsWith('at last')) await tryDoors(trial);
    for (const violation of trial.violations) trial.steps.push(`  VIOLATION: ${violation}`);
  };
  try {
    await begin(trial);
    const count = 7 + Math.floor(random() * 7);
    for (let step = 0; step < count && trial.violations.length === 0; step += 1) {
      const name = random() < 0.5 ? thiefMove(trial) : pick(random, personMoveNames);
      await take(name, moves[name]);
    }
    if (trial.violations.length === 0) await end(trial, take);
  } catch (error) {
    trial.violations.push(`stopped by ${error instanceof Error ? error.message : error}`);
  }
  const { company, other, violations, opened, steps } = trial;
  const rulesOf = ({ required, trustFactor, requireSecondFactor }: typeof company) =>
    JSON.stringify({ required, trustFactor, requireSecondFactor });
  const story = [
    `WAYS_IN_SEED=${seed}: the thief has the ${stolen}`,
    `company ${rulesOf(company)}, other company ${rulesOf(other)}`,
    ...steps,
    ...violations,
  ].join('\n');
  return { violations, opened, succeeded, story };
}

async function begin(trial: Trial): Promise<void> {
  const { stolen, random } = trial;
  if (stolen === 'provider' && random() < 0.4) return;
  await register(trial, stolen !== 'password' || random() < 0.8);
  if (stolen === 'token of the company' || random() < 0.5) await accept(trial, trial.company);
  if (random() < 0.3) await accept(trial, trial.other);
  if (stolen === 'app' || (stolen !== 'provider' && random() < 0.3)) await personMoves['the person adds an app'](trial);
  if (stolen === 'provider' && random() < 0.6) await personMoves['the person signs in at work'](trial);
  await steal(trial);
}

async function steal(trial: Trial): Promise<void> {
  const { api, stolen, thief } = trial;
  if (stolen === 'password') thief.password = trial.password;
  if (stolen === 'provider' || stolen === 'password' || stolen === 'app') return;
  const session = (await logIn(trial)) as { cookie: string };
  const facts = { name: stolen, via: 'own credential', hasFactor: trial.app !== undefined } as const;
  if (stolen === 'stale session') {
    await ageSession({ session, user: { id: trial.userId as string } } as Parameters<typeof ageSession>[0], 3600);
    hold(trial, session, { ...facts, isStale: true });
    // The person continues in another one.
    trial.browser = openBrowser();
    return;
  }
  const isOfCompany = stolen === 'token of the company';
  const body = { name: 'cli', access: 'full', ...(isOfCompany ? { organizationId: trial.company.id } : {}) };
  const { token } = (await expectStatus(api.post('/auth/token', body, session), 201)).body;
  hold(trial, { token }, { ...facts, isOfCompany });
}

async function end(trial: Trial, take: (name: string, act: Act) => Promise<void>): Promise<void> {
  if (trial.userId === undefined) await take('at last, the person registers', one => register(one));
  await take('at last, the person recovers the account', recover);
  const entering = ['the thief logs in', ...entrances.provider] as const;
  for (const name of entering) {
    await take(`at last, ${name}`, async one => {
      const ended = await thiefMoves[name](one);
      if (ended === 'ok') one.violations.push('got in after the recovery');
      return ended;
    });
  }
}
