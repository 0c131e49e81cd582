import { readAsCompose } from './compose.ts';
import { readAsDocker } from './docker.ts';
import { readAsNode } from './node.ts';
import { readAsPython } from './python.ts';
import type { Reading } from './reading.ts';
import { readAsShell } from './sh.ts';
import { readAsSystemd } from './systemd.ts';

/** The tools whose reading of a dotenv file is known here, each with its reader. */
export const dialectReaders = {
  node: readAsNode,
  python: readAsPython,
  docker: readAsDocker,
  compose: readAsCompose,
  systemd: readAsSystemd,
  sh: readAsShell,
} satisfies Record<string, (text: string) => Reading[]>;

export type Dialect = keyof typeof dialectReaders;
export const dialects = Object.keys(dialectReaders) as [Dialect, ...Dialect[]];
