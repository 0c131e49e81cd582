import type { readYaml } from '../yaml-fields.ts';
import type { Exported, SourceFile } from './exported.ts';

/** Lent by the command, which has it to itself until a file needs it. */
export type ReadYaml = typeof readYaml;

/** Runs a program and returns what it printed. */
export type Run = (program: string, ...words: string[]) => Promise<SourceFile>;

/** A product that values can be moved from. Its own file says which of its exports are read. */
export interface Source {
  title: string;
  /** Its command line. */
  program: string;
  /** How to export from it. */
  example: string;
  /** Adds what the files have. @throws Failure for a file that is no export */
  read(files: readonly SourceFile[], exported: Exported, readYaml: ReadYaml): void;
  /** Exports what the command line can see, or its default where it can't list what there is. */
  collect?(run: Run, target: { environment: () => Promise<string> }): Promise<SourceFile[]>;
  /** How its command line prints a file that it encrypted. */
  decrypt?: { isEncrypted(text: string): boolean; words(path: string): string[] };
}

/** As the command line names them. Apart from the sources themselves, which are loaded on demand. */
export const sourceNames = [
  'doppler',
  'infisical',
  'vault',
  'aws-ssm',
  'aws-secrets-manager',
  'gcp',
  '1password',
  'bitwarden',
  'sops',
  'dotenvx',
  'chamber',
] as const;

export type SourceName = (typeof sourceNames)[number];
