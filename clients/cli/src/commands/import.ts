import { ApprovalRequired, RevisionMismatch } from '@holdfast/sdk';
import { applyPlan, refuseMoved, requireConfirmed, showDryRun, showPlan } from '../change.ts';
import { Argument, defineCommand, type FlagsOf, Option } from '../define-command.ts';
import { exitCodes, Failure, usage } from '../failure.ts';
import { failureOf } from '../failure-of.ts';
import { nameOf } from '../import/destination.ts';
import type { Exported, SourceFile } from '../import/exported.ts';
import { approvalNeeded, type PlannedImport, planImports, prepare, titleOf } from '../import/import-values.ts';
import { type Source, type SourceName, sourceNames } from '../import/source.ts';
import { planOptions } from '../options.ts';
import { printable } from '../printable.ts';
import { countOf } from '../proposal.ts';
import { readFile } from '../read-limited.ts';
import type { Session } from '../session.ts';
import type { PlaceMember } from '../settings/settings-file.ts';
import { decode, readStandardInput } from '../standard-input.ts';

const options = [
  new Option('--map <file>', 'where each place of the source goes, as {"project/environment": "project/environment"}'),
  ...planOptions,
] as const;

type ImportFlags = FlagsOf<typeof options>;

export default defineCommand({
  name: 'import',
  heading: 'Change secrets',
  position: 7,
  description: 'move secrets here from another product',
  example: 'holdfast import doppler secrets.json --dry-run',
  notes: 'Without a file, it runs the product’s own command line. See docs/use/moving.md for each product.',
  arguments: [
    new Argument('<source>', 'the product').choices(sourceNames).argParser(sourceName),
    new Argument('[files...]', 'its exports, each of one environment or several, or - for standard input'),
  ],
  options,
  run: importAll,
});

async function importAll(session: Session, name: string, names: readonly string[], flags: ImportFlags): Promise<void> {
  const { output, terminal } = session;
  const { readExport, sourceNamed } = await import('../import/sources/read-export.ts');
  const { readYaml } = await import('../yaml-fields.ts');
  const source = sourceNamed(name as SourceName);
  const map = flags.map === undefined ? undefined : { name: flags.map, text: decode(readFile(flags.map), flags.map) };
  const files = await filesOf(session, source, names);
  const defaultOf = async (member: PlaceMember) => (await session.place(member))[member];
  const { exported, contents } = await readExport(source, files, { map, defaultOf, readYaml });
  const message = `imported from ${source.title}`;
  const planned = await planImports(session, contents, message);
  if (flags.dryRun) {
    if (!output.json) for (const one of planned) showDryRun(output, one.plan, titleOf(one), flags.all);
    report(session, exported, planned);
    return;
  }
  for (const one of planned) showPlan(session, one.plan, titleOf(one), flags.all);
  showLeft(session, exported);
  const changing = planned.filter(({ plan }) => countOf(plan) > 0);
  if (changing.length > 0) await requireConfirmed(terminal, false);
  const revisions = new Map<PlannedImport, number>();
  for (const one of changing) {
    try {
      revisions.set(one, await carryOut(session, one, message));
    } catch (error) {
      throw changing.length > 1 ? stoppedAt(one, changing, error) : error;
    }
  }
  report(session, exported, planned, revisions);
}

/** The failure, and which of several environments have their values. */
function stoppedAt(one: PlannedImport, changing: readonly PlannedImport[], error: unknown): Failure {
  const { exitCode, code, message, requestId, details, hint } = failureOf(error);
  const names = changing.map(({ destination }) => nameOf(destination));
  const at = changing.indexOf(one);
  const [imported, stopped, notReached] = [names.slice(0, at), names[at], names.slice(at + 1)];
  const lines = [
    `Imported: ${imported.join(', ') || 'none'}`,
    `Stopped at ${stopped}: ${message}`,
    `Not reached: ${notReached.join(', ') || 'none'}`,
  ];
  const all = { imported, stopped, notReached, cause: details };
  const problem = `Not all environments were imported.\n  ${lines.join('\n  ')}`;
  return new Failure(exitCode, code, problem, { requestId, hint, details: all });
}

/** @throws Failure that leads those on who have a file of values and no product */
function sourceName(name: string): string {
  if (sourceNames.some(one => one === name)) return name;
  const problem = `${JSON.stringify(name)} is not one of the products ${sourceNames.join(', ')}.`;
  throw usage(problem, 'To import a dotenv, JSON or YAML file: holdfast push FILE');
}

