import type { DatabaseSync } from 'node:sqlite';
import type { Subscription } from './objects.ts';

/** The provider's objects by id, and the responses to requests with an idempotency key. */
export interface Store {
  get<T>(id: string): T | undefined;
  set(object: { id: string; customer?: string }): void;
  subscriptionsOf(customer: string): Subscription[];
  replay(key: string): { fingerprint: string; answer: string } | undefined;
  remember(key: string, fingerprint: string, answer: unknown): void;
}

export function openStore(database: DatabaseSync): Store {
  database.exec(`
    CREATE TABLE IF NOT EXISTS objects (id TEXT PRIMARY KEY, customer TEXT, content TEXT) STRICT;
    CREATE INDEX IF NOT EXISTS of_customer ON objects (customer);
    CREATE TABLE IF NOT EXISTS replays (key TEXT PRIMARY KEY, fingerprint TEXT, answer TEXT) STRICT;
  `);
  const get = database.prepare('SELECT content FROM objects WHERE id = ?');
  const set = database.prepare('INSERT OR REPLACE INTO objects (id, customer, content) VALUES (?, ?, ?)');
  const ofCustomer = database.prepare(
    "SELECT content FROM objects WHERE customer = ? AND id LIKE 'sub%' ORDER BY rowid",
  );
  const replay = database.prepare('SELECT fingerprint, answer FROM replays WHERE key = ?');
  const remember = database.prepare('INSERT INTO replays (key, fingerprint, answer) VALUES (?, ?, ?)');
  return {
    get: <T>(id: string) => {
      const row = get.get(id);
      return row === undefined ? undefined : (JSON.parse(String(row.content)) as T);
    },
    set: object => {
      set.run(object.id, object.customer ?? null, JSON.stringify(object));
    },
    subscriptionsOf: customer => ofCustomer.all(customer).map(row => JSON.parse(String(row.content)) as Subscription),
    replay: key => {
      const row = replay.get(key);
      return row === undefined ? undefined : { fingerprint: String(row.fingerprint), answer: String(row.answer) };
    },
    remember: (key, fingerprint, answer) => {
      remember.run(key, fingerprint, JSON.stringify(answer));
    },
  };
}
