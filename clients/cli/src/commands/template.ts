import type { Command } from 'commander';
import { exitCodes, Failure } from '../failure.ts';
import { given } from '../given.ts';
import type { Session } from '../session.ts';
import { secretKey } from './options.ts';

export const validateOptions = (command: Command): Command => command.argument('[env]', 'environment to check');

/** Checks an environment against the project's template; exits with 7 if it doesn't match. */
export async function validate(session: Session, slug: string | undefined): Promise<void> {
  const { output } = session;
  const environment = await session.environment(slug);
  const answer = await environment.validate();
  const { valid, missing, invalid, undeclared, present } = answer;
  if (output.json) output.document(answer);
  else {
    const lines = [
      ...missing.map(key => `missing ${key}`),
      ...invalid.map(({ key, reason }) => `invalid ${key}: ${reason}`),
      ...(undeclared ?? []).map(key => `undeclared ${key}`),
    ];
    output.data(lines.map(line => `${line}\n`).join(''));
    output.note(
      `${environment.slug}: ${present.length} of the template’s keys are set, ${missing.length} required ones are missing.`,
    );
  }
  if (!valid)
    throw new Failure(exitCodes.checkFailed, 'invalid', `${environment.slug} does not match the project’s template.`);
}

export async function listTemplate(session: Session): Promise<void> {
  const path = await templatePath(session);
  const answer = await session.request('GET', '/v1/templates/{orgSlug}/{project}', { path });
  if (session.output.json) return session.output.document(answer);
  session.output.table(
    ['KEY', 'REQUIRED', 'PATTERN', 'DESCRIPTION'],
    answer.keys.map(({ key, required, pattern, description }) => [
      key,
      required ? 'yes' : 'no',
      pattern ?? '',
      description ?? '',
    ]),
    'The template has no keys. Add one: holdfast template add KEY',
  );
}

interface AddFlags {
  description?: string;
  required: boolean;
  pattern?: string;
}

export const addTemplateOptions = (command: Command): Command =>
  command
    .argument('<key>', 'key of the secret', secretKey)
    .option('--description <text>', 'description')
    .option('--no-required', 'allow the key to be missing')
    .option('--pattern <regex>', 'regular expression that the whole value must match');

export async function addTemplateKey(session: Session, key: string, flags: AddFlags): Promise<void> {
  const { description, required, pattern } = flags;
  const answer = await session.request('POST', '/v1/templates/{orgSlug}/{project}', {
    path: await templatePath(session),
    body: { key, required, ...given({ description, pattern }) },
  });
  if (session.output.json) session.output.document(answer);
  else session.output.note(`${key} is part of the template. Check an environment: holdfast validate`);
}

export const removeTemplateOptions = (command: Command): Command =>
  command.argument('<key>', 'key of the secret', secretKey);

export async function removeTemplateKey(session: Session, key: string): Promise<void> {
  const path = { ...(await templatePath(session)), key };
  const answer = await session.request('DELETE', '/v1/templates/{orgSlug}/{project}/{key}', { path });
  if (session.output.json) session.output.document(answer);
  else session.output.note(`${key} is no longer part of the template.`);
}

async function templatePath(session: Session): Promise<{ orgSlug: string; project: string }> {
  const { organization, project } = await session.place('organization', 'project');
  return { orgSlug: organization, project };
}
