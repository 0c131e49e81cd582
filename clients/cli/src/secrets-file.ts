import { basename, extname } from 'node:path';
import { secretKeyPattern, secretKeyRule } from '@holdfast/contracts/fields/secret-rules.ts';
import { type DotenvFlags, readDotenv } from './dotenv-text.ts';
import { exitCodes, Failure, usage } from './failure.ts';
import { type Field, fieldsOf, readJson } from './json-fields.ts';

export const fileFormats = ['dotenv', 'json', 'yaml'] as const;
export type FileFormat = (typeof fileFormats)[number];

/** By the file's name; text that begins like a document of JSON can't be dotenv. */
function formatOf(path: string, text: string): FileFormat {
  const extension = extname(basename(path)).toLowerCase();
  if (extension === '.yaml' || extension === '.yml') return 'yaml';
  return extension === '.json' || /^\s*[{[]/.test(text) ? 'json' : 'dotenv';
}

export interface FileFlags extends DotenvFlags {
  format?: FileFormat;
}

/** Reads the secrets of a file. @throws Failure with every problem, and never a value */
export async function readSecrets(
  path: string,
  text: string,
  { format, ...flags }: FileFlags = {},
): Promise<Map<string, string>> {
  const name = path === '-' ? 'Standard input' : path;
  const chosen = format ?? formatOf(path, text);
  if (chosen === 'dotenv') return readDotenv(text, name, flags);
  if (flags.dialect !== undefined) throw usage(`--dialect is for dotenv files; ${name} is ${chosen.toUpperCase()}.`);
  const content = text.replace(/^\ufeff/, '');
  const fields = chosen === 'json' ? fieldsOf(readJson(content, name), name) : await yamlFields(content, name);
  return checked(fields, name);
}

/** The parser is loaded on demand, because it is slow to load. */
async function yamlFields(text: string, name: string): Promise<Field[]> {
  const { readYaml } = await import('./yaml-fields.ts');
  return readYaml(text, name);
}

function checked(fields: readonly Field[], name: string): Map<string, string> {
  const values = new Map<string, string>();
  const problems: { key: string; reason: string }[] = [];
  for (const { key, value } of fields) {
    if (!secretKeyPattern.test(key)) problems.push({ key, reason: `is not a key: a key ${secretKeyRule}` });
    else if (values.has(key)) problems.push({ key, reason: 'is there twice' });
    else if (typeof value !== 'string') problems.push({ key, reason: `is ${kindOf(value)}, not a string` });
    values.set(key, typeof value === 'string' ? value : '');
  }
  if (problems.length === 0) return values;
  const lines = problems.map(({ key, reason }) => `${JSON.stringify(key.slice(0, 256))} ${reason}`);
  throw new Failure(
    exitCodes.other,
    'invalid_file',
    `${name} can’t be read; nothing was changed.\n  ${lines.join('\n  ')}`,
    { details: problems, hint: 'Every value must be a string: put numbers and booleans in quotes.' },
  );
}

export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'empty (null)';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  return typeof value === 'number' || typeof value === 'bigint' ? 'a number' : `a ${typeof value}`;
}
