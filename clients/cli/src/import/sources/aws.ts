import { type Exported, placeAt, type SourceFile, takeValue } from '../exported.ts';
import type { Source } from '../source.ts';
import { isList, isMembers, listOf, memberOf, readJson, type Tree, textOf, unreadable } from '../tree.ts';

const json = ['--output', 'json'];

/** `aws ssm get-parameters-by-path`, `get-parameters` or `get-parameter`: the last part of a name is the key. */
export const parameterStore: Source = {
  title: 'AWS Parameter Store',
  program: 'aws',
  example: 'aws ssm get-parameters-by-path --path / --recursive --with-decryption --output json >parameters.json',
  read: (files, exported) => {
    for (const file of files) {
      for (const tree of readJson(file.text, file.name)) {
        const one = memberOf(tree, 'Parameter');
        const several = memberOf(tree, 'Parameters');
        if (one === undefined && !isList(several)) throw unreadable(file.name, 'has no list Parameters');
        for (const parameter of one === undefined ? listOf(tree, 'Parameters') : [one]) {
          readParameter(file, parameter, exported);
        }
        for (const name of listOf(tree, 'InvalidParameters')) {
          if (typeof name === 'string') missing(file, name, exported);
        }
      }
    }
  },
  collect: async run => [
    await run('aws', 'ssm', 'get-parameters-by-path', '--path', '/', '--recursive', '--with-decryption', ...json),
  ],
};

function readParameter(file: SourceFile, parameter: Tree, exported: Exported): void {
  const [name, value] = [textOf(parameter, 'Name'), memberOf(parameter, 'Value')];
  if (name === undefined) throw unreadable(file.name, 'has a parameter without a name');
  const { place, key } = keyAt(file, name);
  // What KMS and the Encryption SDK encrypt for the Parameter Store begins with these bytes.
  const isCiphertext = typeof value === 'string' && /^(?:AQ[EI]|AYA|Ag[RV]4)[A-Za-z0-9+/=]{100,}$/.test(value);
  if (isCiphertext && textOf(parameter, 'Type') === 'SecureString') {
    exported.refused.push({ place: place.name, key, reason: 'is still encrypted: export it --with-decryption' });
  } else takeValue(exported, place, key, value);
}

function missing(file: SourceFile, key: string, exported: Exported): void {
  exported.refused.push({ place: file.name, key, reason: 'is not in the export' });
}

function keyAt(file: SourceFile, name: string) {
  const parts = name.split('/');
  return { place: placeAt(file, parts.slice(0, -1).join('/')), key: parts.at(-1) ?? '' };
}

/** A call takes no more. */
const mostSecrets = 20;

/** `aws secretsmanager get-secret-value` or `batch-get-secret-value`: an object of values, or a value named by its key. */
export const secretsManager: Source = {
  title: 'AWS Secrets Manager',
  program: 'aws',
  example: 'aws secretsmanager get-secret-value --secret-id web-shop/production --output json >secret.json',
  read: (files, exported) => {
    for (const file of files) {
      for (const tree of readJson(file.text, file.name)) {
        const isOne = textOf(tree, 'ARN') !== undefined;
        if (!isOne && !isList(memberOf(tree, 'SecretValues'))) throw unreadable(file.name, 'has no secret with an ARN');
        for (const secret of isOne ? [tree] : listOf(tree, 'SecretValues')) readSecret(file, secret, exported);
        for (const error of listOf(tree, 'Errors')) missing(file, textOf(error, 'SecretId') ?? '', exported);
      }
    }
  },
  collect: async run => {
    const listed = await run('aws', 'secretsmanager', 'list-secrets', ...json);
    const [tree] = readJson(listed.text, listed.name);
    const ids = listOf(tree, 'SecretList').flatMap(secret => textOf(secret, 'ARN') ?? []);
    const files: SourceFile[] = [];
    for (let at = 0; at < ids.length; at += mostSecrets) {
      const some = ids.slice(at, at + mostSecrets);
      files.push(await run('aws', 'secretsmanager', 'batch-get-secret-value', '--secret-id-list', ...some, ...json));
    }
    return files;
  },
};

function readSecret(file: SourceFile, secret: Tree, exported: Exported): void {
  const [name, text] = [textOf(secret, 'Name'), textOf(secret, 'SecretString')];
  if (name === undefined) throw unreadable(file.name, 'has a secret without a name');
  const object = text === undefined ? undefined : objectIn(text);
  const { place, key } = keyAt(file, name);
  if (object !== undefined) {
    const whole = placeAt(file, name);
    for (const [member, value] of object) takeValue(exported, whole, member, value);
  } else if (text === undefined) exported.refused.push({ place: place.name, key, reason: 'is binary' });
  else exported.values.push({ place, key, value: text });
}

function objectIn(text: string) {
  try {
    const [tree, ...others] = readJson(text, '');
    return isMembers(tree) && others.length === 0 ? tree.members : undefined;
  } catch {
    return undefined;
  }
}
