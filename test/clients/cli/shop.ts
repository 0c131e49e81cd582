import { Holdfast } from '#clients/sdk/src/index.ts';
import { createProject, createToken, startApi } from '#test/support/api.ts';
import { fresh, shared } from '#test/support/fixtures.ts';
import { seedPerson } from '#test/support/people.ts';
import { buildCli, type Ending, variablesOf } from './cli.ts';

/** The service of a test file. Each test has a user of its own with a project, and the command line signed in there. */
export function useShop() {
  const api = shared(startApi);
  const cli = fresh(buildCli);
  const ada = fresh(() => seedPerson({ name: 'Ada' }));
  const project = fresh(() => createProject(api, ada));
  const token = fresh(() => createToken(api, ada));
  const placeOf = (slug: string) => `${ada.organization.slug}/${project.slug}/${slug}`;
  const environment = fresh(() => variablesOf(api.url, token.token, placeOf('dev')));
  const client = fresh(() => new Holdfast({ url: api.url, ...token }));
  const of = (slug = 'dev') => client.environment(ada.organization.slug, project.slug, slug);
  return {
    api,
    cli,
    ada,
    project,
    environment,
    client,
    of,
    valuesIn: async (slug = 'dev') => ({ ...(await of(slug).pull()).toObject() }),
    holdfast: (words: string[], input?: string | Buffer, more: Record<string, string> = {}): Promise<Ending> =>
      cli.run(words, { env: { ...environment, ...more }, ...(input === undefined ? {} : { input }) }),
    onTerminal: async (words: string[], more: Record<string, string> = {}, columns?: number): Promise<Ending> => {
      const options = { env: { ...environment, TERM: 'dumb', ...more }, ...(columns === undefined ? {} : { columns }) };
      const ending = await cli.converse(words, [], options);
      return { ...ending, stdout: ending.stdout.replaceAll('\r', '') };
    },
  };
}
