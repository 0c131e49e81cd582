/**
 * Up to this size, a body is sent as text. Lambda's JSON response escapes it a second time, which can double it, so
 * above this size the smaller of text and base64 is used.
 */
const asTextBytes = 512 * 1024;

/** Lambda limits a response to 6 MB (Lambda quotas); the rest is for headers and cookies. */
const maximumResponseBytes = 6 * 1024 * 1024 - 64 * 1024;

/** How a body is passed to the gateway; undefined if neither encoding fits Lambda's limit. */
export function encodingOf(text: string): 'text' | 'base64' | undefined {
  const bytes = Buffer.byteLength(text);
  if (bytes <= asTextBytes) return 'text';
  const escapedBytes = Buffer.byteLength(JSON.stringify(text));
  const base64Bytes = Math.ceil(bytes / 3) * 4;
  if (Math.min(escapedBytes, base64Bytes) > maximumResponseBytes) return undefined;
  return escapedBytes <= base64Bytes ? 'text' : 'base64';
}
