import { exposure as ask, type CredentialExposure, type SecretReaders } from '@holdfast/sdk';
import { defineCommand, type FlagsOf, Option } from '../define-command.ts';
import { environmentIdOf, identityIdOf, personIdOf } from '../evidence/ids.ts';
import { usage } from '../failure.ts';
import { id, periodOf, periodOptions, rotateFormatOption, secretKey } from '../options.ts';
import type { Output } from '../output.ts';
import { someOf } from '../printable.ts';
import type { Session } from '../session.ts';
import type { GivenFlags } from '../settings/settings.ts';

const subjects = ['token', 'session', 'person', 'identity', 'key'] as const;

const options = [
  ...periodOptions,
  new Option('--token <id>', 'what this token saw').argParser(id),
  new Option('--session <id>', 'what this session saw').argParser(id),
  new Option('--person <email>', 'what this person saw: an e-mail address, also of a former member, or an id'),
  new Option('--identity <name>', 'what this identity saw: a name, also of a deleted identity, or an id'),
  new Option('--key <key>', 'who knows the current value of this key in the environment').argParser(secretKey),
  rotateFormatOption,
] as const;

export default defineCommand({
  name: 'exposure',
  heading: 'Organize',
  position: 6,
  description: 'list what a credential or a person saw, or who knows a secret',
  example: 'holdfast exposure --token 1c9f6a30-58d2-4b7e-8a41-90e3d7c2b5f6',
  options,
  run: async (session, flags) => {
    const { output } = session;
    const { key, format } = flags;
    const period = periodOf(flags);
    if (subjects.filter(name => flags[name] !== undefined).length !== 1) {
      throw usage(`Name one of ${subjects.map(name => `--${name}`).join(', ')}.`);
    }
    if (format !== undefined && (output.json || key !== undefined))
      throw usage('--format only works with a list of secrets.');
    const query = { ...(await questionOf(session, flags)), ...period };
    const [client, organizationId] = [await session.client(), await session.organizationId()];
    let requests = 0;
    const onPage = () => {
      requests += 1;
      if (requests > 1) output.progress(`Reading the audit log: ${requests} requests`);
    };
    // The overloads don't say that a query of either kind gets an answer of either kind.
    const asked = ask(client, organizationId, query as Parameters<typeof ask>[2], { onPage });
    const answer: CredentialExposure | SecretReaders = await asked.finally(() => output.progress(''));
    if (!answer.complete) warnIncomplete(output, answer);
    if (output.json) output.document(answer);
    else if ('readers' in answer) showReaders(output, answer);
    else showSecrets(output, answer, format);
  },
});

type ExposureFlags = FlagsOf<typeof options> & GivenFlags;

async function questionOf(session: Session, { token, session: sessionId, person, identity, key, env }: ExposureFlags) {
  if (token !== undefined) return { tokenId: token };
  if (sessionId !== undefined) return { sessionId };
  if (person !== undefined) return { userId: await personIdOf(session, person) };
  if (identity !== undefined) return { identityId: await identityIdOf(session, identity) };
  return { environment: await environmentIdOf(session, env), key };
}

function showSecrets(output: Output, { exposures, subject, knownSince }: CredentialExposure, format?: 'rotate'): void {
  const current = exposures.filter(exposure => exposure.current);
  const isKnown = subject.name !== null;
  const nothing = `None found in the log, which begins ${output.time(knownSince, 2)}.${isKnown ? '' : ' Is the id right?'}`;
  if (format === 'rotate') {
    output.data(current.map(exposure => `${placeOf(exposure)}\n`).join(''));
    if (current.length === 0) output.note(nothing);
    return;
  }
  const rows = exposures.map(exposure => [
    placeOf(exposure),
    exposure.current ? 'yes' : 'no',
    rangesOf(exposure.versions),
    output.ago(exposure.lastAt),
    output.ago(exposure.firstAt),
    `${exposure.how.join(', ') || 'unknown'}${exposure.grants.length > 0 ? ', under a grant' : ''}`,
  ]);
  output.table(['SECRET', 'CURRENT', 'VERSIONS', 'LAST', 'FIRST', 'HOW'], rows, nothing, ['FIRST', 'HOW', 'VERSIONS']);
  if (rows.length > 0) output.note(`Still current: ${current.length} of ${rows.length}. List them: --format rotate`);
}

function showReaders(output: Output, { readers, version }: SecretReaders): void {
  const rows = readers.map(({ actor, tokenIds, firstAt, lastAt, hasAccess }) => [
    actor.email ?? actor.name ?? actor.id,
    hasAccess ? 'yes' : 'no',
    output.ago(lastAt),
    output.ago(firstAt),
    tokenIds.join(' '),
  ]);
  output.table(
    ['WHO', 'MAY READ', 'LAST', 'FIRST', 'TOKENS'],
    rows,
    `The log shows nobody who knows version ${version}.`,
    ['TOKENS', 'FIRST'],
  );
}

const placeOf = ({ project, environment, key }: CredentialExposure['exposures'][number]): string =>
  `${project.slug}/${environment.slug}/${key}`;

/** Like `1–3, 7`. */
function rangesOf(versions: readonly number[]): string {
  const starts = versions.filter((version, index) => versions[index - 1] !== version - 1);
  const ends = versions.filter((version, index) => versions[index + 1] !== version + 1);
  return (
    starts.map((start, index) => (ends[index] === start ? start : `${start}–${ends[index]}`)).join(', ') || 'unknown'
  );
}

/** A list of secrets has too much where the log has too little, and a list of readers too little. */
function warnIncomplete(output: Output, answer: CredentialExposure | SecretReaders): void {
  const { incomplete = [] } = answer;
  const erased = incomplete.flatMap(({ environment }) => environment ?? []);
  const reasons = [
    ...incomplete.flatMap(({ before }) =>
      before === undefined ? [] : [`the log is incomplete before ${output.time(before, 2)}`],
    ),
    ...(erased.length === 0 ? [] : [`environments were deleted with their history: ${someOf(erased)}`]),
  ];
  const effect = 'readers' in answer ? 'Others may also know the value' : 'This may list more than was seen';
  output.warn(`holdfast: ${effect}, because ${reasons.join('; ')}.`);
}
