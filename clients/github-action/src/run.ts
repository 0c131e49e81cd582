import http from 'node:http';
import { exportVariable, info, setOutput, setSecret, warning } from '@actions/core';
import { type Entry, type Refusal, refusalsOf } from '@holdfast/contracts/fields/formats/format.ts';
import { formats } from '@holdfast/contracts/fields/formats/formats.ts';
import { github } from '@holdfast/contracts/fields/formats/github.ts';
import { type Inputs, readInputs } from './inputs.ts';
import { masksOf } from './masks.ts';
import { pull } from './pull.ts';
import { writePrivately } from './write-privately.ts';

/** @throws Error whose message is for the job's log; nothing was written or exported unless everything can be */
export async function run(): Promise<void> {
  const inputs = readInputs();
  const { GITHUB_WORKSPACE: workspace = process.cwd() } = process.env;
  requireRunner();
  // For runners that reach the internet only through a proxy. Older versions of Node 24 don't have it.
  http.setGlobalProxyFromEnv?.();
  const unmasked: string[] = [];
  const { entries, revision, revisions } = await pull(inputs, (secret, key) => {
    const masks = masksOf(secret, inputs.mask);
    for (const mask of masks) setSecret(mask);
    if (key !== undefined && masks.length === 0 && secret.trim() !== '') unmasked.push(key);
  });
  if (inputs.exportsEnv) requireNone('exported', refusalsOf(github, entries, allowanceOf(inputs)));
  const text = inputs.file && textOf(inputs.file.format, entries, inputs);
  if (inputs.file !== undefined && text !== undefined) writePrivately(inputs.file.path, text, workspace);
  if (inputs.exportsEnv) for (const [key, value] of entries) exportVariable(key, value);
  setOutput('revision', revision);
  if (revisions !== undefined) setOutput('revisions', revisions);
  if (unmasked.length > 0) {
    info(`Too short or too common to be masked: ${unmasked.join(', ')}. To mask them too: mask: all`);
  }
}

/** Without these files, @actions/core prints commands that the runner no longer accepts. */
function requireRunner(): void {
  const missing = ['GITHUB_ENV', 'GITHUB_OUTPUT'].filter(name => !process.env[name]);
  if (missing.length > 0) throw new Error(`${missing.join(' and ')} is not set: run this as a step of GitHub Actions.`);
}

function textOf(name: string, entries: readonly Entry[], inputs: Inputs): string {
  const { project, environment } = inputs;
  const format = formats[name];
  if (format === undefined) throw new Error(`There is no format ${name}.`);
  requireNone(`written as ${name}`, refusalsOf(format, entries, allowanceOf(inputs)));
  const said = format.warning?.(entries);
  if (said !== undefined) warning(said);
  return format.write(entries, { project, environment });
}

const allowanceOf = ({ allowed }: Inputs) => ({ allowed, option: (key: string) => `allow-name: ${key}` });

/** @throws Error naming every key and why, never a value */
function requireNone(done: string, refusals: readonly Refusal[]): void {
  if (refusals.length === 0) return;
  const named = refusals.map(({ key, reason }) => `${key} ${reason}`);
  throw new Error(`Nothing was ${done}, because ${named.join(', and ')}: choose others with the input keys.`);
}
