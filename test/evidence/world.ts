import { randomUUID } from 'node:crypto';
import type { Way } from '#lib/exposure/sights.ts';
import type { Api, Caller } from '../support/api.ts';
import { createWhenFree } from '../support/create-when-free.ts';
import type { Workplace } from '../support/environments.ts';
import { expectStatus } from '../support/sample-requests.ts';
import { words } from '../support/words.ts';

/** A key's version and value. `origin` is the same for a version and those that restore it. */
interface Cell {
  version: number;
  value: string;
  origin: string;
}

type Secrets = ReadonlyMap<string, Cell>;

/** What an environment has held at each revision, written down beside the service. */
export class Environment {
  readonly #states = new Map<number, Secrets>();
  readonly #newest = new Map<string, number>();
  readonly slug: string;
  readonly id: string;
  type: string;
  revision: number;
  isGone = false;

  constructor({ slug, id, type, revision }: Pick<Environment, 'slug' | 'id' | 'type' | 'revision'>) {
    this.slug = slug;
    this.id = id;
    this.type = type;
    this.revision = revision;
    this.#states.set(revision, new Map());
  }

  at(revision = this.revision): Secrets {
    return this.#states.get(revision) ?? new Map();
  }

  revisions(): number[] {
    return [...this.#states.keys()];
  }

  versions(key: string): Cell[] {
    const seen = new Map<number, Cell>();
    for (const state of this.#states.values()) {
      const cell = state.get(key);
      if (cell !== undefined) seen.set(cell.version, cell);
    }
    return [...seen.values()];
  }

  /** One change: values to set, null to delete; `restored` is the revision that they come from. */
  change(changes: ReadonlyMap<string, string | null>, restored?: number): void {
    if (changes.size === 0) return;
    const after = new Map(this.at());
    for (const [key, value] of changes) {
      const version = (this.#newest.get(key) ?? 0) + 1;
      this.#newest.set(key, version);
      if (value === null) after.delete(key);
      else {
        const origin = restored === undefined ? `${this.id} ${key} ${version}` : this.at(restored).get(key)?.origin;
        after.set(key, { version, value, origin: origin ?? '' });
      }
    }
    this.revision += 1;
    this.#states.set(this.revision, after);
  }
}

export interface Credential {
  name: string;
  caller: Caller;
  actorId: string;
  question: string;
  /** Developers write to production without reading it. */
  isDeveloper: boolean;
  seen: Seen[];
}

export function mayRead({ isDeveloper }: Pick<Credential, 'isDeveloper'>, { type }: Environment): boolean {
  return !isDeveloper || type !== 'production';
}

export interface Seen extends Cell {
  environment: Environment;
  key: string;
  how: Way;
}

const keys = ['API_KEY', 'API_URL', 'DATABASE_URL', 'LOG_LEVEL', 'SMTP_PASSWORD', 'TOKEN'];
/** The template has a pattern for these. */
const patterned = ['API_KEY', 'TOKEN'];

type ShownVersion = Pick<Seen, 'key' | 'version' | 'value'>;
type Operation = (as: Credential, environment: Environment) => Promise<number>;

const weights: Readonly<Record<number, string>> = {
  1: 'deleteMany rename rotate retype',
  2: 'importDotenv pullSearched notModified names validate destroy recreate',
  3: 'dryRun delete',
  4: 'import pullFormatted pullPage',
  5: 'change pullKeys pullPast history diff compare promote',
  6: 'restore',
  12: 'set',
  14: 'pull',
};
const weighted = Object.entries(weights).flatMap(([weight, names]) =>
  words(names).flatMap(name => Array<string>(Number(weight)).fill(name)),
);

/** Random operations on the real service, with an oracle that remembers what each credential got. */
export class World {
  readonly environments: Environment[] = [];
  #written = 0;

  readonly api: Api;
  readonly place: Workplace;
  readonly credentials: readonly Credential[];
  readonly random: () => number;

  constructor(api: Api, place: Workplace, credentials: readonly Credential[], random: () => number) {
    this.api = api;
    this.place = place;
    this.credentials = credentials;
    this.random = random;
  }

  async step(): Promise<string> {
    const name = this.#pick(weighted);
    const run = this.#operations[name];
    if (run === undefined) throw new Error(`There is no operation ${name}.`);
    return `${name} ${await run(this.#pick(this.credentials), this.#pick(this.live()))}`;
  }

  live(): Environment[] {
    return this.environments.filter(({ isGone }) => !isGone);
  }

  readonly #operations: Record<string, Operation> = {
    set: async (as, environment) => {
      const key = this.#pick(keys);
      const value = this.#valueFor(environment, key, 0.2);
      return this.#send('PUT', this.#path(environment), as, { key, value }, ({ changed }) => {
        if (changed) environment.change(new Map([[key, value]]));
        this.#saw(as, environment, [key], changed ? 'written' : 'compared');
      });
    },
    import: (as, environment) => this.#import(as, environment, {}),
    importDotenv: (as, environment) => this.#import(as, environment, { isDotenv: true }),
    dryRun: (as, environment) => this.#import(as, environment, { dryRun: true }),
    delete: async (as, environment) => {
      const key = this.#pick(keys);
      const path = this.#path(environment, `/${key}`);
      return this.#send('DELETE', path, as, undefined, () => environment.change(new Map([[key, null]])));
    },
    deleteMany: async (as, environment) => {
      const body = { keys: this.#some(keys, 2) };
      return this.#send('POST', this.#path(environment, '/bulk-delete'), as, body, ({ deleted }) => {
        environment.change(new Map(deleted.map((key: string) => [key, null] as const)));
      });
    },
    change: async (as, environment) => {
      const [added = '', kept = '', removed = ''] = this.#some(keys, 3);
      const set = [
        { key: added, value: this.#newValue() },
        { key: kept, value: this.#valueFor(environment, kept, 1) },
      ];
      const body = { set, delete: environment.at().has(removed) ? [removed] : [] };
      return this.#send('POST', this.#path(environment, '/changes'), as, body, () =>
        this.#wrote(as, environment, set, body.delete),
      );
    },
    pull: (as, environment) => this.#pull(as, environment, ''),
    pullFormatted: (as, environment) => this.#pull(as, environment, '?format=json'),
    pullKeys: (as, environment) => this.#pull(as, environment, `?keys=${this.#some(keys, 2).join(',')}`),
    pullPage: (as, environment) => this.#pull(as, environment, '?search=API&limit=1&offset=0'),
    pullSearched: (as, environment) => this.#pull(as, environment, '?search=API'),
    pullPast: (as, environment) => this.#pull(as, environment, `?revision=${this.#pick(environment.revisions())}`),
    notModified: async (as, environment) => {
      const path = this.#path(environment);
      const first = await this.api.get(path, as.caller);
      if (first.status !== 200) return first.status;
      this.#saw(as, environment, [...environment.at().keys()], 'pulled');
      const again = await this.api.get(path, as.caller, { 'if-none-match': first.headers.get('etag') ?? '' });
      return again.status;
    },
    names: (as, environment) => this.#send('GET', this.#path(environment, '/keys'), as),
    history: async (as, environment) => {
      const key = this.#pick(keys);
      const query = this.random() < 0.5 ? '?values=true' : '?values=true&limit=2&offset=1';
      const path = this.#path(environment, `/versions/${key}${query}`);
      return this.#send('GET', path, as, undefined, ({ versions }) => {
        for (const { version, value } of versions) {
          const cell = environment.versions(key).find(one => one.version === version);
          if (value !== undefined) this.#sawCell(as, environment, { key, version, value }, cell, 'history');
        }
      });
    },
    diff: async (as, environment) => {
      const [from, to] = [this.#pick(environment.revisions()), this.#pick(environment.revisions())];
      const path = this.#path(environment, `/diff?from=${from}&to=${to}&values=true`);
      return this.#send('GET', path, as, undefined, ({ created, updated, deleted }) => {
        this.#saw(as, environment, namesOf([...updated, ...deleted]), 'history', from);
        this.#saw(as, environment, namesOf([...created, ...updated]), 'history', to);
      });
    },
    compare: async (as, environment) => {
      const other = this.#other(environment);
      const values = this.random() < 0.5;
      const path = this.#path(environment, `/compare?with=${other.slug}&values=${values}`);
      return this.#send('GET', path, as, undefined, () => {
        for (const side of [environment, other]) {
          const opposite = side === other ? environment : other;
          // Without values, an answer says nothing about a key that only one side has.
          const shown = [...side.at().keys()].filter(key => values || opposite.at().has(key));
          this.#saw(as, side, shown, 'compared');
        }
      });
    },
    validate: async (as, environment) => {
      const { owner, project } = this.place;
      const path = `/templates/${owner.organization.slug}/${project.slug}/validate/${environment.slug}`;
      return this.#send('GET', path, as, undefined, () => this.#saw(as, environment, patterned, 'validated'));
    },
    promote: async (as, environment) => {
      const target = this.#other(environment);
      const { owner, project } = this.place;
      const named = this.random() < 0.3 ? { keys: this.#some([...environment.at().keys(), 'API_KEY'], 1) } : {};
      const body = { from: environment.slug, to: target.slug, overwrite: this.random() < 0.7, ...named };
      const path = `/secrets/${owner.organization.slug}/${project.slug}/promote?dryRun=${this.random() < 0.3}`;
      return this.#send('POST', path, as, body, ({ plan, promoted = [], unchanged }) => {
        const values = promoted.map((key: string) => [key, environment.at().get(key)?.value ?? ''] as const);
        target.change(new Map(values));
        this.#saw(as, target, plan?.unchanged ?? unchanged, 'compared');
      });
    },
    restore: async (as, environment) => {
      const revision = this.#pick(environment.revisions());
      const body = { revision, ...(this.random() < 0.3 ? { keys: this.#some(keys, 2) } : {}) };
      const path = this.#path(environment, `/restore?dryRun=${this.random() < 0.2}`);
      return this.#send('POST', path, as, body, ({ plan, created = [], updated = [], deleted = [], unchanged }) => {
        const past = environment.at(revision);
        const set = [...created, ...updated].map((key: string) => [key, past.get(key)?.value ?? ''] as const);
        const gone = deleted.map((key: string) => [key, null] as const);
        environment.change(new Map([...set, ...gone]), revision);
        this.#saw(as, environment, plan?.unchanged ?? unchanged, 'compared');
      });
    },
    destroy: (as, environment) => {
      const path = this.#path(environment, `/versions/${this.#pick(keys)}/destroy`);
      return this.#send('POST', path, as, { versions: [1] });
    },
    rename: as => this.#send('PATCH', '/auth/me', as, { name: `Name ${this.#written}` }),
    rotate: async () => (await this.place.rotateKey()).status,
    retype: async (_, { slug }) => {
      const { owner, projectPath } = this.place;
      const environment = this.live().find(one => one.slug === 'staging');
      if (environment === undefined || slug === 'staging') return 404;
      const type = environment.type === 'staging' ? 'development' : 'staging';
      await expectStatus(this.api.patch(`${projectPath}/environments/staging`, { type }, owner.session), 200);
      environment.type = type;
      return 200;
    },
    recreate: async () => {
      const { owner, projectPath } = this.place;
      await expectStatus(this.api.delete(`${projectPath}/environments/qa`, owner.session), 200);
      for (const environment of this.environments) environment.isGone ||= environment.slug === 'qa';
      await this.addEnvironment();
      return 201;
    },
  };

  /** The environment `qa`, as soon as an earlier one is erased. */
  async addEnvironment(): Promise<void> {
    const { owner, projectPath } = this.place;
    const body = { name: 'QA', slug: 'qa', type: 'development' };
    const { environment } = await createWhenFree(this.api, `${projectPath}/environments`, body, owner.session);
    this.environments.push(new Environment(environment));
  }

  async #pull(as: Credential, environment: Environment, query: string): Promise<number> {
    return this.#send('GET', this.#path(environment, query), as, undefined, body => {
      const state = environment.at(Number(new URLSearchParams(query).get('revision') ?? environment.revision));
      const formatted = () =>
        Object.entries<string>(body).map(([key, value]) => ({ key, version: state.get(key)?.version ?? 0, value }));
      const shown: ShownVersion[] = query.startsWith('?format=') ? formatted() : body.secrets;
      for (const one of shown) this.#sawCell(as, environment, one, state.get(one.key), 'pulled');
    });
  }

  async #import(
    as: Credential,
    environment: Environment,
    { isDotenv = false, dryRun = false }: { isDotenv?: boolean; dryRun?: boolean },
  ): Promise<number> {
    const secrets = this.#some(keys, 3).map(key => ({ key, value: this.#valueFor(environment, key, 0.4) }));
    const dotenv = secrets.map(({ key, value }) => `${key}="${value}"\n`).join('');
    const path = this.#path(environment, `/bulk?dryRun=${dryRun}`);
    return this.#send('POST', path, as, isDotenv ? { dotenv } : { secrets }, () =>
      this.#wrote(as, environment, secrets, [], dryRun),
    );
  }

  /** The caller gets to know which values are unchanged if they may read the environment. */
  #wrote(
    as: Credential,
    environment: Environment,
    set: readonly { key: string; value: string }[],
    deleted: readonly string[],
    dryRun = false,
  ): void {
    const state = environment.at();
    const [same = [], written = []] = [true, false].map(isSame =>
      set.filter(({ key, value }) => isSame === (mayRead(as, environment) && state.get(key)?.value === value)),
    );
    if (!dryRun) {
      const changes = [
        ...written.map(({ key, value }) => [key, value] as const),
        ...deleted.map(key => [key, null] as const),
      ];
      environment.change(new Map<string, string | null>(changes));
      this.#saw(as, environment, namesOf(written), 'written');
    }
    this.#saw(as, environment, namesOf(same), 'compared');
  }

  #saw(as: Credential, environment: Environment, some: readonly string[], how: Way, revision?: number): void {
    for (const key of some) {
      const cell = environment.at(revision).get(key);
      if (cell !== undefined) as.seen.push({ environment, key, ...cell, how });
    }
  }

  /** The oracle is only worth something if it agrees with what the service delivers. */
  #sawCell(as: Credential, environment: Environment, shown: ShownVersion, cell: Cell | undefined, how: Way): void {
    const { key, version, value } = shown;
    if (cell === undefined || cell.version !== version || cell.value !== value)
      throw new Error(`Version ${version} of ${key} is not as it was written: ${cell?.version}`);
    as.seen.push({ environment, key, ...cell, how });
  }

  /** @param learn what follows from the body of a successful response. @returns the status */
  async #send(
    method: string,
    path: string,
    { caller }: Credential,
    body?: object,
    // biome-ignore lint/suspicious/noExplicitAny: the response of any operation
    learn: (body: any) => void = () => {},
  ): Promise<number> {
    const answer = await this.api.call(method, path, body === undefined ? { as: caller } : { as: caller, body });
    if (answer.status < 300) learn(answer.body);
    return answer.status;
  }

  #path({ slug }: Environment, rest = ''): string {
    return this.place.at(slug, rest);
  }

  #other(environment: Environment): Environment {
    return this.#pick(this.live().filter(one => one !== environment));
  }

  /** The key's current value as often as the chance says, if it has one, or else a new one. */
  #valueFor(environment: Environment, key: string, chance: number): string {
    const value = environment.at().get(key)?.value;
    return value !== undefined && this.random() < chance ? value : this.#newValue();
  }

  #newValue(): string {
    this.#written += 1;
    return `value ${this.#written} ${randomUUID()}`;
  }

  #pick<T>(some: readonly T[]): T {
    return some[Math.floor(this.random() * some.length)] as T;
  }

  #some<T>(all: readonly T[], count: number): T[] {
    return all
      .map(one => [this.random(), one] as const)
      .toSorted(([a], [b]) => a - b)
      .slice(0, count)
      .map(([, one]) => one);
  }
}

const namesOf = (some: readonly { key: string }[]) => some.map(({ key }) => key);
