import { existsSync, readFileSync } from 'node:fs';
import { Argument, defineCommand, defineSubcommand, Option } from '../define-command.ts';
import { discardExport, writeExport } from '../export-file.ts';
import { usage } from '../failure.ts';
import { id } from '../options.ts';

const exportCommand = defineSubcommand({
  name: 'export',
  description: 'write everything that the organization owns to a file',
  example: 'holdfast orgs export --to acme.jsonl --plain',
  notes: 'Only for owners. If it is interrupted, run it again: it continues.',
  options: [
    new Option('--to <file>', 'the new file, readable only by you').makeOptionMandatory(),
    new Option('--seal-to <file>', 'seal each value to the public key in this file (a JWK)').conflicts('plain'),
    new Option('--plain', 'write values as they are'),
  ],
  run: async (session, { to: file, sealTo: keyFile, plain }) => {
    const { output } = session;
    if (keyFile === undefined && plain !== true) {
      throw usage('Values are sealed to a key or plain.', 'Give --seal-to FILE, or --plain.');
    }
    if (existsSync(file)) throw usage(`${file} exists already.`, 'Name a new file.');
    const key = keyFile === undefined ? undefined : readKey(keyFile);
    const path = { orgId: await session.organizationId() };
    const getPage = async (after: string | undefined) => {
      const protection = key === undefined ? { plain: true as const } : { sealTo: key as never };
      const body = { ...protection, ...(after === undefined ? {} : { after }) };
      return session.request('POST', '/v1/orgs/{orgId}/export', { path, body });
    };
    const what = JSON.stringify([path.orgId, key ?? 'plain']);
    const report = (lines: number) => output.note(`${lines} lines so far.`);
    const lines = await writeExport(file, what, getPage, report).catch(error => {
      if ((error as { code?: unknown }).code === 'cursor_expired') discardExport(file);
      throw error;
    });
    if (output.json) return output.document({ file, lines });
    output.note(`Exported to ${file}: ${lines} lines.`);
  },
});

/** @throws Failure without quoting the file, which may be a private key */
function readKey(file: string): Record<string, unknown> {
  let key: Record<string, unknown>;
  try {
    key = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    throw usage(`${file} is not a key in JSON.`, 'Give the public key as a JWK (RFC 7517).');
  }
  if ('d' in key) throw usage(`${file} is a private key.`, 'Give the public one: only its owner may open the values.');
  return key;
}

const deleted = defineSubcommand({
  name: 'deleted',
  description: 'list the organizations that you owned and can restore',
  example: 'holdfast orgs deleted',
  run: async ({ output, request }) => {
    const answer = await request('GET', '/v1/orgs/deleted', {});
    if (output.json) return output.document(answer);
    output.table(
      ['ID', 'SLUG', 'NAME', 'DELETED', 'UNTIL'],
      answer.deleted.map(({ id: orgId, slug, name, deletedAt, erasedAt }) => [
        orgId,
        slug,
        name,
        output.time(deletedAt),
        output.time(erasedAt),
      ]),
      'No deleted organization can be restored.',
      ['NAME'],
    );
  },
});

const restore = defineSubcommand({
  name: 'restore',
  description: 'restore an organization as it was',
  example: 'holdfast orgs restore 9b2d6f0e-3c1a-4c5d-8e77-2f4b6a9d0c31',
  arguments: [new Argument('<id>', 'id, as “holdfast orgs deleted” shows it').argParser(id)],
  run: async ({ output, request }, orgId) => {
    const answer = await request('POST', '/v1/orgs/deleted/{orgId}/restore', { path: { orgId } });
    if (output.json) return output.document(answer);
    output.note('Restored, with everything in it.');
  },
});

export default defineCommand({
  name: 'orgs',
  heading: 'Organize',
  position: 1,
  description: 'list your organizations',
  example: 'holdfast orgs',
  subcommands: [exportCommand, deleted, restore],
  run: async session => {
    const { organizations } = await session.currentUser();
    if (session.output.json) return session.output.document({ organizations });
    session.output.table(
      ['SLUG', 'NAME', 'ROLE', 'PLAN'],
      organizations.map(({ slug, name, role, plan }) => [slug, name, role, plan ?? '-']),
      undefined,
      ['NAME'],
    );
  },
});
