import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parse } from 'yaml';
import type { Issuer } from './issuer.ts';
import { startReceiver } from './receiver.ts';

/* Transcribed from actions/runner: {ActionCommand,FileCommandManager,ActionCommandManager,ValueEncoders}.cs. */

export interface StepResult {
  code: number | null;
  /** The job's log, masked like the runner does. */
  log: string;
  /** What the step printed, commands included. */
  printed: string;
  /** What the runner hides from now on. */
  masks: string[];
  env: Map<string, string>;
  outputs: Map<string, string>;
}

interface Step {
  uses?: string;
  with?: Readonly<Record<string, string>>;
  run?: string;
}

export interface Workflow {
  on: Readonly<Record<string, unknown>>;
  permissions?: Readonly<Record<string, string>>;
  jobs: Readonly<Record<string, Job>>;
}

interface Job {
  environment?: string;
  env?: Readonly<Record<string, string>>;
  steps: readonly Step[];
}

/** `NAME=value` and `NAME<<DELIMITER` lines; line breaks are line feeds, as on Linux. */
export function readFileCommands(text: string): Map<string, string> {
  const values = new Map<string, string>();
  let at = 0;
  const readLine = () => {
    if (at >= text.length) return undefined;
    const end = text.indexOf('\n', at);
    const line = { text: text.slice(at, end < 0 ? text.length : end), isEnded: end >= 0 };
    at = end < 0 ? text.length : end + 1;
    return line;
  };
  for (let line = readLine(); line !== undefined; line = readLine()) {
    if (line.text === '') continue;
    const equals = line.text.indexOf('=');
    const heredoc = line.text.indexOf('<<');
    if (equals >= 0 && (heredoc < 0 || equals < heredoc)) {
      values.set(line.text.slice(0, equals), line.text.slice(equals + 1));
      continue;
    }
    if (heredoc <= 0 || heredoc + 2 === line.text.length) throw new Error('runner: invalid format');
    const delimiter = line.text.slice(heredoc + 2);
    const start = at;
    let end = at;
    for (let next = readLine(); next?.text !== delimiter; next = readLine()) {
      if (next === undefined || !next.isEnded) throw new Error('runner: matching delimiter not found');
      end = at - 1;
    }
    values.set(line.text.slice(0, heredoc), text.slice(start, end));
  }
  return values;
}

/** A line that begins with `::command properties::`; undefined for any other line. */
export function parseCommand(line: string): { name: string; data: string } | undefined {
  const [, info, data = ''] = /^\s*::(.*?)::(.*)$/s.exec(line) ?? [];
  if (info === undefined) return undefined;
  const unescaped = data.replaceAll('%0D', '\r').replaceAll('%0A', '\n').replaceAll('%25', '%');
  return { name: info.split(' ')[0] ?? '', data: unescaped };
}

/** Hides masked texts, and the forms in which programs print them most often. */
export function createMasker() {
  const masks = new Set<string>();
  const hidden = new Set<string>();
  const add = (text: string) => {
    const bytes = Buffer.from(text);
    const base64 = [0, 1, 2].map(shift => bytes.subarray(bytes.length > shift ? shift : 0).toString('base64'));
    masks.add(text);
    for (const form of [text, JSON.stringify(text).slice(1, -1), encodeURIComponent(text), ...base64]) hidden.add(form);
  };
  return {
    masks: () => [...masks],
    addMask: (data: string) => {
      if (data.trim() === '') return;
      add(data);
      for (const line of data.split(/[\r\n]+/)) if (line.trim() !== '') add(line.trim());
    },
    hide: (line: string) =>
      [...hidden].toSorted((a, b) => b.length - a.length).reduce((text, form) => text.replaceAll(form, '***'), line),
  };
}

type Env = Readonly<Record<string, string>>;

const root = join(import.meta.dirname, '../..');
const bearer = 'runner-secret';

/** Where a runner's jobs get ID tokens of this issuer, and the variables by which they find it. */
export async function startTokenEndpoint(issuer: Issuer, claims: () => Record<string, unknown> = () => ({})) {
  const receiver = await startReceiver(async (response, { path, headers }) => {
    const { searchParams } = new URL(path, 'http://runner');
    const isJob = headers.authorization === `Bearer ${bearer}` && searchParams.get('api-version') === '2.0';
    if (!isJob) return response.writeHead(401).end();
    const identity = (searchParams.get('audience') ?? '').replace('holdfast:identity:', '');
    return response.end(JSON.stringify({ count: 1, value: await issuer.token(identity, claims()) }, null, 2));
  });
  const variables = {
    ACTIONS_ID_TOKEN_REQUEST_URL: `${receiver.url}/token?api-version=2.0`,
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: bearer,
  };
  return { ...receiver, variables };
}

