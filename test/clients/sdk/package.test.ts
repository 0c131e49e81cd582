import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildDownloads } from '#clients/cli/build-downloads.ts';
import { createProject, createToken, startApi } from '#test/support/api.ts';
import { awsCredentials, credentialVariables, startAwsPlatform } from '#test/support/aws-platform.ts';
import { shared, untilEnd } from '#test/support/fixtures.ts';
import { seedPerson } from '#test/support/people.ts';
import { installServed, run } from '../packed.ts';
import { passTo } from '../relay.ts';
import { startServer } from './scripted-server.ts';

const root = join(import.meta.dirname, '../../..');
const sdk = join(root, 'clients/sdk');
const readme = readFileSync(join(sdk, 'README.md'), 'utf8');

/** The compilers that read the published types: the latest major version and the one before. */
const compilers = [join(root, 'node_modules/typescript/bin/tsc'), join(sdk, 'node_modules/typescript/bin/tsc')];
const { version } = JSON.parse(readFileSync(join(sdk, 'package.json'), 'utf8'));
const api = shared(() => startApi({}, undefined, undefined, buildDownloads()));
/** As the README says. It needs nothing from the registry. */
const packed = shared(() => {
  const [, path] = /npm install https:\/\/secrets\.example\.com(\/\S+)/.exec(readme) ?? [];
  expect(path).toBe(`/holdfast-sdk-${version}.tgz`);
  return installServed(new URL(path ?? '', api.url).href, { type: 'module' });
});
beforeAll(async () => {
  const blocks = [...readme.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(match => match[1] as string);
  expect(blocks.length).toBeGreaterThan(6);
  writeFileSync(join(packed.project, 'readme.ts'), blocks.join('\n'));
  await compile(compilers[0]);
});
/** npm's errors without a network, or if the registry doesn't have the package. */
const noRegistry = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENOTCACHED|E404|ETARGET/;

async function compile(tsc: string | undefined): Promise<void> {
  const compilerOptions = {
    target: 'es2022',
    module: 'nodenext',
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    types: [],
    lib: ['es2022', 'dom', 'dom.asynciterable'],
    rootDir: '.',
    outDir: 'out',
  };
  const types = 'declare const process: { env: Record<string, string | undefined> };';
  writeFileSync(join(packed.project, 'node.d.ts'), types);
  writeFileSync(join(packed.project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  await run(process.execPath, [String(tsc), '-p', packed.project]).catch(failure => {
    throw new Error(failure.stdout);
  });
}

/** Runs the README’s program in its own directory against the running service. @returns its output */
async function runReadme(node: string): Promise<string> {
  const ada = await seedPerson();
  await createProject(api, ada, 'Web Shop');
  const { token } = await createToken(api, ada);
  const pass = passTo(api.url);
  // Replaces the README’s organization with that of the test’s user.
  const { slug, id } = ada.organization;
  const server = await untilEnd(
    startServer((request, response) => {
      const path = request.path.replace('/acme/', `/${slug}/`).replace(/^(\/v1\/(?:audit|due))\/[^/]+/, `$1/${id}`);
      void pass({ ...request, path }, response);
    }),
  );
  const env = { HOLDFAST_URL: server.url, HOLDFAST_TOKEN: token };
  const { stdout } = await run(node, [join(packed.project, 'out/readme.js')], { env, cwd: packed.project });
  return stdout;
}

function expectReadme(stdout: string): void {
  const [lines, log] = stdout.split('now at 8\n');
  expect(lines?.split('\n')).toEqual([
    "{ revision: 1, keys: [ 'DATABASE_URL', 'LOG_LEVEL' ] } 25",
    "[ 'WORKERS' ] [ 'LOG_LEVEL' ] 6",
    '18 26 true',
    ...['CACHE_HOST', 'CACHE_URL', 'HINT'].map(key => `${key} null [] null`),
    '[]',
    'open 0 1 []',
    "7 [ { key: 'LOG_LEVEL' } ] [ 'DATABASE_URL', 'LOG_LEVEL' ] []",
    ...[8, 7, 6, 5, 4, 3, 2, 1].map(revision => `revision ${revision}`),
    ...['DATABASE_URL', 'GREETING', 'LOG_LEVEL', 'SESSION_KEY', 'WORKERS'].map(key => `key ${key}`),
    'restores 1',
    'true 0 to rotate',
    '',
  ]);
  expect(log).toMatch(
    /^LOG_LEVEL comes from [\w-]+\/web-shop\/dev\n[\w-]+\/web-shop\/staging@\d,[\w-]+\/web-shop\/dev@8\n/,
  );
  // A comparison reads both sides, with an audit entry for each, and so do layers.
  const actions = ['secret.pulled', 'secret.pulled', 'secret.pulled', 'secret.compared', 'secret.compared'];
  expect(log?.match(/secret\.\w+/g)).toEqual(actions);
}

describe('the SDK that an installation serves', () => {
  it('contains only code, types and its README, and has no dependencies', () => {
    const others = packed.files.filter(path => !/^dist\/[\w-]+\.(?:js|d\.ts)$/.test(path));
    expect(others.toSorted()).toEqual(['README.md', 'package.json']);
    const manifest = JSON.parse(readFileSync(join(packed.project, 'node_modules/@holdfast/sdk/package.json'), 'utf8'));
    const { dependencies, peerDependencies, optionalDependencies } = manifest;
    expect({ ...dependencies, ...peerDependencies, ...optionalDependencies }).toEqual({});
  });

  it.each(compilers)('has types that compile in an empty project, including the README’s examples (%#)', compile);

  it('needs nothing from Node: it bundles for a browser', async () => {
    const { outputFiles, metafile } = await build({
      stdin: { contents: "export { Holdfast } from '@holdfast/sdk';", resolveDir: packed.project },
      bundle: true,
      minify: true,
      write: false,
      metafile: true,
      format: 'esm',
      platform: 'browser',
    });
    const imports = Object.values(metafile.inputs).flatMap(input => input.imports);
    expect(imports.filter(({ external }) => external)).toEqual([]);
    expect(outputFiles[0]?.contents.length).toBeLessThan(24_700);
  });

  it('contains what signs for AWS, and loads it only to sign', async () => {
    const aws = await untilEnd(startAwsPlatform());
    const script = `import { platformAssertion } from '@holdfast/sdk';
      process.stdout.write(await platformAssertion('i-1').get());`;
    const place = { HOLDFAST_ID_TOKEN_SOURCE: 'aws', AWS_REGION: 'eu-west-1', AWS_ENDPOINT_URL_STS: aws.url };
    const env = { ...place, ...credentialVariables(awsCredentials.session) };
    writeFileSync(join(packed.project, 'sign.mjs'), script);
    expect((await run(process.execPath, ['sign.mjs'], { env, cwd: packed.project })).stdout).toBe('aws.id.token');
    const dist = join(packed.project, 'node_modules/@holdfast/sdk/dist');
    const readers = packed.files.filter(
      path => path.endsWith('.js') && readFileSync(join(dist, '..', path), 'utf8').includes('AWS4-HMAC'),
    );
    expect(readers).toEqual(['dist/sign-sts-request.js']);
    expect(readFileSync(join(dist, 'sign-sts-request.js'), 'utf8')).toContain('@license MIT');
    const index = join(dist, 'index.js');
    const { metafile } = await build({
      entryPoints: [index],
      bundle: true,
      splitting: true,
      write: false,
      metafile: true,
      outdir: 'out',
      format: 'esm',
      platform: 'node',
    });
    const first = Object.values(metafile.outputs).find(({ entryPoint }) => entryPoint?.endsWith('dist/index.js'));
    expect(Object.keys(first?.inputs ?? {}).filter(path => /aws|sts/.test(path))).toEqual([]);
  });

  it('runs the README’s examples', async () => {
    expectReadme(await runReadme(process.execPath));
  });

  it.for([20, 22, 24])('runs them on Node %i', async (major, { skip }) => {
    const node = await packed.node(major).catch(failure => {
      if (!noRegistry.test(failure.stderr)) throw failure;
      return skip(`node@${major} is not to be had here: ${noRegistry.exec(failure.stderr)?.[0]}`);
    });
    expectReadme(await runReadme(node));
  });
});
