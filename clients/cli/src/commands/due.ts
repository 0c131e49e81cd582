import { defineCommand, Option } from '../define-command.ts';
import { exitCodes, Failure, usage } from '../failure.ts';
import { days, rotateFormatOption } from '../options.ts';

export default defineCommand({
  name: 'due',
  heading: 'Check',
  position: 3,
  description: 'list values of the organization that have to be renewed',
  example: 'holdfast due --within 30d',
  options: [
    new Option('--within <days>', 'due within these days, or overdue (default: 30d)').argParser(days(0)),
    new Option('--mine', 'only of keys that you own'),
    rotateFormatOption,
    new Option('--exit-code', 'exit with 7 if anything is due'),
  ],
  run: async (session, { within = 30, mine, format, exitCode }) => {
    const { output } = session;
    if (format !== undefined && output.json) throw usage('--format only works without --json.');
    const path = { orgId: await session.organizationId() };
    const query = { within: `${within}d`, ...(mine === true ? { owner: 'me' } : {}) };
    const answer = await session.request('GET', '/v1/due/{orgId}', { path, query });
    const nothing = `Nothing is due within ${within} days.`;
    if (output.json) output.document(answer);
    else if (format === 'rotate') {
      output.data(answer.due.map(({ project, environment, key }) => `${project}/${environment}/${key}\n`).join(''));
      if (answer.due.length === 0) output.note(nothing);
    } else {
      output.table(
        ['DUE', 'KEY', 'WHERE', 'VERSION', 'RENEW AT'],
        answer.due.map(({ dueAt, key, project, environment, version, renewUrl }) => [
          output.time(dueAt),
          key,
          `${project}/${environment}`,
          String(version),
          renewUrl ?? '',
        ]),
        nothing,
      );
    }
    const count = answer.due.length;
    if (exitCode !== true || count === 0) return;
    const what = count === 1 ? '1 value is due' : `${count} values are due`;
    throw new Failure(exitCodes.checkFailed, 'due', `${what} within ${within} days.`);
  },
});
