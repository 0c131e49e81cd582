import { Argument, defineCommand, defineSubcommand, Option } from '../define-command.ts';
import { exitCodes, usage } from '../failure.ts';
import { failureOf, withHint } from '../failure-of.ts';
import { accessOption, integer } from '../options.ts';
import type { Session } from '../session.ts';

const dashboardOf = (session: Session): string => `${session.url()}/account/tokens`;

const create = defineSubcommand({
  name: 'create',
  description: 'create a token for a program',
  example: 'holdfast tokens create deploy --project web-shop --env production',
  arguments: [new Argument('<name>', 'name of the token')],
  options: [
    accessOption().default('read'),
    new Option('--expires-in-days <number>', 'lifetime in days').argParser(integer(1, 365)),
    new Option('--no-browser', 'print the address to open, and ask for the code that the page shows'),
  ],
  /** Creates a token through the dashboard, limited by the flags, and prints it to stdout. */
  run: async (session, name, flags) => {
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
  },
});

const revoke = defineSubcommand({
  name: 'revoke',
  description: 'revoke a token',
  example: 'holdfast tokens revoke current',
  arguments: [new Argument('<id>', 'id of the token, or “current” for the one in use')],
  run: async (session, tokenId) => {
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
      if (failureOf(error).exitCode !== exitCodes.forbidden) throw error;
      throw withHint(error, `A token can only revoke itself. Revoke others in the dashboard: ${dashboardOf(session)}`);
    }
  },
});

export default defineCommand({
  name: 'tokens',
  heading: 'Organize',
  position: 8,
  description: 'show the token in use',
  example: 'holdfast tokens',
  subcommands: [create, revoke],
  /** Shows where to find the others: by design, a token can't list them. */
  run: async session => {
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
  },
});
