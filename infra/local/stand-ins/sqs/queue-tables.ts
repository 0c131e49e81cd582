import type { DatabaseSync } from 'node:sqlite';
import { openDatabase } from '../../machine/data-directory.ts';

export type QueueTables = ReturnType<typeof openQueueTables>;

/**
 * The tables of queues and messages, in `sqs.db` in the directory or in memory, as prepared statements. Messages that
 * were in flight before this start are visible again immediately, because their receivers are gone.
 */
export function openQueueTables(directory: string | undefined) {
  const database = openDatabase(directory, 'sqs.db');
  createTables(database);
  database.exec('UPDATE messages SET visibleAt = 0, receipt = NULL WHERE receipt IS NOT NULL');
  return { ...prepare(database), close: () => database.close() };
}

function createTables(database: DatabaseSync): void {
  database.exec(`
    CREATE TABLE IF NOT EXISTS queues (name TEXT PRIMARY KEY, attributes TEXT NOT NULL, createdAt INTEGER NOT NULL) STRICT;
    CREATE TABLE IF NOT EXISTS messages (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL,
      queue TEXT NOT NULL,
      body TEXT NOT NULL,
      attributes TEXT NOT NULL,
      sentAt INTEGER NOT NULL,
      visibleAt INTEGER NOT NULL,
      receipt TEXT,
      receiveCount INTEGER NOT NULL DEFAULT 0,
      firstReceivedAt INTEGER
    ) STRICT;
    CREATE INDEX IF NOT EXISTS byVisibility ON messages (queue, visibleAt);
    CREATE INDEX IF NOT EXISTS byAge ON messages (queue, sentAt);
    CREATE INDEX IF NOT EXISTS byReceipt ON messages (receipt);
  `);
}

function prepare(database: DatabaseSync) {
  const sql = (text: string) => database.prepare(text);
  return {
    findQueue: sql('SELECT attributes, createdAt FROM queues WHERE name = ?'),
    listQueues: sql('SELECT name FROM queues ORDER BY name'),
    createQueue: sql('INSERT INTO queues (name, attributes, createdAt) VALUES (?, ?, ?)'),
    setAttributes: sql('UPDATE queues SET attributes = ? WHERE name = ?'),
    send: sql('INSERT INTO messages (id, queue, body, attributes, sentAt, visibleAt) VALUES (?, ?, ?, ?, ?, ?)'),
    next: sql('SELECT * FROM messages WHERE queue = ? AND visibleAt <= ? ORDER BY visibleAt, number LIMIT 1'),
    nextVisible: sql('SELECT min(visibleAt) AS at FROM messages WHERE queue = ?'),
    receive: sql(
      'UPDATE messages SET visibleAt = ?, receipt = ?, receiveCount = ?, firstReceivedAt = ? WHERE number = ?',
    ),
    move: sql(
      'UPDATE messages SET queue = ?, visibleAt = ?, receipt = NULL, receiveCount = 0, firstReceivedAt = NULL WHERE number = ?',
    ),
    remove: sql('DELETE FROM messages WHERE queue = ? AND receipt = ?'),
    changeVisibility: sql('UPDATE messages SET visibleAt = ? WHERE queue = ? AND receipt = ?'),
    expire: sql('DELETE FROM messages WHERE queue = ? AND sentAt < ?'),
    purge: sql('DELETE FROM messages WHERE queue = ?'),
    count: sql(`SELECT
      count(*) FILTER (WHERE visibleAt <= $now) AS visible,
      count(*) FILTER (WHERE visibleAt > $now AND receiveCount > 0) AS inFlight,
      count(*) FILTER (WHERE visibleAt > $now AND receiveCount = 0) AS delayed
      FROM messages WHERE queue = $queue`),
  };
}
