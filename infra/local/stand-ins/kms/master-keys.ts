import { randomBytes, randomUUID } from 'node:crypto';
import { AwsError } from '../aws-server.ts';
import { type KeyFile, type MasterKey, readKeyFile, writeKeyFile } from './key-file.ts';

/** The symmetric keys of a region and their aliases, stored in a file if there is one. */
export interface MasterKeys {
  readonly region: string;
  readonly file: string | undefined;
  readonly content: KeyFile;
}

/** @throws StartError if the file is damaged */
export function openMasterKeys(file: string | undefined, region: string): MasterKeys {
  return { region, file, content: readKeyFile(file) };
}

export function addKey({ content, file }: MasterKeys): MasterKey {
  const key = { id: randomUUID(), material: randomBytes(32).toString('base64'), createdAt: Date.now() };
  content.keys.push(key);
  writeKeyFile(file, content);
  return key;
}

export function addAlias(masterKeys: MasterKeys, alias: string, target: string): void {
  const { content, file } = masterKeys;
  if (Object.hasOwn(content.aliases, alias)) {
    throw new AwsError('AlreadyExistsException', `An alias with the name ${alias} already exists`);
  }
  content.aliases[alias] = requireKey(masterKeys, target).id;
  writeKeyFile(file, content);
}

export function findKeyById({ content }: MasterKeys, id: string | undefined): MasterKey | undefined {
  return content.keys.find(key => key.id === id);
}

/** @param name an id or an alias, each also as an ARN */
export function requireKey(masterKeys: MasterKeys, name: string): MasterKey {
  const { aliases } = masterKeys.content;
  const local = name.replace(/^arn:(?:[^:]*:){4}(?:key\/)?/, '');
  const id = local.startsWith('alias/') && Object.hasOwn(aliases, local) ? aliases[local] : local;
  const key = findKeyById(masterKeys, id);
  if (key === undefined) throw new AwsError('NotFoundException', `Key '${name}' does not exist`);
  return key;
}

/** @param resource `key/<id>` or `alias/<name>` */
export function arnOf({ region }: MasterKeys, resource: string): string {
  return `arn:aws:kms:${region}:000000000000:${resource}`;
}

export function keyArnOf(masterKeys: MasterKeys, { id }: MasterKey): string {
  return arnOf(masterKeys, `key/${id}`);
}
