import { expect, it } from 'vitest';
import { Holdfast } from '#clients/sdk/src/index.ts';
import { createToken } from '#test/support/api.ts';
import { openWorkplace, type Workplace } from '#test/support/environments.ts';
import { shared } from '#test/support/fixtures.ts';
import { startObservedApi } from '#test/support/observed-api.ts';
import { seedOwner } from '#test/support/people.ts';
import { expectStatus } from '#test/support/sample-requests.ts';
import { randomFrom, seed } from '#test/support/seed.ts';

const api = shared(() => startObservedApi({ REQUESTS_PER_MINUTE: '100000' }));
const owner = shared(seedOwner);
const token = shared(() => createToken(api, owner));

const nameOf = ({ project }: Workplace, env: string) => `${project.slug}/${env}`;

it('agrees with a plain merge for 1,000 random stacks, also through the SDK', { timeout: 3_600_000 }, async () => {
  const fraction = randomFrom(seed);
  const random = (below: number) => Math.floor(fraction() * below);
  const places = await Promise.all(Array.from({ length: 4 }, () => openWorkplace(api, owner)));
  const keys = Array.from({ length: 12 }, (_, index) => `KEY_${index}`);
  const held = new Map<string, { revision: number; values: Record<string, string> }>();
  const stacks = places.flatMap(place => ['dev', 'staging', 'production'].map(env => ({ place, env })));
  const change = async ({ place, env }: (typeof stacks)[number]) => {
    const name = nameOf(place, env);
    const picked = keys.filter(() => random(3) === 0);
    const values = Object.fromEntries(picked.map(key => [key, `${name} ${key} ${random(1_000_000)}`]));
    const old = Object.keys(held.get(name)?.values ?? {}).filter(key => values[key] === undefined);
    const set = Object.entries(values).map(([key, value]) => ({ key, value }));
    const body = { ...(set.length === 0 ? {} : { set }), ...(old.length === 0 ? {} : { delete: old }) };
    if (Object.keys(body).length === 0) return;
    const { revision } = (await expectStatus(place.change(env, body), 200)).body;
    held.set(name, { revision, values });
  };
  for (const one of stacks) await change(one);
  const client = new Holdfast({ url: api.url, token: token.token, retries: 0 });

  for (let stack = 0; stack < 1000; stack += 1) {
    if (stack % 10 === 0) await change(stacks[random(stacks.length)] as (typeof stacks)[number]);
    const left = [...stacks];
    const chosen = Array.from({ length: 2 + random(5) }, () => left.splice(random(left.length), 1)[0]) as typeof stacks;
    const names = chosen.map(({ place, env }) => nameOf(place, env));
    const expected = new Map<string, [string, string]>();
    for (const name of names) {
      for (const [key, value] of Object.entries(held.get(name)?.values ?? {})) expected.set(key, [value, name]);
    }
    const revisions = names.map(name => held.get(name)?.revision ?? 0);
    const sorted = Object.fromEntries([...expected].toSorted(([a], [b]) => (a < b ? -1 : 1)));
    const { place, env } = chosen.at(-1) as (typeof stacks)[number];
    const answer = await place.pull(env, `?layers=${names.slice(0, -1).join(',')}`, { as: token });
    const values = answer.body.secrets.map(({ key, value, from }: Record<string, string>) => [key, [value, from]]);
    expect(values).toEqual(Object.entries(sorted));
    expect([answer.body.revision, answer.headers.get('etag')]).toEqual([revisions.at(-1), `"${revisions.join('.')}"`]);

    const whole = names.map(name => `${owner.organization.slug}/${name}`);
    const snapshot = await client.layers(whole);
    expect(snapshot.keys().map(key => [key, [snapshot.get(key), snapshot.sourceOf(key)]])).toEqual(
      Object.entries(sorted).map(([key, [value, name]]) => [key, [value, `${owner.organization.slug}/${name}`]]),
    );
    expect(snapshot.layers).toEqual(whole.map((name, index) => ({ name, revision: revisions[index] })));
  }
});