/** Files that the product encrypted are decrypted by its command line, if that is installed. */
async function filesOf(session: Session, source: Source, names: readonly string[]): Promise<SourceFile[]> {
  const { isInstalled, runTool } = await import('../import/tool.ts');
  const { program, decrypt, collect, example } = source;
  if (names.length === 0) {
    if (collect === undefined) throw usage('Name the file to import.', `For example: ${example}`);
    if (!isInstalled(program))
      throw usage(`${program} is not installed. Name the files to import.`, `Export them: ${example}`);
    session.output.note(`Running ${program} to export the secrets.`);
    return collect(runTool, { environment: async () => (await session.place('environment')).environment });
  }
  const files: SourceFile[] = [];
  for (const name of names) {
    const isInput = name === '-';
    const text = isInput ? await readStandardInput(session.terminal) : decode(readFile(name), name);
    const file = { name: isInput ? 'Standard input' : name, text };
    const decrypts = !isInput && decrypt?.isEncrypted(text) === true && isInstalled(program);
    if (decrypts) session.output.note(`Running ${program} to decrypt ${name}.`);
    files.push(decrypts ? await decrypted(session, file, () => runTool(program, ...decrypt.words(name))) : file);
  }
  return files;
}

/** Without the key, the file stays as it is: its encrypted values are refused by name. */
async function decrypted({ output }: Session, file: SourceFile, run: () => Promise<SourceFile>): Promise<SourceFile> {
  try {
    return { ...file, text: (await run()).text };
  } catch (error) {
    if (!(error instanceof Failure && error.code === 'source_failed')) throw error;
    output.note(`${file.name} could not be decrypted.`);
    return file;
  }
}

/** @returns the revision that has the values */
async function carryOut(session: Session, one: PlannedImport, message: string): Promise<number> {
  const { environment, plan } = await prepare(session, one, message);
  const place = nameOf(one.destination);
  try {
    const { revision } = await applyPlan(environment, plan);
    session.output.note(`Done; ${place} is at revision ${revision}.`);
    return revision;
  } catch (error) {
    if (error instanceof RevisionMismatch) {
      const { currentRevision } = error;
      return await refuseMoved(
        session.output,
        environment,
        { base: plan.revision, current: currentRevision },
        'it was not imported',
      );
    }
    throw error instanceof ApprovalRequired ? approvalNeeded(one.destination) : error;
  }
}

/** What stays behind, which a prompt always shows. */
function showLeft({ output, terminal }: Session, { refused, left }: Exported): void {
  const say = terminal.confirms ? output.warn : output.note;
  for (const sentence of left) say(`Has no place here: ${printable(sentence)}`);
  for (const line of refusedLines(refused)) say(`Can’t be imported: ${line}`);
}

const refusedLines = (refused: Exported['refused']): string[] =>
  refused.map(({ place, key, reason }) => printable(`${place}: ${nameOfKey(key)} ${reason}`));

const nameOfKey = (key: string): string => (/^[\w.-]{1,256}$/.test(key) ? key : JSON.stringify(key.slice(0, 256)));

/** @throws Failure that names every value that was not imported */
function report(
  session: Session,
  exported: Exported,
  planned: readonly PlannedImport[],
  revisions?: ReadonlyMap<PlannedImport, number>,
): void {
  const { output } = session;
  const { refused, left } = exported;
  if (output.json) {
    const environments = planned.map(one => {
      const { destination, missing, plan, current } = one;
      const { project, environment, places } = destination;
      const { created, updated, unchanged } = plan;
      const revision = revisions?.get(one) ?? current?.plan.revision ?? 0;
      const from = places.map(({ name }) => name);
      return { from, project, environment, isNew: missing !== undefined, created, updated, unchanged, revision };
    });
    output.document({ ...(revisions === undefined && { dryRun: true }), environments, refused, left });
  }
  if (refused.length === 0) {
    if (planned.length === 0) throw new Failure(exitCodes.other, 'nothing_to_import', 'The export has no value.');
    if (revisions === undefined) showLeft(session, exported);
    else if (revisions.size === 0) output.note('Nothing was changed.');
    return;
  }
  if (revisions === undefined) for (const sentence of left) output.note(`Has no place here: ${printable(sentence)}`);
  const count = refused.length === 1 ? 'A value' : `${refused.length} values`;
  const rest = revisions === undefined ? 'the rest can be' : 'the rest was';
  throw new Failure(
    exitCodes.notRepresentable,
    'not_imported',
    `${count} can’t be imported; ${rest}.\n  ${refusedLines(refused).join('\n  ')}`,
    { details: refused },
  );
}
