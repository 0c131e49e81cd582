import { GetEmailIdentityCommand, SESv2Client } from '@aws-sdk/client-sesv2';
import { type Config, ConfigError } from '../plan/config.ts';
import type { IdentityState } from '../plan/sender.ts';

/**
 * What SES knows of the sender's domain and address, in the installation's region.
 * @throws ConfigError if that can't be read
 */
export async function readIdentities({ mailFrom, region }: Config): Promise<(identity: string) => IdentityState> {
  const client = new SESv2Client(region === undefined ? {} : { region });
  const names = [mailFrom.domain, mailFrom.address];
  try {
    const states = await Promise.all(names.map(name => readIdentity(client, name)));
    const known = new Map(names.map((name, index) => [name, states[index]]));
    return identity => known.get(identity);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError(
      `mailFrom changes, and SES could not be asked about ${mailFrom.domain}, so nothing was deployed: ${reason}. The ` +
        'deployment needs ses:GetEmailIdentity.',
    );
  } finally {
    client.destroy();
  }
}

async function readIdentity(client: SESv2Client, name: string): Promise<IdentityState> {
  try {
    const found = await client.send(new GetEmailIdentityCommand({ EmailIdentity: name }));
    return found.VerifiedForSendingStatus === true ? 'verified' : 'pending';
  } catch (error) {
    if (error instanceof Error && error.name === 'NotFoundException') return undefined;
    throw error;
  }
}
