import type { LayeredSnapshot } from '@holdfast/sdk';
import { planLines, requireConfirmed, showPlan, summaryOf } from '../change.ts';
import { userAgent } from '../connect.ts';
import { Argument, defineCommand, type FlagsOf, Option } from '../define-command.ts';
import { usage } from '../failure.ts';
import { failureOf } from '../failure-of.ts';
import { allowNameOption, integer, onlyOption, planOptions, secretKeys, waitOption } from '../options.ts';
import type { Session } from '../session.ts';
import { listLayers, pullEntries, revisionsOf, select } from '../snapshot.ts';
import type { OpenPlace } from '../sync/place.ts';

/** Each is loaded only when it is named, with its libraries. */
const targets: Readonly<Record<string, () => Promise<{ openPlace: OpenPlace }>>> = {
  kubernetes: () => import('../sync/targets/kubernetes.ts'),
  github: () => import('../sync/targets/github.ts'),
  'aws-ssm': () => import('../sync/targets/aws-ssm.ts'),
  'aws-secrets-manager': () => import('../sync/targets/aws-secrets-manager.ts'),
  vercel: () => import('../sync/targets/vercel.ts'),
  cloudflare: () => import('../sync/targets/cloudflare.ts'),
};

const options = [
  new Option(
    '--to <place>',
    'where to: NAMESPACE/SECRET, OWNER/REPO[:ENVIRONMENT] or OWNER, a path, a secret’s name or a prefix that ends in a slash, PROJECT:TARGET, or a Worker’s name',
  ).makeOptionMandatory(),
  onlyOption,
  new Option('--adopt <keys>', 'overwrite and own these names, although this sync did not write them').argParser(
    secretKeys,
  ),
  new Option('--prune', 'remove names that earlier syncs wrote and that the environment no longer has'),
  new Option('--check', 'write nothing, and exit with 7 if names or the revision differ').conflicts([
    'dryRun',
    'watch',
    'adopt',
  ]),
  new Option(
    '--restart <workload>',
    'start deployment/NAME, statefulset/NAME or daemonset/NAME again (kubernetes)',
  ).argParser(workload),
  new Option('-w, --watch', 'sync after each new revision, until a signal ends it (kubernetes)').conflicts('dryRun'),
  new Option('--interval <seconds>', 'how often --watch polls').argParser(integer(1, 86_400)).default(10),
  allowNameOption,
  ...planOptions,
  waitOption,
] as const;

function workload(text: string, before: string[] = []): string[] {
  if (/^(?:deployment|statefulset|daemonset)\/[a-z0-9]+(?:[.-]+[a-z0-9]+)*$/.test(text)) return [...before, text];
  throw usage('--restart takes deployment/NAME, statefulset/NAME or daemonset/NAME.');
}

export default defineCommand({
  name: 'sync',
  heading: 'Use secrets',
  position: 6,
  description: 'write the secrets to a place that can’t read them from here, such as a Kubernetes Secret',
  example: 'holdfast sync kubernetes --to shop/web-shop --dry-run',
  arguments: [new Argument('<target>', 'what to write to').choices(Object.keys(targets))],
  options,
  run,
});

async function run(session: Session, target: string, flags: FlagsOf<typeof options>): Promise<void> {
  const { output, terminal } = session;
  if (flags.watch && target !== 'kubernetes') throw usage('--watch is for kubernetes.');
  if (flags.watch && !flags.yes) throw usage('--watch writes each new revision without asking.', 'Add --yes.');
  const load = targets[target];
  if (load === undefined) throw new Error(`There is no target ${target}.`);
  const [engine, { openPlace }] = [await import('../sync/engine.ts'), await load()];
  const kit = engine.createKit({ userAgent, waitMs: flags.wait, output, parseYaml });
  const place = await openPlace(flags.to, kit);
  // Also sets the proxy and the certificate authorities for the requests to the target.
  const client = await session.client();
  const environments = await session.layers();
  const top = environments.at(-1);
  if (top === undefined) throw new Error('There is no environment.');
  const name = `${top.organization}/${top.project}/${top.slug}`;
  const sourceOf = (revisions: string, entries: readonly (readonly [string, string | undefined])[]) =>
    engine.describeSource(name, revisions, entries, flags.only);

  if (flags.check) {
    const { revisions, keys } = await readKeys(session);
    select(
      keys.map(key => [key, '']),
      flags.only,
      revisions,
    );
    const entries = keys.map(key => [key, undefined] as const);
    return await engine.checkPlace({ output }, place, sourceOf(revisions, entries), flags);
  }
  const lent = {
    output,
    terminal,
    showPlan: (...[plan, title, all]: [Parameters<typeof showPlan>[1], string, boolean]) =>
      showPlan(session, plan, title, all),
    planLines: (...[plan, title, all]: [Parameters<typeof planLines>[0], string, boolean]) => ({
      lines: planLines(plan, output, 1, all)
        .map(line => `${line}\n`)
        .join(''),
      summary: summaryOf(plan, title),
    }),
    requireConfirmed: () => requireConfirmed(terminal, false),
    messageOf: (error: unknown) => failureOf(error).message,
  };
  if (flags.watch) {
    // The watch says what it does during an outage.
    session.silenceRetries();
    const sources = (signal: AbortSignal, onError: (error: unknown) => void) =>
      client.watchLayers(environments, { intervalMs: flags.interval * 1000, signal, onError });
    const ofSnapshot = (snapshot: LayeredSnapshot) => {
      const revisions = environments.map((one, index) => [one, snapshot.layers[index]?.revision ?? 0] as const);
      return sourceOf(revisionsOf(revisions), Object.entries(snapshot.toObject()));
    };
    return await engine.followSource(lent, place, { sources, ofSnapshot }, flags);
  }
  const { entries, revisions } = await pullEntries(session, {});
  select(entries, flags.only, revisions);
  await engine.syncPlace(lent, place, sourceOf(revisions, entries), flags);
}

/** A list of keys needs no audit entry, and no right to read values. */
async function readKeys(session: Session): Promise<{ revisions: string; keys: string[] }> {
  const lists = await listLayers(session);
  return {
    revisions: revisionsOf(lists.map(({ environment, revision }) => [environment, revision])),
    keys: [...new Set(lists.flatMap(({ keys }) => keys.map(({ key }) => key)))].sort(),
  };
}

async function parseYaml(text: string): Promise<unknown> {
  const { parseAllDocuments } = await import('yaml');
  const [document] = parseAllDocuments(text, { logLevel: 'silent' });
  return document === undefined ? undefined : document.toJS();
}