/** A runner whose jobs get ID tokens from this issuer. */
export async function startGitHubRunner(issuer: Issuer) {
  const home = mkdtempSync(join(tmpdir(), 'holdfast-runner-'));
  const workspace = join(home, 'work');
  mkdirSync(workspace);
  let claims: Record<string, unknown> = {};
  const tokens = await startTokenEndpoint(issuer, () => claims);

  async function runStep(command: readonly string[], env: Env, masker = createMasker()): Promise<StepResult> {
    const files = { GITHUB_ENV: join(home, 'set_env'), GITHUB_OUTPUT: join(home, 'set_output') };
    for (const file of Object.values(files)) writeFileSync(file, '');
    const [program = '', ...args] = command;
    const child = spawn(program, args, {
      cwd: workspace,
      env: {
        PATH: process.env.PATH ?? '',
        HOME: home,
        GITHUB_ACTIONS: 'true',
        GITHUB_WORKSPACE: workspace,
        ...files,
        ...env,
      },
    });
    const closed = new Promise<number | null>(resolve => child.once('close', resolve));
    const outputs = await Promise.all([text(child.stdout), text(child.stderr)]);
    const lines = outputs.flatMap(output => output.match(/[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$/g) ?? []);
    const printed = lines.map(line => line.replace(/[\r\n]+$/, ''));
    const log: string[] = [];
    for (const line of printed) {
      const parsed = parseCommand(line);
      if (parsed?.name === 'add-mask') masker.addMask(parsed.data);
      else log.push(masker.hide(parsed === undefined ? line : `##[${parsed.name}]${parsed.data}`));
    }
    const [variables, set] = Object.values(files).map(file => readFileCommands(readFileSync(file, 'utf8')));
    return {
      code: await closed,
      log: log.join('\n'),
      printed: printed.join('\n'),
      masks: masker.masks(),
      env: variables ?? new Map(),
      outputs: set ?? new Map(),
    };
  }

  return {
    workspace,
    tokens,
    runAction: (folder: string, inputs: Readonly<Record<string, string>>, env: Env = tokens.variables) =>
      runStep(...actionOf(folder, inputs, env)),
    /** Runs a job's steps; an action of this repository runs from the checkout. @returns the result of each step */
    runJob: async ({ permissions = {}, jobs }: Workflow, name: string): Promise<StepResult[]> => {
      const { environment, env = {}, steps } = jobs[name] as Job;
      claims = environment === undefined ? {} : { environment };
      const masker = createMasker();
      const variables = new Map(Object.entries(env));
      const results: StepResult[] = [];
      for (const step of steps) {
        // The checkout is what the test wrote.
        if (step.uses?.startsWith('actions/checkout@')) continue;
        const given = {
          ...Object.fromEntries(variables),
          ...(permissions['id-token'] === 'write' ? tokens.variables : {}),
        };
        const folder = /^[\w-]+\/[\w-]+\/(.+)@[\w.]+$/.exec(step.uses ?? '')?.[1];
        const result =
          folder === undefined
            ? await runStep(['bash', '-e', '-c', step.run ?? 'false'], given, masker)
            : await runStep(...actionOf(join(root, folder), step.with ?? {}, given), masker);
        results.push(result);
        for (const [key, value] of result.env) variables.set(key, value);
        if (result.code !== 0) break;
      }
      return results;
    },
    stop: async (): Promise<void> => {
      rmSync(home, { recursive: true });
      await tokens.stop();
    },
  };
}

/** The command of a JavaScript action, with its inputs as variables. */
function actionOf(folder: string, given: Readonly<Record<string, string>>, env: Env): [string[], Env] {
  const { inputs, runs } = parse(readFileSync(join(folder, 'action.yml'), 'utf8')) as {
    inputs: Record<string, { default?: string }>;
    runs: { using: string; main: string };
  };
  const major = process.versions.node.split('.')[0];
  if (runs.using !== `node${major}`) throw new Error(`The action uses ${runs.using}, and this is Node ${major}.`);
  const unknown = Object.keys(given).filter(name => !Object.hasOwn(inputs, name));
  if (unknown.length > 0) throw new Error(`The action has no input ${unknown.join(', ')}.`);
  const expression = Object.values(given).find(value => value.includes('${{'));
  if (expression !== undefined) throw new Error(`This runner evaluates no expressions: ${expression}`);
  const variables = Object.entries(inputs).map(([name, { default: fallback = '' }]) => [
    `INPUT_${name.replaceAll(' ', '_').toUpperCase()}`,
    given[name] ?? fallback,
  ]);
  return [[process.execPath, join(folder, runs.main)], { ...env, ...Object.fromEntries(variables) }];
}
