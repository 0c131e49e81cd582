import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { useApi } from '#test/support/api.ts';
import { checkAccountOf, serveParameter } from '#test/support/check-account.ts';
import { seedPerson } from '#test/support/people.ts';
import { runCommand } from '#test/support/run-command.ts';
import { expectStatus } from '#test/support/sample-requests.ts';

const api = useApi();

test.each([
  [true, ['log-in', 'pull', 'log-out']],
  [false, ['log-in', 'set', 'pull', 'log-out']],
])('the check by hand sets nothing under maintenance (%s)', async (maintenance, steps) => {
  const installation = `smoke-test-${process.pid}`;
  const file = join(import.meta.dirname, '../../../installations', `${installation}.json`);
  const settings = {
    mailFrom: 'no-reply@holdfast.test',
    region: 'eu-central-1',
    checkParameter: '/check',
    maintenance,
  };
  writeFileSync(file, JSON.stringify(settings));
  onTestFinished(() => rmSync(file, { force: true }));
  const person = await seedPerson();
  const { id } = person.organization;
  const { project } = (await expectStatus(api.post(`/projects/${id}`, { name: 'Check' }, person.session), 201)).body;
  const parameters = await serveParameter({ ...checkAccountOf(api, person), project: project.slug });
  onTestFinished(parameters.stop);

  const { code, stdout, stderr } = await runCommand('smoke', [installation]);

  expect([code, stderr]).toEqual([0, '']);
  expect([...stdout.matchAll(/([a-z-]+) \d+ ms/g)].map(([, step]) => step)).toEqual(steps);
});
