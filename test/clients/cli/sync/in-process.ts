import { parse } from 'yaml';
import type { Lent, SyncFlags } from '#clients/cli/src/sync/carry-out.ts';
import { checkPlace, createKit, describeSource, syncPlace } from '#clients/cli/src/sync/engine.ts';
import type { OpenPlace } from '#clients/cli/src/sync/place.ts';
import type { TargetWorld } from '#test/support/sync-targets/target-server.ts';

export const loaders: Readonly<Record<string, () => Promise<{ openPlace: OpenPlace }>>> = {
  kubernetes: () => import('#clients/cli/src/sync/targets/kubernetes.ts'),
  github: () => import('#clients/cli/src/sync/targets/github.ts'),
  'aws-ssm': () => import('#clients/cli/src/sync/targets/aws-ssm.ts'),
  'aws-secrets-manager': () => import('#clients/cli/src/sync/targets/aws-secrets-manager.ts'),
  vercel: () => import('#clients/cli/src/sync/targets/vercel.ts'),
  cloudflare: () => import('#clients/cli/src/sync/targets/cloudflare.ts'),
};

export interface SourceState {
  name: string;
  revision: number;
  values: Readonly<Record<string, string>>;
}

export interface SyncEnd {
  /** Undefined if it succeeded. */
  error: (Error & { code?: string; exitCode?: number; details?: unknown }) | undefined;
  /** Everything that it printed, with the error as the command line prints it. */
  printed: string;
}

/** What the AWS SDK does, but at once (the interface RetryStrategyV2). */
const withoutPauses = (maxAttempts: number) => {
  const tokenOf = (count: number) => ({ getRetryCount: () => count, getRetryDelay: () => 1 });
  return {
    acquireInitialRetryToken: async () => tokenOf(0),
    refreshRetryTokenForRetry: async (token: ReturnType<typeof tokenOf>, { errorType }: { errorType: string }) => {
      const isRetryable = errorType !== 'CLIENT_ERROR' && token.getRetryCount() + 1 < maxAttempts;
      if (!isRetryable) throw new Error('No more attempts.');
      return tokenOf(token.getRetryCount() + 1);
    },
    recordSuccess: () => {},
  };
};

/** Runs syncs as the command does, without a process for each. */
export function syncsInto(target: string, world: TargetWorld) {
  const environment = { ...process.env, ...world.variables };
  return async (
    source: SourceState,
    flags: SyncFlags & { check?: boolean; only?: string[] } = {},
  ): Promise<SyncEnd> => {
    const lines: string[] = [];
    const say = (line: string) => void lines.push(line);
    const output = {
      json: false,
      quiet: false,
      isTerminal: false,
      data: say,
      note: say,
      warn: say,
      listing: say,
      progress: say,
      document: (value: unknown) => say(JSON.stringify(value)),
      table: () => {},
      rows: () => {},
      time: (iso: string) => iso,
      ago: (iso: string) => iso,
      paint: (_: unknown, text: string) => text,
    };
    const lent: Lent = {
      output,
      terminal: { canAsk: false, mayWait: false, confirms: false, isUnattended: false } as Lent['terminal'],
      showPlan: (plan, title) => say(JSON.stringify([plan, title])),
      planLines: (plan, title) => ({ lines: JSON.stringify(plan), summary: title }),
      requireConfirmed: async () => {},
      messageOf: error => (error instanceof Error ? error.message : String(error)),
    };
    const parseYaml = async (text: string): Promise<unknown> => parse(text);
    // The AWS SDK reads the environment of the process.
    Object.assign(process.env, world.variables);
    try {
      const loaded = await loaders[target]?.();
      if (loaded === undefined) throw new Error(`There is no target ${target}.`);
      const kit = createKit({ userAgent: 'holdfast-test', waitMs: 60_000, output, parseYaml, pauseMs: 1 });
      const awsOptions = { ...kit.awsOptions, retryStrategy: withoutPauses(kit.awsOptions.maxAttempts) };
      const place = await loaded.openPlace(world.to, { ...kit, awsOptions, variables: environment });
      const entries = Object.entries(source.values);
      const described = describeSource(source.name, String(source.revision), entries, flags.only);
      if (flags.check) await checkPlace(lent, place, described, flags);
      else await syncPlace(lent, place, described, flags);
      return { error: undefined, printed: lines.join('\n') };
    } catch (error) {
      return { error: error as Error, printed: [...lines, (error as Error).message, JSON.stringify(error)].join('\n') };
    }
  };
}
