import { hostname } from 'node:os';
import { GatewayError, type Holdfast, HoldfastError } from '@holdfast/sdk';
import type { Command } from 'commander';
import { Option } from 'commander';
import { connect } from '../connect.ts';
import { findKept, forgetCredential, keepCredential, tokenOf } from '../credentials/credentials.ts';
import { exitCodes, Failure, usage } from '../failure.ts';
import { failureOf } from '../failure-of.ts';
import type { CurrentUser } from '../place.ts';
import type { Session } from '../session.ts';
import { originOf } from '../settings/address.ts';
import { requireUrl } from '../settings/settings.ts';
import { readUserSettings, writeUserSettings } from '../settings/settings-file.ts';
import { readStandardInput } from '../standard-input.ts';

export const accessOption = () =>
  new Option('--access <access>', 'access level of the token').choices(['read', 'write', 'full']).default('write');

interface Flags {
  browser: boolean;
  withToken?: boolean;
  access: 'read' | 'write' | 'full';
  name?: string;
}

export const loginOptions = (command: Command): Command =>
  command
    .option('--no-browser', 'print the address to open, and ask for the code that the page shows')
    .option('--with-token', 'read a token from standard input')
    .addOption(accessOption())
    .option('--name <name>', 'name of the token in the dashboard');

export async function login(session: Session, flags: Flags): Promise<void> {
  const { output } = session;
  const { value: url, source, isCommitted } = requireUrl(session.settings());
  if (isCommitted && flags.withToken) {
    throw usage(`The token is not sent to ${url}: only ${source} names that address.`, `If you trust it: --url ${url}`);
  }
  if (isCommitted && !(await mayAsk(session, url, source))) {
    throw usage(`Only ${source} names ${url}; nothing was sent there.`, `If you trust it: holdfast login --url ${url}`);
  }
  const name = flags.name ?? `holdfast on ${hostname()}`.slice(0, 100);
  const { access, browser, withToken } = flags;
  const tokenFromPerson = async () => {
    const { handOff } = await import('../sign-in/hand-off.ts');
    return (await handOff(session, url, { name, access }, browser)).token;
  };
  const givenToken = async () =>
    tokenOf(
      session.terminal.canAsk ? await session.terminal.askHidden('Token: ') : await readStandardInput(),
      'Standard input',
    );
  const token = withToken ? await givenToken() : await tokenFromPerson();
  // Check the token before storing it.
  const { user } = await currentUserOf(await connect({ url, token }));
  const origin = originOf(url);
  await revokeHandedOff(url, origin);
  const where = await keepCredential(origin, token, !withToken);
  // Don't save an address that comes from a repository: outside of it, HOLDFAST_TOKEN would be sent there.
  if (!isCommitted) writeUserSettings({ ...readUserSettings().settings, url });
  if (output.json) output.document({ url, user: { id: user.id, email: user.email }, keptIn: where });
  else output.note(`Signed in to ${origin} as ${user.email}. The token is stored in ${where}.`);
  if (session.settings().environment === undefined) output.note('Link this directory: holdfast link');
  if (process.env.HOLDFAST_TOKEN) output.warn('HOLDFAST_TOKEN is set in this shell and takes precedence.');
}

/** A repository must not choose the service that its user signs in to. */
async function mayAsk({ terminal }: Session, url: string, source: string): Promise<boolean> {
  return terminal.canAsk && (await terminal.confirm(`${source} names ${url}. Sign in there?`));
}

async function currentUserOf(client: Holdfast): Promise<CurrentUser> {
  try {
    return await client.request('GET', '/v1/auth/me');
  } catch (error) {
    if (!(error instanceof HoldfastError) || error instanceof GatewayError || error.status !== 401) throw error;
    const { code, requestId } = error;
    throw new Failure(exitCodes.signIn, code, 'This token is unknown, expired or revoked; it was not stored.', {
      requestId,
    });
  }
}

/** Signing in again revokes the token of the last sign-in. */
async function revokeHandedOff(url: string, origin: string): Promise<void> {
  const kept = await findKept(origin).catch(() => undefined);
  if (kept?.kept?.handedOff) await revoke(url, kept.token).catch(() => undefined);
}

async function revoke(url: string, token: string): Promise<void> {
  await (await connect({ url, token })).request('DELETE', '/v1/auth/tokens/current');
}

export async function logout(session: Session): Promise<void> {
  const { output } = session;
  const url = session.url();
  const origin = originOf(url);
  // An unreachable keyring or a revoked token must not prevent signing out here.
  const kept = await findKept(origin).catch(() => undefined);
  let failure: Failure | undefined;
  if (kept?.kept?.handedOff) {
    failure = await revoke(url, kept.token).then(
      () => undefined,
      error => failureOf(error),
    );
  }
  await forgetCredential(origin);
  const isDead = failure === undefined || failure.exitCode === exitCodes.signIn;
  if (!isDead && failure !== undefined) {
    const { exitCode, code, message, requestId } = failure;
    throw new Failure(exitCode, code, `The token is deleted here, but it could not be revoked: ${message}`, {
      requestId,
      hint: `Revoke it in the dashboard: ${url}/account/tokens`,
    });
  }
  const revoked = kept?.kept?.handedOff === true;
  if (output.json) output.document({ origin, signedOut: kept !== undefined, revoked });
  else if (kept === undefined) output.note(`You were not signed in to ${origin}.`);
  else output.note(`Signed out of ${origin}${revoked ? '; the token is revoked' : ''}.`);
  if (process.env.HOLDFAST_TOKEN) output.warn('HOLDFAST_TOKEN is still set in this shell.');
}

export async function whoami(session: Session): Promise<void> {
  const { output } = session;
  const { identity } = await session.credential();
  if (identity !== undefined) {
    // This exchanges the token, and so reports an identity that is not accepted.
    await identity.organizationId();
    const { id, organization } = identity;
    if (output.json) output.document({ identity: { id, organization } });
    else output.data(`the identity ${id} of ${organization}\n`);
    return;
  }
  const answer = await session.currentUser();
  if (output.json) return output.document(answer);
  const { user, organizations, authentication } = answer;
  output.data(`${user.email}\n`);
  const { token } = authentication;
  if (token !== undefined) {
    const limits = [token.organizationId, token.projectId, token.environmentId].filter(id => id != null).length;
    const scope = ['everything you can see', 'one organization', 'one project', 'one environment'][limits] ?? '';
    output.note(
      `with the token “${token.name}”: ${token.access}, ${scope}, until ${token.expiresAt == null ? 'it is revoked' : output.time(token.expiresAt, 2)}`,
    );
  }
  for (const { slug, role } of organizations) output.note(`${role} of ${slug}`);
}
