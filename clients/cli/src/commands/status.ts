import { findCredential } from '../credentials/credentials.ts';
import { defineCommand } from '../define-command.ts';
import { failureOf } from '../failure-of.ts';
import type { Session } from '../session.ts';
import { nameOf, type Place } from '../settings/settings-file.ts';

export default defineCommand({
  name: 'status',
  heading: 'Sign in',
  position: 4,
  description: 'show the settings in use and where each one comes from',
  example: 'holdfast status --json',
  run: status,
});

/** Shows the settings in use and their sources, without a request. */
async function status(session: Session): Promise<void> {
  const settings = session.settings();
  const rows = (['url', 'organization', 'project', 'environment'] as const).map(name => {
    const setting = settings[name];
    return { name, value: setting?.value ?? null, source: setting?.source ?? null };
  });
  const layers = settings.layers.map(({ source, ...place }) => ({
    value: place.project === undefined ? place.environment : nameOf(place as Place),
    source,
  }));
  const credential =
    settings.url === undefined
      ? { source: null, problem: undefined }
      : await findCredential(settings).then(
          found => ({ source: found?.source ?? null, problem: undefined }),
          error => ({ source: null, problem: failureOf(error).message }),
        );
  const { output } = session;
  if (output.json) {
    const used = Object.fromEntries(
      rows.map(({ name, value, source }) => [name, value === null ? null : { value, source }]),
    );
    output.document({ ...used, layers, credential });
    return;
  }
  output.table(
    ['SETTING', 'VALUE', 'FROM'],
    [
      ...rows.map(({ name, value, source }) => [name, value ?? '–', source ?? '']),
      ...layers.map(({ value, source }) => ['layer below', value, source]),
      ['token', credential.source === null ? '–' : 'kept secret', credential.source ?? credential.problem ?? ''],
    ],
  );
  if (settings.url === undefined || (credential.source === null && credential.problem === undefined)) {
    output.note('Sign in: holdfast login');
  } else if (settings.environment === undefined) output.note('Link this directory: holdfast link');
}
