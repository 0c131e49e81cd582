import { randomUUID } from 'node:crypto';
import type { Way } from '#lib/exposure/sights.ts';
import type { Answer, Api, Caller } from '../support/api.ts';
import { expectStatus } from '../support/sample-requests.ts';

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

  constructor({ slug, id, type, revision }: { slug: string; id: string; type: string; revision: number }) {
    this.slug = slug;
    this.id = id;
    this.type = type;
    this.revision = revision;
    this.#states.set(revision, new Map());
  }

  at(revision = this.revision): Secrets {
    return this.#states.get(revision) ?? new Map();
  }

  /** Every revision so far, oldest first. */
  revisions(): number[] {
    return [...this.#states.keys()];
  }

  /** The versions of a key with their values, oldest first, deletions left out. */
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

/** A credential with which the test sends requests, and what it came to know. */
export interface Credential {
  name: string;
  caller: Caller;
  actorId: string;
  /** The query that asks about it. */
  question: string;
  /** Developers write to production without reading it. */
  isDeveloper: boolean;
  seen: Seen[];
}

export function mayRead({ isDeveloper }: Pick<Credential, 'isDeveloper'>, { type }: Environment): boolean {
  return !isDeveloper || type !== 'production';
}

export interface Seen {
  environment: Environment;
  key: string;
  version: number;
  value: string;
  origin: string;
  how: Way;
}

const keys = ['API_KEY', 'API_URL', 'DATABASE_URL', 'LOG_LEVEL', 'SMTP_PASSWORD', 'TOKEN'];
/** The template has a pattern for these. */
const patterned = ['API_KEY', 'TOKEN'];

interface Place {
  api: Api;
  orgId: string;
  orgSlug: string;
  project: string;
  owner: Caller;
}

/** Random operations on the real service, with an oracle that remembers what each credential got. */
export class World {
  readonly environments: Environment[] = [];
  #written = 0;

  readonly place: Place;
  readonly credentials: readonly Credential[];
  readonly random: () => number;

  constructor(place: Place, credentials: readonly Credential[], random: () => number) {
    this.place = place;
    this.credentials = credentials;
    this.random = random;
  }

  /** Does one operation. @returns its name, with the status of the answer */
  async step(): Promise<string> {
    // Each operation is in the list as often as its weight says.
    const often = Object.entries(this.#operations).flatMap(one => Array.from({ length: one[1].weight }, () => one));
    const [name, { run }] = this.#pick(often);
    return `${name} ${await run(this.#pick(this.credentials), this.#pick(this.live()))}`;
  }

  live(): Environment[] {
    return this.environments.filter(({ isGone }) => !isGone);
  }

  readonly #operations: Record<
    string,
    { weight: number; run: (as: Credential, environment: Environment) => Promise<number> }
  > = {
    set: {
      weight: 12,
      run: async (as, environment) => {
        const key = this.#pick(keys);
        const known = environment.at().get(key);
        const value = known !== undefined && this.random() < 0.2 ? known.value : this.#newValue();
        const answer = await this.#send('PUT', this.#path(environment), as, { key, value });
        if (answer.status >= 300) return answer.status;
        if (answer.body.changed === true) environment.change(new Map([[key, value]]));
        this.#saw(as, environment, [key], answer.body.changed === true ? 'written' : 'compared');
        return answer.status;
      },
    },
    import: { weight: 4, run: (as, environment) => this.#import(as, environment, {}) },
    importDotenv: { weight: 2, run: (as, environment) => this.#import(as, environment, { isDotenv: true }) },
    dryRun: { weight: 3, run: (as, environment) => this.#import(as, environment, { dryRun: true }) },
    delete: {
      weight: 3,
      run: async (as, environment) => {
        const key = this.#pick(keys);
        const answer = await this.#send('DELETE', this.#path(environment, `/${key}`), as);
        if (answer.status === 200) environment.change(new Map([[key, null]]));
        return answer.status;
      },
    },
    deleteMany: {
      weight: 1,
      run: async (as, environment) => {
        const answer = await this.#send('POST', this.#path(environment, '/bulk-delete'), as, {
          keys: this.#some(keys, 2),
        });
        if (answer.status !== 200) return answer.status;
        const gone = answer.body.deleted.map((key: string) => [key, null] as const);
        if (gone.length > 0) environment.change(new Map(gone));
        return answer.status;
      },
    },
    change: {
      weight: 5,
      run: async (as, environment) => {
        const before = environment.at();
        const [added = '', kept = '', removed = ''] = this.#some(keys, 3);
        const set = [
          { key: added, value: this.#newValue() },
          { key: kept, value: before.get(kept)?.value ?? this.#newValue() },
        ];
        const body = { set, delete: before.has(removed) ? [removed] : [] };
        const answer = await this.#send('POST', this.#path(environment, '/changes'), as, body);
        if (answer.status !== 200) return answer.status;
        const isSame = ({ key, value }: { key: string; value: string }) =>
          mayRead(as, environment) && before.get(key)?.value === value;
        const written = set.filter(one => !isSame(one));
        environment.change(
          new Map<string, string | null>([
            ...written.map(({ key, value }) => [key, value] as const),
            ...body.delete.map(key => [key, null] as const),
          ]),
        );
        this.#saw(
          as,
          environment,
          written.map(({ key }) => key),
          'written',
        );
        this.#saw(
          as,
          environment,
          set.filter(isSame).map(({ key }) => key),
          'compared',
        );
        return answer.status;
      },
    },
    pull: { weight: 14, run: (as, environment) => this.#pull(as, environment, '') },
    pullFormatted: { weight: 4, run: (as, environment) => this.#pull(as, environment, '?format=json') },
    pullKeys: {
      weight: 5,
      run: (as, environment) => this.#pull(as, environment, `?keys=${this.#some(keys, 2).join(',')}`),
    },
    pullPage: {
      weight: 4,
      run: (as, environment) => this.#pull(as, environment, '?search=API&limit=1&offset=0'),
    },
    pullSearched: { weight: 2, run: (as, environment) => this.#pull(as, environment, '?search=API') },
    pullPast: {
      weight: 5,
      run: (as, environment) => this.#pull(as, environment, `?revision=${this.#pick(environment.revisions())}`),
    },
    notModified: {
      weight: 2,
      run: async (as, environment) => {
        const path = this.#path(environment);
        const first = await this.place.api.get(path, as.caller);
        if (first.status !== 200) return first.status;
        this.#saw(as, environment, [...environment.at().keys()], 'pulled');
        const again = await this.place.api.get(path, as.caller, { 'if-none-match': first.headers.get('etag') ?? '' });
        return again.status;
      },
    },
    names: {
      weight: 2,
      run: async (as, environment) => (await this.#send('GET', this.#path(environment, '/keys'), as)).status,
    },
    history: {
      weight: 5,
      run: async (as, environment) => {
        const key = this.#pick(keys);
        const query = this.random() < 0.5 ? '?values=true' : '?values=true&limit=2&offset=1';
        const answer = await this.#send('GET', this.#path(environment, `/versions/${key}${query}`), as);
        if (answer.status !== 200) return answer.status;
        for (const { version, value } of answer.body.versions) {
          const cell = environment.versions(key).find(one => one.version === version);
          if (value === undefined) continue;
          if (cell === undefined || cell.value !== value)
            throw new Error(`Version ${version} of ${key} is not as it was written.`);
          as.seen.push({ environment, key, ...cell, how: 'history' });
        }
        return answer.status;
      },
    },
    diff: {
      weight: 5,
      run: async (as, environment) => {
        const from = this.#pick(environment.revisions());
        const to = this.#pick(environment.revisions());
        const path = this.#path(environment, `/diff?from=${from}&to=${to}&values=true`);
        const answer = await this.#send('GET', path, as);
        if (answer.status !== 200) return answer.status;
        const { created, updated, deleted } = answer.body;
        for (const { key } of [...updated, ...deleted]) this.#saw(as, environment, [key], 'history', from);
        for (const { key } of [...created, ...updated]) this.#saw(as, environment, [key], 'history', to);
        return answer.status;
      },
    },
    compare: {
      weight: 5,
      run: async (as, environment) => {
        const other = this.#pick(this.live().filter(one => one !== environment));
        const values = this.random() < 0.5;
        const path = this.#path(environment, `/compare?with=${other.slug}&values=${values}`);
        const answer = await this.#send('GET', path, as);
        if (answer.status !== 200) return answer.status;
        for (const [side, others] of [
          [environment, other],
          [other, environment],
        ] as const) {
          // Without values, an answer says nothing about a key that only one side has.
          const shown = [...side.at().keys()].filter(key => values || others.at().has(key));
          this.#saw(as, side, shown, 'compared');
        }
        return answer.status;
      },
    },
    validate: {
      weight: 2,
      run: async (as, environment) => {
        const { orgSlug, project } = this.place;
        const answer = await this.#send('GET', `/templates/${orgSlug}/${project}/validate/${environment.slug}`, as);
        if (answer.status === 200) this.#saw(as, environment, patterned, 'validated');
        return answer.status;
      },
    },
    promote: {
      weight: 5,
      run: async (as, environment) => {
        const target = this.#pick(this.live().filter(one => one !== environment));
        const { orgSlug, project } = this.place;
        const named = this.random() < 0.3 ? { keys: this.#some([...environment.at().keys(), 'API_KEY'], 1) } : {};
        const body = { from: environment.slug, to: target.slug, overwrite: this.random() < 0.7, ...named };
        const dryRun = this.random() < 0.3;
        const path = `/secrets/${orgSlug}/${project}/promote?dryRun=${dryRun}`;
        const answer = await this.#send('POST', path, as, body);
        if (answer.status !== 200) return answer.status;
        if (dryRun) {
          this.#saw(as, target, answer.body.plan.unchanged, 'compared');
          return answer.status;
        }
        const promoted: string[] = answer.body.promoted;
        const values = promoted.map(key => [key, environment.at().get(key)?.value ?? ''] as const);
        if (promoted.length > 0) target.change(new Map(values));
        this.#saw(as, target, answer.body.unchanged, 'compared');
        return answer.status;
      },
    },
    restore: {
      weight: 6,
      run: async (as, environment) => {
        const revision = this.#pick(environment.revisions());
        const body = { revision, ...(this.random() < 0.3 ? { keys: this.#some(keys, 2) } : {}) };
        const dryRun = this.random() < 0.2;
        const answer = await this.#send('POST', this.#path(environment, `/restore?dryRun=${dryRun}`), as, body);
        if (answer.status !== 200) return answer.status;
        if (dryRun) {
          this.#saw(as, environment, answer.body.plan.unchanged, 'compared');
          return answer.status;
        }
        const { created, updated, deleted, unchanged } = answer.body;
        const past = environment.at(revision);
        const set = [...created, ...updated].map((key: string) => [key, past.get(key)?.value ?? ''] as const);
        const gone = deleted.map((key: string) => [key, null] as const);
        if (set.length + gone.length > 0) environment.change(new Map([...set, ...gone]), revision);
        this.#saw(as, environment, unchanged, 'compared');
        return answer.status;
      },
    },
    destroy: {
      weight: 2,
      run: async (as, environment) => {
        const key = this.#pick(keys);
        const body = { versions: [1] };
        return (await this.#send('POST', this.#path(environment, `/versions/${key}/destroy`), as, body)).status;
      },
    },
    rename: {
      weight: 1,
      run: async as => (await this.#send('PATCH', '/auth/me', as, { name: `Name ${this.#written}` })).status,
    },
    rotate: {
      weight: 1,
      run: async () => {
        const { api, orgId, project, owner } = this.place;
        return (await api.post(`/projects/${orgId}/${project}/rotate-key`, {}, owner)).status;
      },
    },
    retype: {
      weight: 1,
      run: async (_, { slug }) => {
        const { api, orgId, project, owner } = this.place;
        const environment = this.live().find(one => one.slug === 'staging');
        if (environment === undefined || slug === 'staging') return 404;
        const type = environment.type === 'staging' ? 'development' : 'staging';
        const path = `/projects/${orgId}/${project}/environments/staging`;
        await expectStatus(api.patch(path, { type }, owner), 200);
        environment.type = type;
        return 200;
      },
    },
    recreate: {
      weight: 2,
      run: async () => {
        const { api, orgId, project, owner } = this.place;
        const path = `/projects/${orgId}/${project}/environments`;
        await expectStatus(api.delete(`${path}/qa`, owner), 200);
        for (const environment of this.environments) environment.isGone ||= environment.slug === 'qa';
        await this.addEnvironment();
        return 201;
      },
    },
  };

  /** The environment `qa`, as soon as an earlier one is erased. */
  async addEnvironment(): Promise<void> {
    const { api, orgId, project, owner } = this.place;
    const path = `/projects/${orgId}/${project}/environments`;
    const body = { name: 'QA', slug: 'qa', type: 'development' };
    for (;;) {
      const made = await expectStatus(api.post(path, body, owner), 201, 409);
      if (made.status === 201) {
        this.environments.push(new Environment(made.body.environment));
        return;
      }
      await new Promise(resolve => setTimeout(resolve, 50));
    }
  }

  async #pull(as: Credential, environment: Environment, query: string): Promise<number> {
    const answer = await this.#send('GET', this.#path(environment, query), as);
    if (answer.status !== 200) return answer.status;
    const revision = Number(new URLSearchParams(query).get('revision') ?? environment.revision);
    const state = environment.at(revision);
    const shown: { key: string; version: number; value: string }[] = query.startsWith('?format=')
      ? Object.entries<string>(answer.body).map(([key, value]) => ({
          key,
          version: state.get(key)?.version ?? 0,
          value,
        }))
      : answer.body.secrets;
    for (const { key, version, value } of shown) {
      // The oracle is only worth something if it agrees with what the service delivers.
      const cell = state.get(key);
      if (cell === undefined || cell.version !== version || cell.value !== value)
        throw new Error(`${key}: ${version} ${cell?.version}`);
      as.seen.push({ environment, key, ...cell, how: 'pulled' });
    }
    return answer.status;
  }

  async #import(
    as: Credential,
    environment: Environment,
    { isDotenv = false, dryRun = false }: { isDotenv?: boolean; dryRun?: boolean },
  ): Promise<number> {
    const before = environment.at();
    const wanted = this.#some(keys, 3).map(key => {
      const known = before.get(key);
      return { key, value: known !== undefined && this.random() < 0.4 ? known.value : this.#newValue() };
    });
    const path = this.#path(environment, `/bulk?dryRun=${dryRun}`);
    const dotenv = wanted.map(({ key, value }) => `${key}="${value}"\n`).join('');
    const answer = await this.#send('POST', path, as, isDotenv ? { dotenv } : { secrets: wanted });
    if (answer.status >= 300) return answer.status;
    const isSame = ({ key, value }: { key: string; value: string }) =>
      mayRead(as, environment) && before.get(key)?.value === value;
    const changed = wanted.filter(one => !isSame(one));
    const same = wanted.filter(isSame).map(({ key }) => key);
    if (!dryRun && changed.length > 0) {
      environment.change(new Map(changed.map(({ key, value }) => [key, value])));
      const written = changed.map(({ key }) => key);
      this.#saw(as, environment, written, 'written');
    }
    this.#saw(as, environment, same, 'compared');
    return answer.status;
  }

  #saw(as: Credential, environment: Environment, some: readonly string[], how: Way, revision?: number): void {
    for (const key of some) {
      const cell = environment.at(revision).get(key);
      if (cell !== undefined) as.seen.push({ environment, key, ...cell, how });
    }
  }

  #send(method: string, path: string, { caller }: Credential, body?: object): Promise<Answer> {
    return this.place.api.call(method, path, body === undefined ? { as: caller } : { as: caller, body });
  }

  #path({ slug }: Environment, rest = ''): string {
    return `/secrets/${this.place.orgSlug}/${this.place.project}/${slug}${rest}`;
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
