import { Argument, defineCommand } from '../define-command.ts';
import { exitCodes, Failure } from '../failure.ts';

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
