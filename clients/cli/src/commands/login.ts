import { hostname } from 'node:os';
import { GatewayError, type Holdfast, HoldfastError } from '@holdfast/sdk';
import { connect, revokeToken } from '../connect.ts';
import { findKept, keepCredential, tokenOf } from '../credentials/credentials.ts';
import { defineCommand, Option } from '../define-command.ts';
import { exitCodes, Failure, usage } from '../failure.ts';
import { accessOption } from '../options.ts';
import type { CurrentUser } from '../place.ts';
import type { Session } from '../session.ts';
import { originOf } from '../settings/address.ts';
import { requireUrl } from '../settings/settings.ts';
import { readUserSettings, writeUserSettings } from '../settings/settings-file.ts';
import { readStandardInput } from '../standard-input.ts';

export default defineCommand({
  name: 'login',
  heading: 'Sign in',
  position: 1,
  description: 'sign in with the browser',
  example: 'holdfast login --url https://secrets.example.com',
  options: [
    new Option('--no-browser', 'print the address to open, and ask for the code that the page shows'),
    new Option('--with-token', 'read a token from standard input'),
    accessOption('what the token may do; chosen in the browser if omitted'),
    new Option('--name <name>', 'name of the token in the dashboard'),
  ],
  run: async (session, flags) => {
    const { output } = session;
    const { value: url, source, isCommitted } = requireUrl(session.settings());
    if (isCommitted && flags.withToken) {
      throw usage(
        `The token is not sent to ${url}: only ${source} names that address.`,
        `If you trust it: --url ${url}`,
      );
    }
    if (isCommitted && !(await mayAsk(session, url, source))) {
      throw usage(
        `Only ${source} names ${url}; nothing was sent there.`,
        `If you trust it: holdfast login --url ${url}`,
      );
    }
    const name = flags.name ?? `holdfast on ${hostname()}`.slice(0, 100);
    const { access, browser, withToken } = flags;
    const tokenFromPerson = async () => {
      const { handOff } = await import('../sign-in/hand-off.ts');
      return (await handOff(session, url, { name, access }, browser)).token;
    };
    const givenToken = async () =>
      tokenOf(
        session.terminal.canAsk
          ? await session.terminal.askHidden('Token: ')
          : await readStandardInput(session.terminal),
        'Standard input',
      );
    const token = withToken ? await givenToken() : await tokenFromPerson();
    // Check the token before storing it.
    const client = await connect({ url, token });
    const { user, authentication, organizations } = await currentUserOf(client);
    const origin = originOf(url);
    await revokeHandedOff(url, origin);
    const where = await keepCredential(origin, token, !withToken);
    // Don't save an address that comes from a repository: outside of it, HOLDFAST_TOKEN would be sent there.
    if (!isCommitted) writeUserSettings({ ...readUserSettings().settings, url });
    const given = authentication.token?.access;
    if (output.json) {
      output.document({ url, user: { id: user.id, email: user.email }, access: given, keptIn: where });
    } else output.note(`Signed in to ${origin} as ${user.email}. The token is stored in ${where}.`);
    if (given !== undefined) output.note(rightsOf[given]);
    const hasNone = await hasNoProject(client, organizations);
    output.note(hasNone ? firstProject[given === 'full' ? 'full' : 'less'] : nextStep(session, given));
    if (process.env.HOLDFAST_TOKEN) output.warn('HOLDFAST_TOKEN is set in this shell and takes precedence.');
  },
});

const rightsOf = {
  names: 'It is for names only: it may list, plan, generate and propose, but never gets a value.',
  read: 'It may read secrets. To change them: holdfast login --access write',
  write: 'It may read and change secrets. To create projects and invite people: holdfast login --access full',
  full: 'It may do everything that you may, except manage passwords and tokens.',
};

const firstProject = {
  full: 'Next, in the directory of your project: holdfast link --create',
  less: 'There is no project yet. To create one: holdfast login --access full, then holdfast link --create',
};

/** Of somebody with one organization. If it can't be told, the usual next step is named. */
async function hasNoProject(client: Holdfast, organizations: CurrentUser['organizations']): Promise<boolean> {
  const [only, second] = organizations ?? [];
  if (only === undefined || second !== undefined) return false;
  try {
    const { projects } = await client.request('GET', '/v1/projects/{orgId}', { path: { orgId: only.id } });
    return projects.length === 0;
  } catch {
    return false;
  }
}

function nextStep(session: Session, access: keyof typeof rightsOf | undefined): string {
  if (session.settings().environment === undefined) return 'Next, in the directory of your project: holdfast link';
  if (access === 'names') return 'Next: holdfast list, or holdfast mcp for an agent';
  return access === 'read' ? 'Next: holdfast run -- COMMAND' : 'Next: holdfast push .env, or holdfast run -- COMMAND';
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
  if (kept?.kept?.handedOff) await revokeToken(url, kept.token).catch(() => undefined);
}
