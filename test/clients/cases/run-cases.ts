import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startAwsPlatform } from '#test/support/aws-platform.ts';
import { untilEnd } from '#test/support/fixtures.ts';
import { startReceiver } from '#test/support/receiver.ts';
import { type ReceivedRequest, startServer } from '../sdk/scripted-server.ts';
import { answerWith, environmentsIn } from './answers.ts';
import type { Case, Outcome, Sdk, Step } from './case.ts';

/** Every token and every value of the table contains it. */
const secret = 'nobody-may-log';

const tables = readdirSync(import.meta.dirname)
  .filter(name => name.endsWith('.json'))
  .map(name => ({ name, cases: JSON.parse(readFileSync(join(import.meta.dirname, name), 'utf8')) as Case[] }));

/** Runs every case of the table in this folder with an SDK. */
export function runCases(sdk: Sdk): void {
  describe.each(tables)('$name', ({ cases }) => {
    it.each(cases)('$title', async one => {
      try {
        await runCase(sdk, one);
      } finally {
        await sdk.reset();
      }
    });
  });
}

/** Calls of the sources of ID tokens. */
const withoutClient: readonly string[] = ['idToken', 'trustsContainer', 'sts'];

async function runCase(sdk: Sdk, given: Case): Promise<void> {
  const place = await openPlace(JSON.stringify(given));
  const { variables, client = {}, steps = [], ...single }: Case = place.filled;
  let isOpen = false;
  for (const step of steps.length > 0 ? steps : [single as Step]) {
    for (const [name, text] of Object.entries(step.files ?? {})) writeFileSync(join(place.folder, name), text);
    place.script(step);
    if (step.advanceMs !== undefined) await sdk.advance(step.advanceMs);
    const needsClient = !withoutClient.includes(step.call[0]);
    const begun = performance.now();
    let outcome: Outcome | undefined;
    if (needsClient && !isOpen) {
      const opened = await sdk.open(client.url ?? place.url, client, variables);
      if ('error' in opened) outcome = opened;
      isOpen = true;
    }
    outcome ??= await sdk.call(step.call, variables ?? {});
    expectOutcome(outcome, step);
    if (step.atLeastMs !== undefined) expect(performance.now() - begun).toBeGreaterThanOrEqual(step.atLeastMs);
    expectRequests(place.requests(), step);
    if (step.signedBy !== undefined) expect(place.signedBy()).toBe(step.signedBy);
  }
  expect(place.otherConnections()).toBe(0);
}

/** Member by member, so that a result's values are equal and have no others. */
function expectOutcome(outcome: Outcome, { result, error }: Step): void {
  const [actual, expected] = 'error' in outcome ? [outcome.error, error] : [outcome.result, result];
  expect(expected, `unexpected: ${JSON.stringify(outcome)}`).toBeDefined();
  const { messageContains, ...members } = expected as Record<string, unknown>;
  const named = Object.fromEntries(Object.keys(members).map(name => [name, actual[name]]));
  expect(named, JSON.stringify(outcome)).toEqual(members);
  if (messageContains !== undefined) expect(actual.message).toContain(messageContains);
  if ('error' in outcome) expect(actual.shown).not.toContain(secret);
}

function expectRequests(received: readonly ReceivedRequest[], { requests }: Step): void {
  if (typeof requests === 'number') expect(received).toHaveLength(requests);
  else if (Array.isArray(requests)) {
    const shown = received.map(({ query, ...request }) => ({ ...request, query: Object.fromEntries(query) }));
    expect(shown).toMatchObject(requests);
  } else if (requests !== undefined) expect(received.length).toBeLessThanOrEqual(requests.atMost);
}

/** The servers and the folder of a case. Names such as `<server>` in it stand for their addresses. */
async function openPlace(text: string) {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-cases-'));
  await untilEnd({ stop: () => rmSync(folder, { recursive: true, force: true }) });
  let from = 0;
  let answers: Step['answers'] = [];
  let environments: Step['environments'];
  let layersService: Step['layersService'];
  const server = await untilEnd(
    startServer((request, response) => {
      const answered = server.requests.length - 1 - from;
      const answer = answers?.[Math.min(answered, answers.length - 1)] ?? 'hang';
      const respond = environments === undefined ? answerWith(answer) : environmentsIn(environments, layersService);
      respond(request, response);
    }),
  );
  const isNamed = (name: string) => text.includes(`<${name}>`);
  const other = isNamed('other') ? await untilEnd(startReceiver()) : undefined;
  const untrusted = isNamed('untrusted') ? await untilEnd(startReceiver(undefined, { tls: true })) : undefined;
  const aws = isNamed('aws') ? await untilEnd(startAwsPlatform()) : undefined;
  const { port } = new URL(server.url);
  const names: Record<string, string | undefined> = {
    folder,
    server: server.url,
    host: `127.0.0.1:${port}`,
    other: other?.url,
    untrusted: untrusted?.url,
    aws: aws?.url,
  };
  let begin = 0;
  return {
    folder,
    url: server.url,
    filled: JSON.parse(text.replaceAll(/<(\w+)>/g, (whole, name: string) => names[name] ?? whole)) as Case,
    /** Uses the step's answers, and counts the requests from here on. */
    script: (step: Step) => {
      begin = server.requests.length;
      if (step.answers !== undefined) {
        answers = step.answers;
        from = begin;
      }
      environments = step.answers === undefined ? (step.environments ?? environments) : undefined;
      layersService = step.layersService ?? layersService;
    },
    requests: () => server.requests.slice(begin),
    signedBy: () => aws?.signed.at(-1)?.accessKeyId,
    otherConnections: () => other?.connections() ?? 0,
  };
}
