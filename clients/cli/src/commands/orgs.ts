import { existsSync, readFileSync } from 'node:fs';
import { defineCommand, defineSubcommand, Option } from '../define-command.ts';
import { discardExport, writeExport } from '../export-file.ts';
import { usage } from '../failure.ts';

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

export default defineCommand({
  name: 'orgs',
  heading: 'Organize',
  position: 1,
  description: 'list your organizations',
  example: 'holdfast orgs',
  subcommands: [exportCommand],
  run: async session => {
    const { organizations } = await session.currentUser();
    if (session.output.json) return session.output.document({ organizations });
    session.output.table(
      ['SLUG', 'NAME', 'ROLE', 'PLAN'],
      organizations.map(({ slug, name, role, plan }) => [slug, name, role, plan]),
      undefined,
      ['NAME'],
    );
  },
});
