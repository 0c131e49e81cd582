/* Transcribed from external-secrets/external-secrets: providers/v1/webhook and pkg/controllers/externalsecret. */

interface SecretStore {
  kind: 'SecretStore';
  metadata: { name: string };
  spec: {
    provider: {
      webhook: {
        url: string;
        headers: Readonly<Record<string, string>>;
        result: { jsonPath?: string };
        secrets: readonly { name: string; secretRef: { name: string } }[];
      };
    };
  };
}

interface ExternalSecret {
  kind: 'ExternalSecret';
  metadata: { name: string };
  spec: {
    refreshInterval: string;
    secretStoreRef: { kind: string; name: string };
    target: { name: string; deletionPolicy?: 'Retain' | 'Delete' | 'Merge' };
    data?: readonly { secretKey: string; remoteRef: { key: string } }[];
    dataFrom?: readonly { extract: { key: string } }[];
  };
}

export type Manifest = SecretStore | ExternalSecret;

export interface KubernetesSecret {
  metadata: { name: string; labels?: Readonly<Record<string, string>> };
  /** Base64. */
  data: Readonly<Record<string, string>>;
}

type TemplateData = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** A template of Go with nothing but `{{ .name.member }}` and Sprig's `trim`. */
function execute(template: string, data: TemplateData): string {
  return template.replaceAll(/\{\{(.*?)\}\}/g, (_, action: string) => {
    const [, name = '', member = '', trim] = /^ \.(\w+)\.(\w+) (\| trim )?$/.exec(action) ?? [];
    const value = data[name]?.[member];
    if (value === undefined) throw new Error(`The template has the unknown action ${action}.`);
    return trim === undefined ? value : value.trim();
  });
}

/** Go's url.QueryEscape. */
const queryEscape = (text: string) =>
  encodeURIComponent(text)
    .replaceAll('%20', '+')
    .replaceAll(/[!'()*]/g, character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);

/** The two paths of PaesslerAG/jsonpath that a flat object needs. */
function select(path: string, json: Readonly<Record<string, unknown>>): unknown {
  if (path === '$') return json;
  const [, key = ''] = /^\$\["([^"\\]+)"\]$/.exec(path) ?? [];
  if (!Object.hasOwn(json, key)) throw new Error(`failed to get response path ${path}`);
  return json[key];
}

class NoSecretError extends Error {}

/** The data of the Secret that the operator writes; undefined if its policy lets it delete the Secret. */
export async function reconcile(
  manifests: readonly Manifest[],
  secret: KubernetesSecret,
): Promise<Record<string, string> | undefined> {
  const external = manifests.find(({ kind }) => kind === 'ExternalSecret') as ExternalSecret;
  const store = manifests.find(({ kind }) => kind === 'SecretStore') as SecretStore;
  const { secretStoreRef, target, data = [], dataFrom = [] } = external.spec;
  if (secretStoreRef.name !== store.metadata.name) throw new Error(`There is no store ${secretStoreRef.name}.`);
  const { webhook } = store.spec.provider;
  const values: Record<string, string> = {};
  try {
    for (const { extract } of dataFrom) {
      const { json, path } = await ask(webhook, extract.key, secret);
      for (const [key, value] of Object.entries(select(path, json) as object)) values[key] = String(value);
    }
    for (const { secretKey, remoteRef } of data) {
      const { json, path } = await ask(webhook, remoteRef.key, secret);
      values[secretKey] = String(select(path, json));
    }
  } catch (error) {
    // With `Retain`, an absent secret is an error, and the Secret stays as it is.
    if (error instanceof NoSecretError && (target.deletionPolicy ?? 'Retain') !== 'Retain') return undefined;
    throw error;
  }
  return values;
}

async function ask(webhook: SecretStore['spec']['provider']['webhook'], key: string, secret: KubernetesSecret) {
  const secrets: Record<string, Record<string, string>> = {};
  for (const { name, secretRef } of webhook.secrets) {
    if (secretRef.name !== secret.metadata.name) throw new Error(`There is no Secret ${secretRef.name}.`);
    if (secret.metadata.labels?.['external-secrets.io/type'] !== 'webhook')
      throw new Error('secret type is not webhook');
    const decoded = Object.entries(secret.data).map(([member, text]) => [
      member,
      Buffer.from(text, 'base64').toString(),
    ]);
    secrets[name] = Object.fromEntries(decoded);
  }
  const raw = { remoteRef: { key }, ...secrets };
  const url = execute(webhook.url, { remoteRef: { key: queryEscape(key) }, ...secrets });
  const headers = Object.entries(webhook.headers).map(([name, value]): [string, string] => [name, execute(value, raw)]);
  // Unlike fetch, Go does not trim it.
  const invalid = headers.find(([, value]) => /[\n\r\0]/.test(value));
  if (invalid !== undefined) throw new Error(`net/http: invalid header field value for "${invalid[0]}"`);
  const response = await fetch(url, { headers });
  if (response.status === 404) throw new NoSecretError('404');
  if (!response.ok) throw new Error(`endpoint gave error ${response.status}`);
  return {
    json: (await response.json()) as Record<string, unknown>,
    path: execute(webhook.result.jsonPath ?? '', raw),
  };
}
