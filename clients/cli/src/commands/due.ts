import { defineCommand, Option } from '../define-command.ts';
import { exitCodes, Failure } from '../failure.ts';
import { days } from '../options.ts';

export default defineCommand({
  name: 'due',
  heading: 'Check',
  position: 3,
  description: 'list values of the organization that have to be renewed',
  example: 'holdfast due --within 30d',
  options: [
    new Option('--within <days>', 'due within these days, or overdue (default: 30d)').argParser(days(0)),
    new Option('--mine', 'only of keys that you own'),
    new Option('--exit-code', 'exit with 7 if anything is due'),
  ],
  run: async (session, { within = 30, mine, exitCode }) => {
    const { output } = session;
    const path = { orgId: await session.organizationId() };
    const query = { within: `${within}d`, ...(mine === true ? { owner: 'me' } : {}) };
    const answer = await session.request('GET', '/v1/due/{orgId}', { path, query });
    if (output.json) output.document(answer);
    else {
      output.table(
        ['DUE', 'KEY', 'WHERE', 'VERSION', 'RENEW AT'],
        answer.due.map(({ dueAt, key, project, environment, version, renewUrl }) => [
          output.time(dueAt),
          key,
          `${project}/${environment}`,
          String(version),
          renewUrl ?? '',
        ]),
        `Nothing is due within ${within} days.`,
      );
    }
    const count = answer.due.length;
    if (exitCode !== true || count === 0) return;
    const what = count === 1 ? '1 value is due' : `${count} values are due`;
    throw new Failure(exitCodes.checkFailed, 'due', `${what} within ${within} days.`);
  },
});
