import { getInput } from '@actions/core';
import { formats } from '@holdfast/contracts/fields/formats/formats.ts';
import type { MaskMode } from './masks.ts';

export interface Inputs {
  url: string;
  organization: string;
  project: string;
  environment: string;
  /** As `project/environment`, the lowest first. */
  layers: string[];
  identity: string;
  /** All if undefined. */
  keys: string[] | undefined;
  /** Pass in spite of their names. */
  allowed: string[];
  exportsEnv: boolean;
  file: { path: string; format: string } | undefined;
  mask: MaskMode;
  waitMs: number;
}

/** The format for the runner's own file is what `export-env` is for. */
const fileFormats = Object.keys(formats).filter(name => name !== 'github');

/** @throws Error whose message says which input to correct */
export function readInputs(): Inputs {
  const keys = keysIn('keys');
  return {
    url: addressOf(required('url')),
    organization: required('organization'),
    project: required('project'),
    environment: required('environment'),
    layers: layersIn('layers'),
    identity: required('identity'),
    keys: keys.length === 0 ? undefined : [...new Set(keys)],
    allowed: keysIn('allow-name'),
    exportsEnv: isTrue('export-env', getInput('export-env') || 'true'),
    file: fileOf(getInput('output-file'), getInput('format')),
    mask: maskModeOf(getInput('mask') || 'auto'),
    waitMs: millisecondsOf('wait', getInput('wait') || '2m'),
  };
}

function required(name: string): string {
  const value = getInput(name);
  if (value === '') throw new Error(`The input ${name} is missing.`);
  return value;
}

function keysIn(name: string): string[] {
  return getInput(name)
    .split(/[\s,]+/)
    .filter(key => key !== '');
}

function layersIn(name: string): string[] {
  const layers = keysIn(name);
  if (layers.every(layer => layer.split('/').filter(part => part !== '').length === 2)) return layers;
  throw new Error(`The input ${name} must name each environment as project/environment.`);
}

/** The token must not cross a network in the clear. */
function addressOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isLocal = url?.protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname);
  if (url?.protocol === 'https:' || isLocal) return text;
  throw new Error('The input url must be an address that begins with https://.');
}

function isTrue(name: string, text: string): boolean {
  if (/^(?:true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  throw new Error(`The input ${name} must be true or false.`);
}

function maskModeOf(text: string): MaskMode {
  if (text === 'auto' || text === 'all') return text;
  throw new Error('The input mask must be auto or all.');
}

/** Seconds, or with a unit, as in `holdfast pull --wait`. */
function millisecondsOf(name: string, text: string): number {
  const [, count, unit = ''] = /^(\d{1,6})([smh]?)$/.exec(text) ?? [];
  const ms = Number(count) * 1000 * ({ m: 60, h: 3600 }[unit] ?? 1);
  if (ms <= 86_400_000) return ms;
  throw new Error(`The input ${name} must be a time up to a day: seconds, or such as 90s, 2m or 1h.`);
}

function fileOf(path: string, format: string): Inputs['file'] {
  if (format !== '' && !fileFormats.includes(format)) {
    throw new Error(`The input format must be one of ${fileFormats.join(', ')}.`);
  }
  if (path !== '') return { path, format: format || 'env' };
  if (format === '') return undefined;
  throw new Error('The input format is for a file: set output-file as well.');
}
