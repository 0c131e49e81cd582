import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dictionary } from '@zxcvbn-ts/language-common';
import type { Plugin } from 'esbuild';
import { shortestNewPassword } from '#lib/contracts/auth/credentials.ts';

/* Packages of which the functions need only a part that esbuild can't find out by itself. */

/** The package's index loads every dispatcher, interceptor and mock. The functions send each request with a `Client`. */
const undici = `
  const Client = require('./lib/dispatcher/client');
  Client.prototype.request = require('./lib/api/api-request');
  module.exports = { Client };
`;

/** A shorter password is rejected before it is looked up, so the list's 49,000 shorter ones are never found. */
export const longPasswords = dictionary['passwords-common'].filter(({ length }) => length >= shortestNewPassword);

/**
 * The SDK's regions of all partitions of AWS, in which it looks up only what is the same for a partition's regions. The
 * service runs in the first partition alone (`infra/plan/platform-settings.ts`).
 */
function onePartition(source: string): string {
  const { partitions, ...rest } = JSON.parse(source.slice(source.indexOf('{'), source.lastIndexOf('}') + 1));
  return `export const partitionsInfo = ${JSON.stringify({ ...rest, partitions: [{ ...partitions[0], regions: {} }] })}`;
}

/**
 * New passkeys are asked for without an attestation, so browsers send none that has certificates. One that comes all the
 * same is rejected.
 */
const noAndroidKey = `
  export async function verifyAttestationAndroidKey() {
    throw new Error('Attestations of Android keys are not accepted.');
  }
`;

/** Only clients with `retryMode: 'adaptive'` create one. The service's clients have the standard mode. */
const noAdaptiveRetries = `
  export class AdaptiveRetryStrategy {
    constructor() {
      throw new Error('The functions have no adaptive retries.');
    }
  }
`;

/** Lambda has no files in `~/.aws` and no instance metadata. The function's region is in an environment variable. */
const noSharedFiles = `
  export { CONFIG_PREFIX_SEPARATOR } from './constants';
  export const loadSharedConfigFiles = async () => ({ configFile: {}, credentialsFile: {} });
`;
const noInstanceMetadata = 'export const getInstanceMetadataRegion = async () => undefined;';

/** The contents of the modules that are replaced, by the end of their path. */
const replacements: readonly (readonly [RegExp, string | ((source: string) => string)])[] = [
  [/util-endpoints[/\\]lib[/\\]aws[/\\]partitions\.js$/, onePartition],
  // Digests for runtimes that have none. Node has them.
  [/checksum[/\\]sha256[/\\]Sha256Js\.js$/, 'export const Sha256Js = undefined;'],
  [/checksum[/\\]md5[/\\]Md5Js\.js$/, 'export const Md5Js = undefined;'],
  [/util-retry[/\\]AdaptiveRetryStrategy\.js$/, noAdaptiveRetries],
  [/shared-ini-file-loader[/\\]loadSharedConfigFiles\.js$/, noSharedFiles],
  [/regionConfig[/\\]getInstanceMetadataRegion\.js$/, noInstanceMetadata],
  [/registration[/\\]verifications[/\\]verifyAttestationAndroidKey\.js$/, noAndroidKey],
  [/undici[/\\]index\.js$/, undici],
  // The parser for processors without SIMD instructions. Lambda's arm64 processors have them.
  [/undici[/\\]lib[/\\]llhttp[/\\]llhttp-wasm\.js$/, "throw new Error('This processor has no SIMD instructions.');"],
  [/language-common[/\\]dist[/\\]passwords\.json\.mjs$/, `export default ${JSON.stringify(longPasswords)};`],
  [/language-common[/\\]dist[/\\]diceware\.json\.mjs$/, 'export default [];'],
];

/** undici's own switch for Node's copy of it, which leaves out an experimental second parser. */
export const leanDefinitions = { esbuildDetection: 'true' };

export const leanPackages: Plugin = {
  name: 'lean-packages',
  setup: ({ onLoad }) => {
    for (const [filter, contents] of replacements) {
      onLoad({ filter }, ({ path }) => ({
        contents: typeof contents === 'string' ? contents : contents(readFileSync(path, 'utf8')),
        resolveDir: join(path, '..'),
      }));
    }
  },
};
