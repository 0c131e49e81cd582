import { describe, expect, it } from 'vitest';
import { shared } from '#test/support/fixtures.ts';
import { pullAnswer, startServer } from '../sdk/scripted-server.ts';
import { buildCli, variablesOf } from './cli.ts';
import { dieOfEach, everyDeadlySignal, everyExitCode, exitWithEach, type Run } from './endings.ts';

const cli = shared(buildCli);
const server = shared(() => startServer(pullAnswer(1, { GREETING: 'hello' })));

describe.each([
  ['replaces this process', {}],
  ['is spawned', { HOLDFAST_RUN: 'spawn' }],
])('a command that %s', (_, way) => {
  const run: Run = words =>
    cli.run(['run', ...words], {
      env: { ...variablesOf(server.url, 'service_tok_run'), ...way },
    });

  it('exits with each of the 256 exit codes', async () => {
    const endings = await exitWithEach(run, everyExitCode);
    expect(endings.map(({ code }) => code)).toEqual(everyExitCode);
    expect(endings.filter(({ stderr }) => stderr !== '')).toEqual([]);
  }, 240_000);

  it('dies of each fatal signal', async () => {
    expect((await dieOfEach(run, everyDeadlySignal)).map(({ signal }) => signal)).toEqual(everyDeadlySignal);
    expect(everyDeadlySignal.length).toBeGreaterThan(20);
  }, 120_000);
});
