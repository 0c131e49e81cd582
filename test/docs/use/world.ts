import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildDownloads } from '#clients/cli/build-downloads.ts';
import { openAcme } from '#test/support/acme.ts';
import { type Api, createToken, startApi } from '#test/support/api.ts';
import { startGitHubRunner } from '#test/support/github-runner.ts';
import { type Issuer, identityOf, startIssuer } from '#test/support/issuer.ts';
import { type Person, seedPerson } from '#test/support/people.ts';
import { expectStatus } from '#test/support/sample-requests.ts';
import { buildCli } from '../../clients/cli/cli.ts';
import { pathOf } from '../../clients/cli/scripts/image.ts';

export const secrets = {
  API_KEY: 'it\'s "$5" \\ 100% #1',
  DATABASE_URL: 'postgres://web:pass@db.internal/shop?x=1&y=2',
};

export type World = Awaited<ReturnType<typeof openWorld>>;

/** A recipe's block, and how its test can say that a tool isn't there. */
export type Run = (text: string, world: World, skip: (note: string) => void) => Promise<void>;

/** What runs the secrets' names in a child process and prints the values. */
export const printer = 'console.log(JSON.stringify([process.env.API_KEY, process.env.DATABASE_URL]))\n';
export const printed = `${JSON.stringify([secrets.API_KEY, secrets.DATABASE_URL])}\n`;

export const isInstalled = (program: string): boolean => pathOf(program) !== undefined;

/** The variables of a job or container that reads production. */
export const settingsOf = ({ origin, identity }: World): Record<string, string> => ({
  HOLDFAST_URL: origin,
  HOLDFAST_ORG: 'acme',
  HOLDFAST_PROJECT: 'web-shop',
  HOLDFAST_ENV: 'production',
  HOLDFAST_IDENTITY: identity,
});

const printedIdentity = 'a4c7e10b-52d9-8f36-b18e-6d03f9a2c754';

/** The installation, organization and machine that the recipes are written for. */
export async function openWorld() {
  const api = await startApi({}, undefined, undefined, buildDownloads());
  const [issuer, ada] = await Promise.all([startIssuer(), seedPerson()]);
  const runner = await startGitHubRunner(issuer);
  const { identity, organizationId, projectId, environmentId } = await createAcme(api, ada, issuer);
  const scope = { access: 'read', organizationId, projectId, environmentId };
  const [{ token }, { token: fullToken }] = await Promise.all([createToken(api, ada, scope), createToken(api, ada)]);
  const cli = buildCli();
  const { home, file } = cli;
  file('.local/bin/holdfast', `#!/bin/sh\nexec '${process.execPath}' '${cli.bundle}' "$@"\n`, 0o755);
  mkdirSync(join(home, 'shims'));
  mkdirSync(join(home, 'work'));
  const { origin } = new URL(api.url);
  const path = `${home}/shims:${home}/.local/bin:${process.env.PATH}`;
  return {
    api,
    /** Without `/v1`. */
    origin,
    issuer,
    runner,
    ada,
    /** A deployer of production that may sign in more than once with the same token. */
    identity,
    organizationId,
    projectId,
    /** May read production only. */
    token,
    /** May change everything. */
    fullToken,
    home,
    /** The command line as a program in ~/.local/bin is on it. */
    path,
    file,
    fill: (text: string) =>
      text.replaceAll('https://secrets.example.com', origin).replaceAll(printedIdentity, identity),
    /** A program that stands in front of the installed ones. */
    shim: (name: string, script: string) => void file(`shims/${name}`, `#!/bin/sh\n${script}\n`, 0o755),
    /** Runs a script with bash, or the shell that is named. @returns what it printed */
    shell: async (
      script: string,
      env: Readonly<Record<string, string>> = {},
      { cwd = join(home, 'work'), command = ['bash', '--norc', '-euo', 'pipefail'] } = {},
    ) => {
      const [program = '', ...args] = command;
      const variables = { PATH: path, HOME: home, TMPDIR: home, HOLDFAST_KEYRING: 'off', ...env };
      return (await promisify(execFile)(program, [...args, '-c', script], { cwd, env: variables })).stdout;
    },
    stop: async () => {
      cli.remove();
      await Promise.all([api.stop(), issuer.stop(), runner.stop()]);
    },
  };
}

async function createAcme(api: Api, ada: Person, issuer: Issuer) {
  const { organization, project } = await openAcme(api, ada);
  const [organizationId, projectId] = [organization.id, project.id];
  const environmentId = project.environments.find(({ slug }) => slug === 'production')?.id;
  await expectStatus(api.post('/secrets/acme/web-shop/production/bulk', { secrets }, ada.session), 200);
  const deployer = identityOf(issuer, { role: 'deployer', projectId, environmentId, singleUse: false });
  const created = await expectStatus(api.post(`/identities/${organizationId}`, deployer, ada.session), 201);
  return { identity: created.body.identity.id as string, organizationId, projectId, environmentId };
}
