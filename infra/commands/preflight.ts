import type { Config } from '../plan/config.ts';
import { type Deployed, requireDeployable } from '../plan/deployed.ts';
import { changesSender, requireSendable, type Sender } from '../plan/sender.ts';
import { requireSettled } from '../plan/stuck-stacks.ts';
import { readDeployed, readOutputs } from './read-deployed.ts';
import { readIdentities } from './read-sender.ts';
import { readStackStates } from './read-stack-states.ts';

/**
 * Compares an installation's settings with what is deployed, before anything is built or changed.
 * @returns what is deployed, and sentences for the operator
 * @throws ConfigError if the deployment would fail, or make the service fail
 */
export async function checkBeforeDeployment(
  config: Config,
  installation: string,
  { withoutMail }: { withoutMail: boolean },
): Promise<{ deployed: Deployed | undefined; notices: string[] }> {
  const { states, unreadable } = await readStackStates(config);
  requireSettled(states);
  const deployed = await readDeployed(config);
  if (deployed !== undefined) {
    requireDeployable(config, deployed);
    // If not even the stack was readable, neither is its output.
    const isReadable = states.some(({ name }) => name === `${config.name}-foundation`);
    if (isReadable) await checkSender(config, installation, withoutMail);
  }
  return {
    deployed,
    notices: unreadable.map(
      name =>
        `The state of ${name} or its nested stacks could not be read, which needs cloudformation:DescribeStacks and ` +
        'cloudformation:ListStackResources. This deployment gives these rights to the pipeline’s role.',
    ),
  };
}

async function checkSender(config: Config, installation: string, isAccepted: boolean): Promise<void> {
  const { Sender: output } = await readOutputs(config, 'foundation');
  // Earlier versions have no such output.
  if (output === undefined) return;
  const deployed = JSON.parse(output) as Sender;
  if (!changesSender(config, deployed)) return;
  const stateOf = await readIdentities(config);
  requireSendable(config, { deployed, stateOf, isAccepted }, installation);
}
