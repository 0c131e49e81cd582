import { startReceiver } from './receiver.ts';

type Fault = () => 'refused' | 'answer-lost' | undefined | Promise<undefined>;

/** A stand-in for one region's S3, as far as the audit archive needs it: conditional puts, gets and lists. */
export async function startS3() {
  const objects = new Map<string, Buffer>();
  /** What happens to the next puts, in order; all others succeed at once. */
  const faults: Fault[] = [];
  const server = await startReceiver(async (response, { method, path, headers, body }) => {
    const url = new URL(path, 'http://s3');
    const key = decodeURIComponent(url.pathname).replace(/^\/[^/]+\/?/, '');
    const fail = (status: number, code: string) =>
      response.writeHead(status, { 'content-type': 'application/xml' }).end(`<Error><Code>${code}</Code></Error>`);
    if (method === 'PUT') {
      if (headers['if-none-match'] !== '*') return fail(403, 'AccessDenied');
      const fault = await faults.shift()?.();
      if (fault === 'refused') return fail(403, 'AccessDenied');
      if (objects.has(key)) return fail(412, 'PreconditionFailed');
      objects.set(key, body);
      return fault === 'answer-lost' ? response.destroy() : response.writeHead(200).end();
    }
    if (key === '') return response.writeHead(200, { 'content-type': 'application/xml' }).end(listOf(url.searchParams));
    const object = objects.get(key);
    return object === undefined ? fail(404, 'NoSuchKey') : response.writeHead(200).end(object);
  });
  const listOf = (query: URLSearchParams): string => {
    const [prefix, delimiter] = [query.get('prefix') ?? '', query.get('delimiter')];
    const names = [...objects.keys()].filter(name => name.startsWith(prefix)).sort();
    const folders = new Set(names.map(name => name.replace(/\/.*/, '/')));
    const contents =
      delimiter === null
        ? names.map(name => `<Contents><Key>${name}</Key></Contents>`)
        : [...folders].map(name => `<CommonPrefixes><Prefix>${name}</Prefix></CommonPrefixes>`);
    return `<ListBucketResult><IsTruncated>false</IsTruncated>${contents.join('')}</ListBucketResult>`;
  };
  return { ...server, objects, faults };
}
