import { endOfSession } from '#lib/access/session-cookie.ts';
import { readLinks } from '#lib/accounts/provider-links.ts';
import { listTokens } from '#lib/accounts/tokens.ts';
import { ranges } from '#lib/table/keys.ts';
import { at, list } from '#lib/table/read.ts';
import { sessionRecord } from '#lib/table/records/credentials.ts';
import { factorsUnchanged, isUnchanged, passkeyRecord, type UserRecord, userRecord } from '#lib/table/records/user.ts';
import { transact, update } from '#lib/table/write.ts';
import { requireAccount } from './find-account.ts';
import { useTable } from './find-table.ts';
import { sentenceOf } from './sentence-of.ts';

/*
 * `npm run grant-admin -- <e-mail>`: makes a user a platform administrator, on the local stack at PORT (3000), or in
 * the deployed table TABLE_NAME if that is set and PORT is not, with the usual AWS credentials.
 */

try {
  const email = process.argv[2] ?? '';
  if (email === '' || process.argv.length > 3) throw new Error('Usage: npm run grant-admin -- <e-mail>');
  const where = await useTable();
  await grant(email);
  console.log(`${email} is now a platform administrator of ${where}.`);
} catch (error) {
  console.error(sentenceOf(error));
  process.exitCode = 1;
}

async function grant(email: string): Promise<void> {
  const user = await requireAccount(email);
  const ways = await waysOfOthers(user);
  if (ways.length > 0) {
    throw new Error(
      [
        `The account ${email} has ways in that its own log-in did not make. Whoever made them would be an administrator:`,
        ...ways.map(way => `- ${way}`),
        'Its owner has to end them first.',
      ].join('\n'),
    );
  }
  const change = { set: { isAdmin: true }, add: { linkEpoch: 1 } } as const;
  const unchanged = { ...factorsUnchanged(user), ...isUnchanged(user) };
  const refused = () => new Error(`The account ${email} changed meanwhile. Run the command again.`);
  await transact([update(at(userRecord, user.id), change, { if: unchanged, refused })]);
}

/** What lets somebody into the account that its own credential did not make, or may not have made. */
async function waysOfOthers(user: UserRecord): Promise<string[]> {
  const [passkeys, links, sessions, tokens] = await Promise.all([
    list(passkeyRecord, ranges.passkeys(user.id)),
    readLinks(user),
    list(sessionRecord, ranges.sessions(user.id)),
    listTokens(user.id),
  ]);
  const isAlive = (session: (typeof sessions)[number]) =>
    session.epoch === user.sessionEpoch && endOfSession(session) * 1000 > Date.now();
  return [
    ...passkeys.filter(one => one.ownAddition !== true).map(({ name }) => `the passkey ${JSON.stringify(name)}`),
    ...(user.totp !== undefined && user.totp.ownAddition !== true ? ['the authenticator app'] : []),
    ...links.map(({ organization }) => `the link to the sign-in provider of ${organization.slug}`),
    ...sessions.flatMap(session =>
      session.provider !== undefined && isAlive(session)
        ? [`a session of ${session.createdAt} through the sign-in provider of ${session.provider.orgSlug}`]
        : [],
    ),
    ...tokens.flatMap(({ name, provider }) =>
      provider === undefined
        ? []
        : [`the token ${JSON.stringify(name)}, created through the sign-in provider of ${provider.orgSlug}`],
    ),
  ];
}
