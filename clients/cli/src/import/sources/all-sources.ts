import type { Source, SourceName } from '../source.ts';
import { parameterStore, secretsManager } from './aws.ts';
import { bitwarden } from './bitwarden.ts';
import { chamber } from './chamber.ts';
import { doppler } from './doppler.ts';
import { dotenvx } from './dotenvx.ts';
import { gcp } from './gcp.ts';
import { infisical } from './infisical.ts';
import { onePassword } from './one-password.ts';
import { sops } from './sops.ts';
import { vault } from './vault.ts';

export const sources: Readonly<Record<SourceName, Source>> = {
  doppler,
  infisical,
  vault,
  'aws-ssm': parameterStore,
  'aws-secrets-manager': secretsManager,
  gcp,
  '1password': onePassword,
  bitwarden,
  sops,
  dotenvx,
  chamber,
};
