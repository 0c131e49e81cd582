import * as z from 'zod';

export const RecoveryCodes = z.array(z.string()).meta({
  description: 'Ten recovery codes, shown only once. Each replaces the second factor once.',
  example: ['EXAM-PLEA-AAAA-AAAA-AAAA-AAAA'],
});

export const FirstRecoveryCodes = RecoveryCodes.optional().meta({
  description: 'Ten recovery codes, shown only once; absent unless this is the account’s first factor.',
  example: ['EXAM-PLEA-AAAA-AAAA-AAAA-AAAA'],
});

export const recoveryCodesExample = ['EXAM-PLEA-AAAA-AAAA-AAAA-AAAA'];
