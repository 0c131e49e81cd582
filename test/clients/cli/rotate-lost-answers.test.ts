import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { passTo } from '../relay.ts';
import { type ReceivedRequest, reset, type ScriptedServer, startServer } from '../sdk/scripted-server.ts';
import type { Ending } from './cli.ts';
import { useWorkplace } from './workplace.ts';

/*
 * Each request of a rotation goes wrong in turn. What the file `outside` has must then be in
 * Holdfast, and the command must say whether the rotation is over.
 */

const { api, cli, owner, place, variables } = useWorkplace();

const outside = () => readFileSync(join(cli.home, 'outside'), 'utf8');
const scripts = [
  '--run',
  'printf %s "$HOLDFAST_NEW_A" >outside',
  '--check',
  'test "$(cat outside)" = "$HOLDFAST_NEW_A"',
  '--after',
  'test "$HOLDFAST_OLD_A" != "$HOLDFAST_NEW_A" && printf %s "$HOLDFAST_OLD_A" >revoked',
];

const nowhere = { writeHead: () => nowhere, end: () => nowhere } as unknown as ServerResponse;

/** What becomes of a request and of its answer. */
type Fault = (request: ReceivedRequest, response: ServerResponse) => Promise<void>;

const pass: Fault = (request, response) => passTo(api.url)(request, response);
const never: Fault = async (request, response) => reset(request, response);
const lost: Fault = async (request, response) => {
  await passTo(api.url)(request, nowhere);
  reset(request, response);
};
const failing: Fault = async (_, response) => {
  response.writeHead(500, { 'content-type': 'application/json' });
  response.end('{"error": {"code": "internal_error", "message": "It failed.", "requestId": "r"}}');
};

/** Runs the command behind a relay. @param faultOf the fault of a request, by its number from 0 */
async function behind(faultOf: (number: number) => Fault, words: readonly string[], input: string) {
  let number = 0;
  const pending: Promise<void>[] = [];
  const relay: ScriptedServer = await startServer((request, response) => {
    const handled = faultOf(number)(request, response);
    number += 1;
    pending.push(handled);
  });
  const ended = await cli.run(['rotate', ...words], { env: { ...variables, HOLDFAST_URL: relay.url }, input });
  await Promise.all(pending);
  await relay.stop();
  return { ended, requests: number };
}

const proposalsIn = async (state: string) =>
  (await api.get(place.at('dev', `/proposals?state=${state}`), owner.session)).body.proposals;

/** @returns whether the rotation is open */
async function expectKept(what: unknown[], ended: Ending): Promise<boolean> {
  const open = await proposalsIn('open');
  expect([what, open.length <= 1, ended]).toEqual([what, true, ended]);
  const [only] = open;
  const known = [(await place.values('dev')).A];
  if (only !== undefined) {
    const { values } = (await api.get(place.at('dev', `/proposals/${only.id}?values=true`), owner.session)).body;
    known.push(values[0].after);
  }
  expect([what, ended, known]).toEqual([what, ended, expect.arrayContaining([outside()])]);
  if (ended.code === 0) expect([what, only, known]).toEqual([what, undefined, [outside()]]);
  return only !== undefined;
}

test.each([
  ['loses its answer', lost, pass],
  ['loses its answer, and the service is away then', lost, never],
  ['fails, and so do all others', failing, failing],
])('a request that %s', { timeout: 300_000 }, async (_, fault, then) => {
  const seen = { open: 0, notFinished: 0, over: 0 };
  for (let at = 0, isOver = false; !isOver; at += 1) {
    const [old, value] = [`old ${at}`, `new ${at}`];
    await place.set('dev', 'A', old);
    cli.file('outside', old);
    cli.file('revoked', '');
    const faultOf = (number: number) => (number < at ? pass : number === at ? fault : then);
    const first = await behind(faultOf, ['A', '--stdin', ...scripts], value);
    isOver = first.requests <= at;
    expect(first.ended.stdout + first.ended.stderr).not.toContain(value);
    const isOpen = await expectKept([at, 'first'], first.ended);

    const second = await cli.run(['rotate', '--resume', ...scripts], { env: variables });
    const isResumed = second.code === 0;
    expect([at, second]).toEqual([at, expect.objectContaining({ code: isResumed ? 0 : 5 })]);
    expect(await expectKept([at, 'second'], second)).toBe(false);
    if (isOpen) expect([at, isResumed]).toEqual([at, true]);
    const revoked = readFileSync(join(cli.home, 'revoked'), 'utf8');
    // What never began has changed nothing.
    expect([at, outside(), revoked]).toEqual(isResumed || outside() === value ? [at, value, old] : [at, old, '']);
    seen[isOpen ? 'open' : isResumed ? 'notFinished' : 'over'] += 1;
  }
  expect(seen.over).toBeGreaterThan(0);
  expect(seen.open).toBeGreaterThan(0);
  if (then !== pass) expect(seen.notFinished).toBeGreaterThan(0);
});
