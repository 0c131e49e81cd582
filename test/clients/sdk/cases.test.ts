import { inspect } from 'node:util';
import { vi } from 'vitest';
import { isTrustedContainerAddress } from '#clients/sdk/src/aws-credentials.ts';
import {
  type Environment,
  Holdfast,
  HoldfastError,
  type HoldfastOptions,
  platformAssertion,
  type Snapshot,
} from '#clients/sdk/src/index.ts';
import { stsIn } from '#clients/sdk/src/sts.ts';
import type { Call, InTurn, Outcome, Sdk } from '../cases/case.ts';
import { runCases } from '../cases/run-cases.ts';

let client: Holdfast;
let environment: Environment;
let watched: AsyncGenerator<Snapshot, void, undefined>;
let failed: string[];

/** The table that both SDKs pass. */
const sdk: Sdk = {
  open: (url, { url: _, token, idToken, ...options }, variables) =>
    outcomeOf(() => {
      for (const [name, value] of Object.entries(variables ?? {})) vi.stubEnv(name, value);
      const own = idToken === undefined ? {} : { idToken: functionOf(idToken) };
      const credential = typeof token === 'object' || token === 'never' ? functionOf(token) : token;
      const given: HoldfastOptions = { ...options, url, token: credential ?? 'service_tok_nobody-may-log' };
      client = variables === undefined ? new Holdfast(given) : Holdfast.fromEnvironment({ ...options, ...own });
      environment = client.environment('acme', 'web-shop', 'dev');
      return {};
    }),
  call: (call, variables) => outcomeOf(() => resultOf(call, variables)),
  advance: async milliseconds => void vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + milliseconds }),
  reset: async () => {
    await watched?.return();
    vi.useRealTimers();
    vi.unstubAllEnvs();
  },
};

async function resultOf(call: Call, variables: Record<string, string>): Promise<Record<string, unknown>> {
  switch (call[0]) {
    case 'open':
      return {};
    case 'pull':
      return shownOf(await environment.pull(call[1]));
    case 'get':
      return { value: (await environment.pull({ keys: [call[1]] })).require(call[1]) };
    case 'set': {
      const { changed, revision, secret } = await environment.set(call[1], call[2], call[3]);
      return { changed, revision, version: secret.version };
    }
    case 'layers': {
      const snapshot = await client.layers(call[1], call[2]);
      const sources = Object.fromEntries(snapshot.keys().map(key => [key, snapshot.sourceOf(key)]));
      return { ...shownOf(snapshot), sources, layers: snapshot.layers.map(({ name, revision }) => [name, revision]) };
    }
    case 'watch': {
      const { layers, intervalMs } = call[1];
      failed = [];
      const options = { intervalMs, onError: ({ code }: HoldfastError) => failed.push(code) };
      watched = layers === undefined ? environment.watch(options) : client.watchLayers(layers, options);
      return {};
    }
    case 'next': {
      const { value } = await watched.next();
      return value === undefined ? { ended: true } : { ...shownOf(value), failed: failed.splice(0) };
    }
    case 'idToken': {
      const { PATH = '' } = process.env;
      return { token: await platformAssertion('i-1', { PATH, ...variables }).get() };
    }
    case 'trustsContainer':
      return { trusted: isTrustedContainerAddress(new URL(call[1])) };
    case 'sts':
      return { url: stsIn(call[1], undefined, fetch).url };
  }
}

function shownOf(snapshot: Snapshot): Record<string, unknown> {
  const { revision, stale } = snapshot;
  const keys = snapshot.keys();
  const shown = inspect(snapshot, { customInspect: false, showHidden: true, depth: 20 }) + JSON.stringify(snapshot);
  const expanding = keys.filter(key => snapshot.expands(key));
  const showsValue = Object.values(snapshot.toObject()).some(value => value !== '' && shown.includes(value));
  return { revision, stale, values: { ...snapshot.toObject() }, expanding, count: keys.length, showsValue };
}

function functionOf(turns: InTurn | 'never'): () => Promise<string> {
  if (turns === 'never') return () => new Promise(() => {});
  const texts = [...turns.inTurn];
  return async () => {
    await new Promise(resolve => setTimeout(resolve, turns.delayMs ?? 0));
    return (texts.length > 1 ? texts.shift() : texts[0]) ?? '';
  };
}

async function outcomeOf(work: () => Promise<Record<string, unknown>> | Record<string, unknown>): Promise<Outcome> {
  try {
    return { result: await work() };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const own = error instanceof HoldfastError ? {} : { type: 'usage' };
    const shown = inspect(error, { depth: 20, showHidden: true, customInspect: false });
    const { message, name: type } = error;
    return { error: { ...error, type, message, ...own, shown: [shown, JSON.stringify(error), error.stack].join() } };
  }
}

runCases(sdk);
