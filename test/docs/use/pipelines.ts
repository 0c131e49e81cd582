import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse as parseDotenv } from 'dotenv-17';
import { expect } from 'vitest';
import { parse } from 'yaml';
import type { Workflow } from '#test/support/github-runner.ts';
import { printed, printer, type Run, secrets } from './world.ts';

const runWorkflow: Run = async (text, { fill, runner }) => {
  writeFileSync(join(runner.workspace, 'deploy.sh'), `#!/bin/sh\nnode -e '${printer}' >deployed\n`, { mode: 0o755 });
  const results = await runner.runJob(parse(fill(text)) as Workflow, 'deploy');

  expect(results.map(({ code }) => code)).toEqual([0, 0]);
  expect(readFileSync(join(runner.workspace, 'deployed'), 'utf8')).toBe(printed);
};

const runSteps: Run = async (text, { fill, runner }) => {
  writeFileSync(join(runner.workspace, 'build.sh'), '#!/bin/sh\ncat "$1" >built\n', { mode: 0o755 });
  const steps = parse(fill(text));
  const job = { environment: 'production', steps };
  const results = await runner.runJob({ on: {}, permissions: { 'id-token': 'write' }, jobs: { build: job } }, 'build');

  expect(results.map(({ code, env }) => [code, env.size])).toEqual([
    [0, 0],
    [0, 0],
  ]);
  expect(parseDotenv(readFileSync(join(runner.workspace, 'built')))).toEqual(secrets);
  expect(existsSync(join(runner.workspace, '.env.production'))).toBe(false);
};

/** All lines of a job run in one shell. */
const runGitLabJob: Run = async (text, world) => {
  const { deploy } = parse(world.fill(text));
  expect(deploy.before_script.filter((line: string) => line.includes('/install.sh'))).toHaveLength(1);
  world.file('work/deploy.sh', `#!/bin/sh\nnode -e '${printer}'\n`, 0o755);
  const [, identity] = /^holdfast:identity:(.+)$/.exec(deploy.id_tokens.HOLDFAST_ID_TOKEN.aud) ?? [];
  const env = { ...deploy.variables, HOLDFAST_ID_TOKEN: await world.issuer.token(identity ?? '') };

  expect(await world.shell([...deploy.before_script, ...deploy.script].join('\n'), env)).toContain(printed);
};

export const gitHub = [runWorkflow, runSteps];
export const gitLab = [runGitLabJob];
