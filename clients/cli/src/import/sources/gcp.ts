import { type Exported, placeOf, type SourceFile } from '../exported.ts';
import type { Source } from '../source.ts';
import { memberOf, readJson, type Tree, textOf, unreadable } from '../tree.ts';

/** `gcloud secrets versions access --format json`, one document a secret. Its number of the project is no place here. */
export const gcp: Source = {
  title: 'Google Secret Manager',
  program: 'gcloud',
  example: 'gcloud secrets versions access latest --secret DATABASE_URL --format json >>secrets.json',
  read: (files, exported) => {
    for (const file of files) for (const tree of readJson(file.text, file.name)) readVersion(file, tree, exported);
  },
  collect: async run => {
    const listed = await run('gcloud', 'secrets', 'list', '--format=json');
    const [list] = readJson(listed.text, listed.name);
    const files: SourceFile[] = [];
    for (const secret of Array.isArray(list) ? list : []) {
      const id = (textOf(secret, 'name') ?? '').split('/').at(-1);
      files.push(await run('gcloud', 'secrets', 'versions', 'access', 'latest', `--secret=${id}`, '--format=json'));
    }
    return files.map(file => ({ ...file, name: 'gcloud' }));
  },
};

function readVersion(file: SourceFile, tree: Tree, exported: Exported): void {
  const [, key] = /\/secrets\/([^/]+)\/versions\/[^/]+$/.exec(textOf(tree, 'name') ?? '') ?? [];
  const data = textOf(memberOf(tree, 'payload'), 'data');
  if (key === undefined || data === undefined) throw unreadable(file.name, 'has a version without a name and payload');
  const place = placeOf(file, {});
  // gcloud writes Base64 in the alphabet for URLs, and the API in the usual one.
  const bytes = Buffer.from(data, 'base64url');
  try {
    exported.values.push({
      place,
      key,
      value: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes),
    });
  } catch {
    exported.refused.push({ place: place.name, key, reason: 'is binary' });
  }
}
