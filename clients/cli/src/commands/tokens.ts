import type { Command } from 'commander';
import { exitCodes, Failure, usage } from '../failure.ts';
import { failureOf } from '../failure-of.ts';
import type { Session } from '../session.ts';
import type { GivenFlags } from '../settings/settings.ts';
import { accessOption } from './login.ts';
import { integer } from './options.ts';

const dashboardOf = (session: Session): string => `${session.url()}/account/tokens`;

/** Shows the token in use and where to find the others: by design, a token can't list them. */
export async function showToken(session: Session): Promise<void> {
  const { output } = session;
  const { token } = (await session.currentUser()).authentication;
  if (output.json) return output.document({ token: token ?? null, dashboard: dashboardOf(session) });
  if (token !== undefined) {
    const { id, name, prefix, access, expiresAt } = token;
    output.table(
      ['ID', 'NAME', 'BEGINS', 'ACCESS', 'EXPIRES'],
      [[id, name, prefix, access, expiresAt == null ? 'never' : output.time(expiresAt)]],
    );
  }
  output.note(`This is the token in use. All of yours: ${dashboardOf(session)}`);
}

interface CreateFlags extends GivenFlags {
  access: 'read' | 'write' | 'full';
  expiresInDays?: number;
  browser: boolean;
}

export const createTokenOptions = (command: Command): Command =>
  command
    .argument('<name>', 'name of the token')
    .addOption(accessOption().default('read'))
    .option('--expires-in-days <number>', 'lifetime in days', integer(1, 365))
    .option('--no-browser', 'print the address to open, and ask for the code that the page shows');

/** Creates a token through the dashboard, limited by the flags, and prints it to stdout. */
export async function createToken(session: Session, name: string, flags: CreateFlags): Promise<void> {
  const { output } = session;
  const { access, browser, org, project, env = [], expiresInDays } = flags;
  const [environment, ...others] = env;
  if (others.length > 0) throw usage('A token is limited to one environment: give --env once.');
  const request = {
    name,
    access,
    organization: org,
    project,
    environment,
    expiresInDays: expiresInDays === undefined ? undefined : String(expiresInDays),
  };
  const { handOff } = await import('../sign-in/hand-off.ts');
  const issued = await handOff(session, session.url(), request, browser);
  if (output.json) return output.document(issued);
  output.data(`${issued.token}\n`);
  output.note('This token is shown once. Give it to a program as HOLDFAST_TOKEN, together with HOLDFAST_URL.');
}

export const revokeTokenOptions = (command: Command): Command =>
  command.argument('<id>', 'id of the token, or “current” for the one in use');

export async function revokeToken(session: Session, tokenId: string): Promise<void> {
  const { output } = session;
  const own = (await session.currentUser()).authentication.token?.id;
  try {
    const answer =
      tokenId === 'current' || tokenId === own
        ? await session.request('DELETE', '/v1/auth/tokens/current')
        : await session.request('DELETE', '/v1/auth/tokens/{tokenId}', { path: { tokenId } });
    if (output.json) output.document(answer);
    else output.note('Revoked.');
  } catch (error) {
    const { exitCode, code, message, requestId, details } = failureOf(error);
    if (exitCode !== exitCodes.forbidden) throw error;
    const hint = `A token can only revoke itself. Revoke others in the dashboard: ${dashboardOf(session)}`;
    throw new Failure(exitCode, code, message, { requestId, details, hint });
  }
}
