import { describe, expect, it } from 'vitest';
import type {
  ChangeResult,
  Comparison,
  Diff,
  paths,
  ResponseBody,
  RestoreResult,
  RevisionList,
} from '#clients/sdk/src/index.ts';
import { Holdfast } from '#clients/sdk/src/index.ts';
import { shared } from '#test/support/fixtures.ts';
import { json, startServer } from './scripted-server.ts';

type Root = '/v1/secrets/{orgSlug}/{project}/{env}';
/** The response type from openapi.json; any type if it does not describe the path yet. */
type AnswerOf<M extends 'GET' | 'POST', P extends string> = P extends keyof paths ? ResponseBody<M, P> : never;
const same = <T>(answer: T): T => answer;
const server = shared(() => startServer(json(200, { served: true })));
const client = shared(() => new Holdfast({ url: server.url, token: 'service_tok_x' }));
const path = { orgSlug: 'acme', project: 'web-shop', env: 'dev' };

// The compiler checks the lines that expect an error. At run time they all behave the same.
describe('the types of request', () => {
  it('check paths, methods, parameters and bodies', async () => {
    // @ts-expect-error: no such path
    await client.request('GET', '/v1/secretz');
    // @ts-expect-error: the path has no such method
    await client.request('DELETE', '/v1/auth/me');
    // @ts-expect-error: no such query parameter
    await client.request('GET', '/v1/secrets/{orgSlug}/{project}/{env}', { path, query: { limmit: 5 } });
    // @ts-expect-error: a body without its value
    await client.request('PUT', '/v1/secrets/{orgSlug}/{project}/{env}', { path, body: { key: 'A' } });
    // @ts-expect-error: no body at all
    await client.request('PUT', '/v1/secrets/{orgSlug}/{project}/{env}', { path });
    expect(server.requests.map(({ method }) => method)).toEqual(['GET', 'DELETE', 'GET', 'PUT', 'PUT']);
  });

  it('require path parameters, as the client itself does', async () => {
    // @ts-expect-error: the path needs its parameters
    await expect(client.request('GET', '/v1/audit/{orgId}')).rejects.toThrow('The path needs a orgId.');
    // @ts-expect-error: one is missing
    const partial = client.request('GET', '/v1/secrets/{orgSlug}/{project}/{env}', { path: { orgSlug: 'acme' } });
    await expect(partial).rejects.toThrow('The path needs a project.');
  });

  it('let only lists that come in pages be listed', async () => {
    // @ts-expect-error: the feed never ends
    expect(await client.list('/v1/audit/{orgId}/feed', { path: { orgId: 'o' } })).toEqual({ served: true });
    // @ts-expect-error: the pages of exposures belong together
    expect(await client.list('/v1/audit/{orgId}/exposure', { path: { orgId: 'o' } })).toEqual({ served: true });
  });

  it('need no options if nothing is required, and include the response', async () => {
    const me = await client.request('GET', '/v1/auth/me');
    const email: (() => string) | undefined = me.user && (() => me.user.email);
    // @ts-expect-error: not in the response
    expect([email, me.nothing]).toEqual([undefined, undefined]);
  });
});

it('the handwritten types match openapi.json as far as it describes them', () => {
  const held: unknown[] = [
    same<(answer: AnswerOf<'GET', `${Root}/revisions`>) => RevisionList>(answer => answer),
    same<(answer: AnswerOf<'GET', `${Root}/diff`>) => Diff>(answer => answer),
    same<(answer: AnswerOf<'GET', `${Root}/compare`>) => Comparison>(answer => answer),
  ];
  // A dry run may return 200 with another body, so a change's response is one of several types.
  type Changed = Extract<AnswerOf<'POST', `${Root}/changes`>, { created: string[] }>;
  type Restored = Extract<AnswerOf<'POST', `${Root}/restore`>, { created: string[] }>;
  held.push(same<(answer: Changed) => ChangeResult>(answer => answer));
  held.push(same<(answer: Restored) => RestoreResult>(answer => answer));
  expect(held).toHaveLength(5);
});
