import { type Config, ConfigError } from './config.ts';

/** The SES identity that mails are sent with. The foundation's stack keeps it as an output. */
export interface Sender {
  identity: string;
  /** Whether the installation creates it. */
  isCreated: boolean;
}

/** What SES knows of an identity; undefined if it does not exist. */
export type IdentityState = 'verified' | 'pending' | undefined;

/** Pure. */
export function senderOf({ mailFrom, mailIdentity }: Pick<Config, 'mailFrom' | 'mailIdentity'>): Sender {
  const identity = mailIdentity === 'address' ? mailFrom.address : mailFrom.domain;
  return { identity, isCreated: mailIdentity !== 'existing' };
}

/** Whether a deployment sends with another identity than before, or starts to create it. Pure. */
export function changesSender(config: Config, deployed: Sender): boolean {
  const { identity, isCreated } = senderOf(config);
  return identity !== deployed.identity || (isCreated && !deployed.isCreated);
}

/**
 * Refuses a change of the sender that would silence mail, or that CloudFormation could not make. Pure.
 * @param stateOf what SES knows of the sender's domain and address
 * @throws ConfigError that says what would happen and what to do
 */
export function requireSendable(
  config: Config,
  { deployed, stateOf, isAccepted }: SenderChange,
  installation: string,
): void {
  const { identity, isCreated } = senderOf(config);
  const { domain, address } = config.mailFrom;
  if (isCreated && stateOf(identity) !== undefined) {
    throw new ConfigError(
      `SES already has the identity ${identity}, so CloudFormation can’t create it. Set "mailIdentity": "existing" in ` +
        `installations/${installation}.json.`,
    );
  }
  const names = config.mailIdentity === 'existing' ? [domain, address] : [identity];
  if (isAccepted || names.some(name => stateOf(name) === 'verified')) return;
  throw new ConfigError(
    `Mails would be sent as ${identity} instead of ${deployed.identity}, and SES has not verified ${identity}: from this deployment ` +
      'on, no mail would be sent. Nobody could confirm an address, reset a password or accept an invitation.\n' +
      `To change without a gap, run: aws sesv2 create-email-identity --email-identity ${identity}\n` +
      'For a domain, create the CNAME record <token>._domainkey.<domain> → <token>.dkim.amazonses.com for each of the three tokens ' +
      `that it prints. When aws sesv2 get-email-identity --email-identity ${identity} prints "VerifiedForSendingStatus": true, set ` +
      '"mailIdentity": "existing" and deploy.\n' +
      `To accept the gap, run: npm run deploy -- ${installation} --without-mail`,
  );
}

interface SenderChange {
  deployed: Sender;
  stateOf: (identity: string) => IdentityState;
  /** The operator accepts that no mail is sent for a while. */
  isAccepted: boolean;
}
