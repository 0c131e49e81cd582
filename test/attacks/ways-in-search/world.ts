import { randomBytes } from 'node:crypto';
import { at } from '#lib/table/read.ts';
import { organizationRecord } from '#lib/table/records/organization.ts';
import { transact, update } from '#lib/table/write.ts';
import { type Answer, type Api, type Caller, codeOf } from '#test/support/api.ts';
import type { Authenticator } from '#test/support/authenticator.ts';
import type { NameServer } from '#test/support/name-server.ts';
import { type Person, seedSession } from '#test/support/people.ts';
import { expectStatus } from '#test/support/sample-requests.ts';
import { type App, addApp, logInWithApp, settleFactors } from '#test/support/second-factors.ts';
import { type Browser, openBrowser } from '#test/support/sign-in/browser.ts';
import { type HostileProvider, startHostileProvider } from '#test/support/sign-in/hostile-provider.ts';
import { openCompany, settingsOf, settingsPath } from '#test/support/sign-in/sign-in.ts';

export interface Rules {
  required: boolean;
  trustFactor: boolean;
  requireSecondFactor: boolean;
}

export interface Company extends Rules {
  id: string;
  slug: string;
  domain: string;
  owner: Person;
  provider: HostileProvider;
}

export type World = Awaited<ReturnType<typeof buildWorld>>;

export async function buildWorld(api: Api, names: NameServer) {
  const [first, second] = await Promise.all([startHostileProvider({}), startHostileProvider({})]);
  const found = (provider: HostileProvider, rules: Partial<Rules>) =>
    foundCompany(api, names, provider, { required: false, trustFactor: false, requireSecondFactor: false, ...rules });
  /** Whose people the sequences are about. */
  const employers = [
    await found(first, {}),
    await found(first, { required: true }),
    await found(first, { trustFactor: true }),
    await found(first, { required: true, trustFactor: true }),
    await found(first, { trustFactor: true, requireSecondFactor: true }),
  ];
  /** Where these people may be members as well. */
  const others = [await found(second, { required: true, requireSecondFactor: true }), await found(second, {})];
  return { api, employers, others, stop: () => Promise.all([first.stop(), second.stop()]) };
}

async function foundCompany(api: Api, names: NameServer, provider: HostileProvider, rules: Rules): Promise<Company> {
  const { required, trustFactor, requireSecondFactor } = rules;
  const { owner, domain, slug } = await openCompany(api, names, provider, { trustFactor });
  await transact([update(at(organizationRecord, slug), { set: { limitOverrides: { maxMembers: -1 } } })]);
  const app = await addApp(api, owner);
  await settleFactors(owner.user.id);
  const session = await logInWithApp(api, owner, app);
  const demands = settingsOf(provider, domain, { trustFactor, required });
  await expectStatus(api.put(settingsPath(owner), demands, session), 200);
  await expectStatus(api.patch(`/orgs/${owner.organization.id}`, { requireSecondFactor }, session), 200);
  return { ...rules, id: owner.organization.id, slug, domain, owner: { ...owner, session }, provider };
}

/** A session of the owner that may do everything in the company. */
export const ownerOf = ({ owner, id }: Company) => seedSession(owner, [id]);

const ofCompany = 'token of the company';
export const stolenThings = ['provider', 'password', 'stale session', 'full token', ofCompany, 'app'] as const;
export type Stolen = (typeof stolenThings)[number];

/** How often what ends credentials has happened. */
interface Eras {
  recoveries: number;
  /** All other sessions ended. */
  sessions: number;
  links: number;
  memberships: number;
}

/** A credential in the thief's hands. */
export interface Held {
  caller: NonNullable<Caller>;
  kind: 'session' | 'token';
  name: string;
  via: 'provider' | 'own credential';
  isStale: boolean;
  isOfCompany: boolean;
  hasFactor: boolean;
  eras: Eras;
}

/** One sequence: what its person and its thief have, and what happened so far. */
export function newTrial(world: World, random: () => number, stolen: Stolen) {
  const company = pick(random, world.employers);
  const subject = `p${randomBytes(6).toString('hex')}`;
  return {
    api: world.api,
    random,
    stolen,
    company,
    other: pick(random, world.others),
    email: `${subject}@${company.domain}`,
    subject,
    userId: undefined as string | undefined,
    /** The personal organization; an account that the provider made has none. */
    ownId: undefined as string | undefined,
    password: undefined as string | undefined,
    /** What its person believes it is. */
    remembered: '',
    isVerified: false,
    isAdmin: false,
    app: undefined as App | undefined,
    browser: openBrowser(),
    /** A sign-in with the provider waits for a log-in in the person's browser. */
    isLinkPending: false,
    isLinked: false,
    isMember: false,
    isGone: false,
    isOtherMember: false,
    eras: { recoveries: 0, sessions: 0, links: 0, memberships: 0 } as Eras,
    thief: {
      password: undefined as string | undefined,
      app: undefined as App | undefined,
      passkey: undefined as Authenticator | undefined,
      browser: undefined as Browser | undefined,
      held: [] as Held[],
      /** The tokens of the mails about factors that the thief added. */
      undoTokens: [] as string[],
    },
    steps: [] as string[],
    violations: [] as string[],
    /** Credentials of the thief that opened something, by what was stolen and what opened. */
    opened: new Set<string>(),
  };
}
export type Trial = ReturnType<typeof newTrial>;

export const pick = <T>(random: () => number, all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;

export function hold(
  { thief, eras }: Trial,
  caller: NonNullable<Caller>,
  facts: Pick<Held, 'name' | 'via'> & Partial<Pick<Held, 'isStale' | 'isOfCompany' | 'hasFactor'>>,
): Held {
  const kind = 'token' in caller ? 'token' : 'session';
  const ordinary = { isStale: false, isOfCompany: false, hasFactor: false };
  const held: Held = { caller, kind, ...ordinary, ...facts, eras: { ...eras } };
  thief.held = [...thief.held, held].slice(-5);
  return held;
}

export const hasFactor = ({ app, thief }: Trial) =>
  app !== undefined || thief.app !== undefined || thief.passkey !== undefined;

export const endOf = (answer: Answer): string => (answer.status < 300 ? 'ok' : codeOf(answer));
