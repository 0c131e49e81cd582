import type { Environment } from '@holdfast/sdk';
import { Argument, defineCommand } from '../define-command.ts';
import { exitCodes, Failure } from '../failure.ts';
import type { Session } from '../session.ts';

type Answer = Awaited<ReturnType<Environment['validate']>>;

/** An answer without a declared key may also come from a template of keys that are not required. */
async function hasNoTemplate(session: Session, { present, missing, invalid }: Answer): Promise<boolean> {
  if (present.length + missing.length + invalid.length > 0) return false;
  const { organization: orgSlug, project } = await session.place('organization', 'project');
  const { keys } = await session.request('GET', '/v1/templates/{orgSlug}/{project}', { path: { orgSlug, project } });
  return keys.length === 0;
}

export default defineCommand({
  name: 'validate',
  heading: 'Check',
  position: 1,
  description: 'check an environment against the project’s template',
  example: 'holdfast validate staging',
  arguments: [new Argument('[env]', 'environment to check')],
  /** Exits with 7 if the environment doesn't match. */
  run: async (session, slug) => {
    const { output } = session;
    const environment = await session.environment(slug);
    const answer = await environment.validate();
    const { valid, missing, invalid, undeclared, present } = answer;
    if (output.json) output.document(answer);
    else {
      if (await hasNoTemplate(session, answer)) {
        return output.note(
          `${environment.project} has no template, so nothing was checked. Add a key: holdfast template add KEY`,
        );
      }
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
  },
});
