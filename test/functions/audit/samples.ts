import { type Samples, sample } from '#test/support/derive-sample.ts';
import { place } from '#test/support/sample-requests.ts';

export const samples: Samples = {
  'feed-audit-entries': sample({ world: place }),
  'get-exposure': sample({ query: ({ user }) => `?userId=${user.id}` }),
};
