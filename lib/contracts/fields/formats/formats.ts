import { compose } from './compose.ts';
import { docker } from './docker.ts';
import { dotenv } from './dotenv.ts';
import { env } from './env.ts';
import { fish } from './fish.ts';
import type { Format } from './format.ts';
import { github } from './github.ts';
import { json } from './json.ts';
import { kubernetes } from './kubernetes.ts';
import { node } from './node.ts';
import { powershell } from './powershell.ts';
import { pythonDotenv } from './python-dotenv.ts';
import { sh } from './sh.ts';
import { systemd } from './systemd.ts';
import { tfvars } from './tfvars.ts';
import { yaml } from './yaml.ts';

/** By the name that `--format` takes; the first one is the default. */
export const formats: Readonly<Record<string, Format>> = {
  env,
  dotenv,
  node,
  'python-dotenv': pythonDotenv,
  docker,
  compose,
  sh,
  fish,
  powershell,
  json,
  yaml,
  k8s: kubernetes,
  github,
  tfvars,
  systemd,
};
