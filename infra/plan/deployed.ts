import { type Config, ConfigError, otherTable } from './config.ts';

/** The settings of a deployment that the next one depends on. The stacks keep them as outputs. */
export interface DeployedSettings {
  maintenance: boolean;
  /** The restored or shared table in use; null for the installation's own. */
  restoredTable: string | null;
  /** Which of the edge's secrets the functions accept: this one and the one before. */
  edgeSecretVersion: number;
  /** The existing key in use; null or absent for the installation's own. */
  keyArn?: string | null;
}

/** What an installation runs at the moment. */
export interface Deployed extends DeployedSettings {
  /** The secret that the edge sends. Lower than the functions' if the last deployment stopped between them. */
  sentSecretVersion: number;
}

export function deployedSettings(config: Config): DeployedSettings {
  const { maintenance, edgeSecretVersion, keyArn = null } = config;
  return { maintenance, restoredTable: otherTable(config) ?? null, edgeSecretVersion, keyArn };
}

/**
 * Refuses a deployment that would make the service fail while it goes on. Pure.
 * @throws ConfigError that says what to change
 */
export function requireDeployable(config: Config, deployed: Deployed): void {
  const { edgeSecretVersion, maintenance } = config;
  const restoredTable = otherTable(config) ?? null;
  // The functions are deployed before the edge, so they must accept what the edge sends until then.
  if (edgeSecretVersion < deployed.edgeSecretVersion || edgeSecretVersion > deployed.sentSecretVersion + 1) {
    throw new ConfigError(
      `The setting edgeSecretVersion is ${edgeSecretVersion}, but the edge sends secret ${deployed.sentSecretVersion} and the functions ` +
        `know secret ${deployed.edgeSecretVersion}: every request would be refused. Set it to ${deployed.edgeSecretVersion}, or to one more to replace ` +
        'the secret. To go back to an earlier version of Holdfast, keep the number.',
    );
  }
  if ((config.keyArn ?? null) !== (deployed.keyArn ?? null)) {
    const inUse = deployed.keyArn ?? 'the key that it created';
    throw new ConfigError(
      `The setting keyArn can't be changed: every secret of this installation is encrypted under ${inUse}, and no other key can ` +
        'decrypt it. To use another key, deploy another installation and move the secrets there.',
    );
  }
  if (restoredTable !== deployed.restoredTable && !(maintenance && deployed.maintenance)) {
    throw new ConfigError(
      'The table can be replaced only under maintenance; otherwise some functions would write to one table and some to the ' +
        'other. Deploy with "maintenance": true and the old table first, then with the new table and "maintenance": true.',
    );
  }
}
