import { carryOut } from '../change.ts';
import { Argument, defineCommand, Option } from '../define-command.ts';
import { given } from '../given.ts';
import { onlyOption, planOptions, writeOptions } from '../options.ts';

export default defineCommand({
  name: 'promote',
  heading: 'Change secrets',
  position: 5,
  description: 'copy secrets to another environment',
  example: 'holdfast promote dev staging --only DATABASE_URL,LOG_LEVEL',
  arguments: [new Argument('<from>', 'environment to copy from'), new Argument('<to>', 'environment to copy to')],
  options: [
    ...writeOptions,
    onlyOption,
    new Option('--no-overwrite', 'keep values that the target already has'),
    ...planOptions,
  ],
  run: async (session, from, to, flags) => {
    const { organization, project } = await session.place('organization', 'project');
    const environment = await session.environment(to);
    const { only, overwrite, message } = flags;
    const client = await session.client();
    const promote = { from, overwrite, ...given({ keys: only }) };
    const plan = await client.project(organization, project).planPromote({ ...promote, to, ...given({ message }) });
    const title = `promote ${from} to ${to}`;
    await carryOut(session, { environment, plan, title, change: { promote } }, flags);
  },
});
