import type { MemberContext } from '../access/request-context.ts';
import type { AmbiguousLines } from '../contracts/fields/dotenv-text.ts';
import type { ChangeOptions } from './change/change-request.ts';
import { sortOutUnchanged } from './change/decide-change.ts';
import type { ChangeReads } from './change/read-target.ts';
import { changeSecrets } from './change-secrets.ts';

interface Import extends ChangeOptions {
  secrets: readonly { key: string; value: string }[];
  ambiguous?: AmbiguousLines | undefined;
}

export async function importSecrets(
  context: MemberContext,
  { secrets, ambiguous, ...options }: Import,
  begun: ChangeReads,
) {
  const answer = await changeSecrets(context, begun, {
    ...options,
    decide: async current => ({
      ...(await sortOutUnchanged(secrets, current)),
      deletions: [],
      action: 'secret.bulk_set',
      answer: ({ plan: { created, updated, unchanged }, revision }) => ({ created, updated, unchanged, revision }),
    }),
  });
  return { ...answer, ambiguous };
}
