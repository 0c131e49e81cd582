import { getInput } from '@actions/core';
import { formats } from '../../../lib/contracts/fields/formats/formats.ts';

export interface Inputs {
  url: string;
  organization: string;
  project: string;
  environment: string;
  identity: string;
  /** All if undefined. */
  keys: string[] | undefined;
  exportsEnv: boolean;
  file: { path: string; format: string } | undefined;
}

/** The format for the runner's own file is what `export-env` is for. */
const fileFormats = Object.keys(formats).filter(name => name !== 'github');

/** @throws Error whose message says which input to correct */
export function readInputs(): Inputs {
  const keys = getInput('keys')
    .split(/[\s,]+/)
    .filter(key => key !== '');
  return {
    url: addressOf(required('url')),
    organization: required('organization'),
    project: required('project'),
    environment: required('environment'),
    identity: required('identity'),
    keys: keys.length === 0 ? undefined : [...new Set(keys)],
    exportsEnv: isTrue('export-env', getInput('export-env') || 'true'),
    file: fileOf(getInput('output-file'), getInput('format')),
  };
}

function required(name: string): string {
  const value = getInput(name);
  if (value === '') throw new Error(`The input ${name} is missing.`);
  return value;
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

function fileOf(path: string, format: string): Inputs['file'] {
  if (format !== '' && !fileFormats.includes(format)) {
    throw new Error(`The input format must be one of ${fileFormats.join(', ')}.`);
  }
  if (path !== '') return { path, format: format || 'env' };
  if (format === '') return undefined;
  throw new Error('The input format is for a file: set output-file as well.');
}
