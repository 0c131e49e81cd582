import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { usage } from '../failure.ts';
import { launchOf } from '../launch/launch.ts';
import { findProgram } from '../run/find-program.ts';
import { environmentWithoutCredentials } from '../withheld.ts';
import type { Asked, Kit } from './place.ts';
import { refused } from './target-failure.ts';

/* Finds the cluster as kubectl does (kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig). */

export interface Cluster {
  url: string;
  /** Of each request, because credentials expire during a long sync. */
  credentials: () => Pick<Asked, 'headers' | 'tls'>;
}

const serviceAccount = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Of the kubeconfig that a variable names, of this pod, or of the user's own kubeconfig. */
export async function findCluster(kit: Kit): Promise<Cluster> {
  const { KUBECONFIG, KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' } = kit.variables;
  if (!KUBECONFIG && host) {
    const ca = read(join(serviceAccount, 'ca.crt'));
    return {
      url: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
      // The kubelet replaces the file before the token expires.
      credentials: () => ({ headers: bearer(textOf(join(serviceAccount, 'token'))), tls: { ca } }),
    };
  }
  const named = KUBECONFIG ? KUBECONFIG.split(delimiter) : [join(homedir(), '.kube/config')];
  const paths = named.filter(path => path !== '' && existsSync(path));
  if (paths.length === 0) {
    throw usage(
      `There is no kubeconfig ${named.join(delimiter)}.`,
      'Name one with KUBECONFIG, or run the sync in a pod.',
    );
  }
  return fromKubeconfigs(await Promise.all(paths.map(path => readKubeconfig(path, kit))), paths);
}

const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });

function read(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    throw usage(`${path}, which signs in to the cluster, can’t be read.`);
  }
}

const textOf = (path: string): string => read(path).toString().trim();

interface Kubeconfig {
  'current-context'?: string | null;
  contexts?: { name: string; context: { cluster: string; user: string } }[] | null;
  clusters?: { name: string; cluster: Record<string, string | boolean | undefined> }[] | null;
  users?: { name: string; user: Record<string, string | undefined> & { exec?: Plugin } }[] | null;
}

/** A program that prints credentials (client.authentication.k8s.io/v1). */
interface Plugin {
  apiVersion: string;
  command: string;
  // kubectl writes null for none.
  args?: string[] | null;
  env?: { name: string; value: string }[] | null;
}

interface PluginStatus {
  token?: string;
  clientCertificateData?: string;
  clientKeyData?: string;
  expirationTimestamp?: string;
}

/** With the folder that its paths are relative to. */
type Located = Kubeconfig & { folder: string };

async function readKubeconfig(path: string, kit: Kit): Promise<Located> {
  const config = await kit.parseYaml(textOf(path)).catch(() => undefined);
  if (typeof config !== 'object' || config === null) throw usage(`${path} is not a kubeconfig.`);
  return { ...config, folder: dirname(path) };
}

/** The first file that has a name wins. */
function fromKubeconfigs(configs: readonly Located[], paths: readonly string[]): Cluster {
  const wanted = configs.map(config => config['current-context']).find(Boolean);
  const { context } = configs.flatMap(({ contexts }) => contexts ?? []).find(({ name }) => name === wanted) ?? {};
  const [clusters, users] = [
    configs.flatMap(({ folder, clusters: all }) => (all ?? []).map(one => ({ folder, ...one }))),
    configs.flatMap(({ folder, users: all }) => (all ?? []).map(one => ({ folder, ...one }))),
  ];
  const found = clusters.find(({ name }) => name === context?.cluster);
  const as = users.find(({ name }) => name === context?.user);
  if (!found?.cluster?.server || !as?.user) {
    throw usage(`${paths.join(delimiter)} has no complete current context.`);
  }
  const { cluster } = found;
  const { user } = as;
  const tls = {
    ca: dataOf(found.folder, cluster, 'certificate-authority'),
    cert: dataOf(as.folder, user, 'client-certificate'),
    key: dataOf(as.folder, user, 'client-key'),
    servername: cluster['tls-server-name'],
    ...(cluster['insecure-skip-tls-verify'] === true ? { rejectUnauthorized: false } : {}),
  };
  const ask = user.exec && pluginOf(user.exec, as.folder);
  return {
    url: String(cluster.server).replace(/\/+$/, ''),
    credentials: () => {
      const given = ask?.();
      const token = user.tokenFile ? textOf(resolve(as.folder, user.tokenFile)) : user.token || given?.token;
      const all = { ...tls, cert: tls.cert ?? given?.clientCertificateData, key: tls.key ?? given?.clientKeyData };
      return {
        headers: token ? bearer(token) : {},
        tls: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)),
      };
    },
  };
}

function dataOf(folder: string, from: Readonly<Record<string, unknown>>, name: string): Buffer | undefined {
  const [data, file] = [from[`${name}-data`], from[name]];
  if (typeof data === 'string') return Buffer.from(data, 'base64');
  return typeof file === 'string' ? read(resolve(folder, file)) : undefined;
}

/** Asks the program again once its credentials expire. */
function pluginOf(plugin: Plugin, folder: string): () => PluginStatus {
  let known: PluginStatus | undefined;
  return () => {
    const expires = Date.parse(known?.expirationTimestamp ?? '');
    if (known === undefined || expires < Date.now() + 30_000) known = runPlugin(plugin, folder);
    return known;
  };
}

function runPlugin({ apiVersion, command, args, env }: Plugin, folder: string): PluginStatus {
  const info = JSON.stringify({ apiVersion, kind: 'ExecCredential', spec: { interactive: false } });
  const variables = Object.fromEntries((env ?? []).map(({ name, value }) => [name, value]));
  const own = { ...environmentWithoutCredentials(), ...variables, KUBERNETES_EXEC_INFO: info };
  let status: PluginStatus | undefined;
  try {
    const program = /[\\/]/.test(command) ? resolve(folder, command) : command;
    const { file, args: words, options } = launchOf(findProgram(program, own), [command, ...(args ?? [])]);
    const text = execFileSync(file, words, {
      ...options,
      encoding: 'utf8',
      env: own,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    status = JSON.parse(text).status;
  } catch {
    // As if it had printed none.
  }
  if (status?.token || status?.clientCertificateData) return status;
  throw refused(`${command}, which the kubeconfig names, printed no credentials.`);
}
