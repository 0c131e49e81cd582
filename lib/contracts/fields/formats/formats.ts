import { json, kubernetes, tfvars, yaml } from './documents.ts';
import { compose, docker, dotenv, env, node, pythonDotenv, systemd } from './dotenv-files.ts';
import type { Format } from './format.ts';
import { github } from './github.ts';
import { fish, powershell, sh } from './shells.ts';

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
