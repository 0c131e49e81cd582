import { Argument, defineCommand } from '../define-command.ts';
import { exitCodes, Failure } from '../failure.ts';
import { openSession, type Session } from '../session.ts';
import type { GivenFlags } from '../settings/settings.ts';
import { placeOf, writeProjectFile } from '../settings/settings-file.ts';

export default defineCommand({
  name: 'link',
  heading: 'Sign in',
  position: 5,
  description: 'link this directory to an environment',
  example: 'holdfast link acme/web-shop/dev',
  arguments: [new Argument('[place]', 'organization/project/environment; prompted for if omitted')],
  run: link,
});

/** Writes `.holdfast.json` here, after checking that the environment exists. */
async function link(session: Session, text: string | undefined, flags: GivenFlags): Promise<void> {
  const place = text === undefined ? undefined : placeOf(text, 'The place');
  const { output, terminal } = session;
  const named =
    place === undefined
      ? session
      : openSession(
          { ...flags, org: place.organization, project: place.project, env: [place.environment] },
          output,
          terminal,
        );
  const chosen = await named.place('organization', 'project', 'environment');
  const { environments } = await named.project();
  if (!environments.some(({ slug }) => slug === chosen.environment)) {
    const slugs = environments.map(({ slug }) => slug).join(', ');
    throw new Failure(
      exitCodes.notFound,
      'environment_not_found',
      `${chosen.project} has no environment ${chosen.environment}.`,
      {
        hint: `It has ${slugs}.`,
      },
    );
  }
  const url = flags.url === undefined ? {} : { url: session.url() };
  const path = writeProjectFile(process.cwd(), { ...chosen, ...url });
  if (output.json) output.document({ path, ...chosen, ...url });
  else
    output.note(
      `${path} names ${chosen.organization}/${chosen.project}/${chosen.environment}. It contains no secrets, so you can commit it.\nNext: holdfast push .env, or holdfast run -- COMMAND`,
    );
}
