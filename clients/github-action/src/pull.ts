import { info } from '@actions/core';
import type { Entry } from '@holdfast/contracts/fields/formats/format.ts';
import {
  exchangeAssertion,
  Holdfast,
  type IdentityOptions,
  identityTimeoutMs,
  identityToken,
  platformAssertion,
} from '@holdfast/sdk';
import type { Inputs } from './inputs.ts';

declare const HOLDFAST_VERSION: string;

const userAgent = `holdfast-github-action/${HOLDFAST_VERSION}`;

const announce: NonNullable<ConstructorParameters<typeof Holdfast>[0]['onRetry']> = ({ error, delayMs }) =>
  info(`${error.message} Trying again in ${Math.round(delayMs / 1000)} s.`);

/** The limit of `?keys=`. */
const mostNamedKeys = 100;

const signOutMs = 5000;

interface Pulled {
  entries: Entry[];
  revision: number;
  /** Each layer with its own, and the environment; undefined without layers. */
  revisions: string | undefined;
}

/**
 * Signs in with the job's ID token and reads the secrets. Passes each token and each value with its key to `mask` as soon
 * as it arrives, before anything else is done with it.
 */
export async function pull(inputs: Inputs, mask: (secret: string, key?: string) => void): Promise<Pulled> {
  const { url, organization, project, environment, layers, identity, keys, waitMs } = inputs;
  // The runner sets it only for jobs that may.
  if (!process.env.ACTIONS_ID_TOKEN_REQUEST_URL) {
    throw new Error('The job can’t get an ID token: give it the permission id-token: write.');
  }
  const assertion = platformAssertion(identity, { ...process.env, HOLDFAST_ID_TOKEN_SOURCE: 'github' });
  const masked = (token: string) => {
    mask(token);
    return token;
  };
  let isSignedIn = false;
  const token = identityToken(
    { url, organization, identity, userAgent },
    { get: async () => masked(await assertion.get()) },
    async (options: IdentityOptions, subject: string) => {
      const issued = await exchangeAssertion(options, subject);
      mask(issued.token);
      isSignedIn = true;
      return issued;
    },
  );
  const client = new Holdfast({ url, userAgent, token, tokenTimeoutMs: identityTimeoutMs, waitMs, onRetry: announce });
  const isShort = keys !== undefined && keys.length <= mostNamedKeys;
  try {
    const names = [...layers, `${project}/${environment}`];
    const options = isShort ? { keys } : {};
    const layered =
      layers.length === 0
        ? undefined
        : await client.layers(
            names.map(name => `${organization}/${name}`),
            options,
          );
    const snapshot = layered ?? (await client.environment(organization, project, environment).pull(options));
    for (const key of snapshot.keys()) mask(snapshot.require(key), key);
    const entries = (keys ?? snapshot.keys()).map((key): Entry => [key, snapshot.require(key)]);
    const revisions = layered?.layers.map(({ revision }, index) => `${names[index]}@${revision}`).join();
    return { entries, revision: snapshot.revision, revisions };
  } finally {
    // It expires within the hour anyway, so the job doesn't depend on this.
    const signal = AbortSignal.timeout(signOutMs);
    if (isSignedIn) await client.request('DELETE', '/v1/auth/tokens/current', { signal }).catch(() => undefined);
  }
}
