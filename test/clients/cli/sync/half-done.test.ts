import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { fresh, scratchDirectory } from '#test/support/fixtures.ts';
import { awsVariables } from '#test/support/sync-targets/aws.ts';
import type { TargetRequest } from '#test/support/sync-targets/target-server.ts';
import { worlds } from '#test/support/sync-targets/worlds.ts';
import { syncsInto } from './in-process.ts';

const folder = scratchDirectory();
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

afterAll(() => {
  for (const name of Object.keys(awsVariables(''))) delete process.env[name];
});

/** Whether a request writes the value of this name. */
const writes = ({ method, path, headers, body }: TargetRequest, name: string): boolean => {
  const isRead = method === 'GET' || /\.(?:Describe|List|Get)/.test(String(headers['x-amz-target']));
  const named = [path, body?.Name, body?.SecretId, body?.ResourceId, body?.key, body?.name].map(text =>
    String(text ?? '')
      .split('/')
      .at(-1),
  );
  const isValue = String(body?.value).startsWith(`value-of-${name}-`);
  return !isRead && (isValue || named.includes(name) || body?.secrets?.[name] !== undefined);
};

describe.each(worlds)('a sync to $kind that is not complete', ({ target, open }) => {
  const world = fresh(() => open(file));
  const values = () => Object.fromEntries(world.values());
  const revision = (number: number, ...names: string[]) => ({
    name: 'acme/web-shop/dev',
    revision: number,
    values: Object.fromEntries(names.map(name => [name, `value-of-${name}-${number}`])),
  });

  it('brings up to date later what --only has left out', async () => {
    const sync = syncsInto(target, world);
    expect((await sync(revision(1, 'A', 'B'))).error).toBeUndefined();
    const second = revision(2, 'A', 'B');
    expect((await sync(second, { only: ['A'] })).error).toBeUndefined();
    expect(values()).toEqual({ ...revision(1, 'B').values, ...revision(2, 'A').values });
    expect((await sync(second, { check: true })).error).toMatchObject({ exitCode: 7 });
    expect((await sync(second)).error).toBeUndefined();
    expect(values()).toEqual(second.values);
    // Now they are at the revision, so that --only leaves nothing behind.
    expect((await sync(second, { only: ['A'] })).error).toBeUndefined();
    expect((await sync(second, { check: true })).error).toBeUndefined();
  });

  it('writes the rest if one name can’t be written, and names both', async () => {
    const sync = syncsInto(target, world);
    const isOneObject = ['shop/web-shop', 'shop/prod'].includes(world.to);
    world.server.setFaults(request => (writes(request, 'BAD') ? 'error' : undefined));
    const source = revision(1, 'A', 'BAD', 'C');
    if (!isOneObject) {
      const { error, printed } = await sync(source);
      expect(error, printed).toMatchObject({ code: 'sync_incomplete', exitCode: 1 });
      expect(error?.details).toMatchObject({ created: ['A', 'C'], failed: [{ name: 'BAD' }] });
      expect(values()).toEqual(revision(1, 'A', 'C').values);
      expect((await sync(source, { check: true })).error).toMatchObject({ exitCode: 7 });
    }
    world.server.setFaults();
    expect((await sync(source)).error).toBeUndefined();
    expect(values()).toEqual(source.values);
    expect((await sync(source, { check: true })).error).toBeUndefined();
  });

  it('keeps what somebody creates after the plan was made', async () => {
    const sync = syncsInto(target, world);
    const source = revision(1, 'A', 'B');
    await sync(source, { dryRun: true });
    const reads = world.server.requests.length;
    world.server.setFaults((_, index) => {
      if (index === 2 * reads + 1) world.set('A', 'by-hand');
      return undefined;
    });
    const { error, printed } = await sync(source);
    expect(error, printed).toMatchObject({ exitCode: expect.any(Number) });
    expect(values().A).toBe('by-hand');
    expect((await sync(source)).error).toMatchObject({ code: 'not_owned' });
    world.remove('A');
    expect((await sync(source)).error).toBeUndefined();
    expect(values()).toEqual(source.values);
  });

  it('leaves a name with its owner if taking it over fails', async () => {
    const sync = syncsInto(target, world);
    const isOneObject = ['shop/web-shop', 'shop/prod'].includes(world.to);
    if (isOneObject) return;
    const [first, second] = [revision(1, 'BAD', 'A'), { ...revision(2, 'BAD'), name: 'acme/web-shop/production' }];
    expect((await sync(first)).error).toBeUndefined();
    world.server.setFaults(request => (writes(request, 'BAD') ? 'error' : undefined));
    expect((await sync(second, { adopt: ['BAD'] })).error).toMatchObject({ code: 'sync_incomplete' });
    world.server.setFaults();
    expect((await sync(second)).error).toMatchObject({ code: 'not_owned' });
    expect(values()).toEqual(first.values);
    expect((await sync({ ...first, revision: 3 })).error).toBeUndefined();
    expect((await sync(second, { adopt: ['BAD'] })).error).toBeUndefined();
    expect(values()).toEqual({ ...first.values, ...second.values });
    expect((await sync({ ...first, revision: 4 })).error).toMatchObject({ code: 'not_owned' });
  });
});
