import type { components } from './api-types.ts';
import { type Environment, listOf, newMapOf } from './environment.ts';
import type { CallOptions, Changes, RestoreOptions, WriteOptions } from './environment-options.ts';
import type { Holdfast, PromoteOptions } from './holdfast.ts';
import type { Paged } from './paged.ts';
import type { RequestOptions, ResponseBody } from './request.ts';

export type Proposal = components['schemas']['Proposal'];

/** Changes of single keys, a promotion into the environment, or a restore of it. */
export type ProposedChange =
  | Pick<Changes, 'set' | 'delete'>
  | { promote: Pick<PromoteOptions, 'from' | 'keys' | 'overwrite'> }
  | { restore: Pick<RestoreOptions, 'keys'> & { revision: number } };

export interface ProposeOptions extends WriteOptions {
  /** How long it can be approved and applied: 7 days by default, at most 30. */
  expiresInDays?: number;
  /** `rotation`: the last approval doesn’t apply it; its author does, with `apply`. */
  purpose?: 'rotation';
}

export type ProposalQuery = { state?: Proposal['state']; limit?: number; before?: string };

const every = '/v1/secrets/{orgSlug}/{project}/{env}/proposals';
const one = '/v1/secrets/{orgSlug}/{project}/{env}/proposals/{proposalId}';

/** The proposals of an environment. Only people can approve or reject one, in the dashboard; no token can. */
export interface Proposals {
  /** Proposes a change, for others to approve. Nothing of the environment changes. */
  propose(change: ProposedChange, options?: ProposeOptions): Promise<ResponseBody<'POST', typeof every>>;
  /** Newest first, without values. */
  list(query?: CallOptions & ProposalQuery): Paged<ResponseBody<'GET', typeof every>, Proposal>;
  /** One proposal, with the keys that have changed since. `values` asks for the values, which is audited. */
  get(id: string, options?: CallOptions & { values?: boolean }): Promise<ResponseBody<'GET', typeof one>>;
  /** Applies a proposal that has enough approvals. */
  apply(id: string, options?: CallOptions): Promise<ResponseBody<'POST', `${typeof one}/apply`>>;
  /** Closes a proposal of one’s own. */
  withdraw(id: string, options?: CallOptions): Promise<ResponseBody<'POST', `${typeof one}/withdraw`>>;
  /** Proposes the same values against the environment as it is now. The approvals start over. */
  rebase(id: string, options?: CallOptions): Promise<ResponseBody<'POST', `${typeof one}/rebase`>>;
  /** Records how far a rotation of one’s own is, so that it can be resumed. Progress never goes back. */
  record(
    id: string,
    progress: NonNullable<Proposal['progress']>,
    options?: CallOptions,
  ): Promise<ResponseBody<'PUT', `${typeof one}/progress`>>;
}

export function proposals(client: Holdfast, { organization, project, slug }: Environment): Proposals {
  const place = { orgSlug: organization, project, env: slug };
  const at = (proposalId: string) => ({ path: { ...place, proposalId } });
  return {
    propose: async (change, { message, expiresInDays, purpose, ...options } = {}) => {
      const body = { ...bodyOf(change), message, expiresInDays, purpose } as RequestOptions<
        'POST',
        typeof every
      >['body'];
      return await client.request('POST', every, { ...options, path: place, body });
    },
    list: ({ signal, ...query } = {}) =>
      client.list(every, { ...(signal === undefined ? {} : { signal }), path: place, query }),
    get: (id, { values = false, ...options } = {}) =>
      client.request('GET', one, { ...options, ...at(id), query: { values } }),
    apply: (id, options) => client.request('POST', `${one}/apply`, { ...options, ...at(id) }),
    withdraw: (id, options) => client.request('POST', `${one}/withdraw`, { ...options, ...at(id) }),
    rebase: (id, options) => client.request('POST', `${one}/rebase`, { ...options, ...at(id) }),
    record: (id, progress, options) =>
      client.request('PUT', `${one}/progress`, { ...options, ...at(id), body: { progress } }),
  };
}

function bodyOf(change: ProposedChange): object {
  if ('promote' in change || 'restore' in change) return change;
  const { set = {}, delete: deleted = [] } = change;
  return { set: listOf(newMapOf(set)), delete: deleted };
}
