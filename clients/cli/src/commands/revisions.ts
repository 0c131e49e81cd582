import type { Command } from 'commander';
import { carryOut } from '../change.ts';
import { given } from '../given.ts';
import { shown, someOf } from '../printable.ts';
import type { Session } from '../session.ts';
import { allOption, dryRunOption, integer, onlyOption, secretKey, yesOption } from './options.ts';
import { type WriteFlags, writeOptions } from './secrets.ts';

export const revisionsOptions = (command: Command): Command =>
  command
    .option('--limit <number>', 'maximum number of revisions', integer(1, 100), 20)
    .option('--before <revision>', 'only revisions before this one', integer(1));

/** Who changed what and why, newest first. */
export async function revisions(
  session: Session,
  { limit, before }: { limit: number; before?: number },
): Promise<void> {
  const { output } = session;
  const environment = await session.environment();
  const answer = await environment.revisions(given({ limit, before }));
  if (output.json) return output.document(answer);
  const rows = answer.revisions.map(
    ({ revision, createdAt, createdBy, created, updated, deleted, message, ...origin }) => {
      const from = origin.from === undefined ? '' : ` from ${origin.from.slug}@${origin.from.revision}`;
      const restored = origin.restored === undefined ? '' : ` of ${origin.restored}`;
      const keys = [
        ...created.map(key => `+${key}`),
        ...updated.map(key => `~${key}`),
        ...deleted.map(key => `-${key}`),
      ];
      return [
        String(revision),
        output.ago(createdAt),
        createdBy?.email ?? 'an operator',
        `${origin.action}${from}${restored}`,
        someOf(keys),
        message ?? '',
      ];
    },
  );
  const none = `Nothing has changed ${environment.slug}${before === undefined ? ' yet' : ` before revision ${before}`}.`;
  output.table(['REVISION', 'WHEN', 'BY', 'WHAT', 'KEYS', 'WHY'], rows, none);
  if (answer.next !== null) output.note(`More: holdfast revisions --before ${answer.next}`);
}

export const historyOptions = (command: Command): Command =>
  command
    .argument('<key>', 'key of the secret', secretKey)
    .option('--values', 'also show the values; recorded in the audit log');

export async function history(session: Session, key: string, flags: { values?: boolean }): Promise<void> {
  const answer = await (await session.environment()).history(key, given({ values: flags.values }));
  if (session.output.json) return session.output.document(answer);
  const rows = answer.versions.map(({ version, revision, createdAt, createdBy, deleted, destroyed, value }) => [
    String(version),
    String(revision),
    session.output.time(createdAt),
    createdBy.email,
    deleted ? 'deleted' : destroyed ? 'destroyed' : value === undefined ? '' : shown(value),
  ]);
  session.output.table(['VERSION', 'REVISION', 'WHEN', 'BY', flags.values ? 'VALUE' : ''], rows);
}

interface RestoreFlags extends WriteFlags {
  only?: string[];
  dryRun?: boolean;
  all?: boolean;
}

export const restoreOptions = (command: Command): Command =>
  writeOptions(command)
    .argument('<revision>', 'revision to go back to', integer(0))
    .addOption(onlyOption())
    .addOption(dryRunOption())
    .addOption(allOption())
    .addOption(yesOption());

/** Restores an old revision as a new one, so no history is lost. */
export async function restore(session: Session, revision: number, flags: RestoreFlags): Promise<void> {
  const { output } = session;
  const { only, message, dryRun, all, ifRevision } = flags;
  const environment = await session.environment();
  const plan = await environment.planRestore(revision, given({ keys: only, message }));
  const title = `restore revision ${revision} of ${environment.slug}`;
  const answer = await carryOut(session, { environment, plan, title, dryRun, all, ifRevision });
  if (answer === undefined) return;
  if (output.json) output.document(answer);
  else output.note(`Done; ${environment.slug} is at revision ${answer.revision}.`);
}
