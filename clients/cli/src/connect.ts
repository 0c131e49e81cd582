import { Holdfast } from '@holdfast/sdk';
import { canUseProxy, namesProxy } from './proxy.ts';
import { isLoopback } from './settings/address.ts';

declare const HOLDFAST_VERSION: string;

export const version = HOLDFAST_VERSION;
/** How audit entries name the command line. */
export const userAgent = `holdfast-cli/${version}`;

/** For all further requests: the certificate authorities and the proxy that the environment names. */
export async function useNetworkSettings(url: string): Promise<void> {
  if (process.env.SSL_CERT_FILE && url.startsWith('https:')) {
    (await import('./extra-authorities.ts')).trustAlso(process.env.SSL_CERT_FILE);
  }
  await useProxy(url);
}

/** Not for requests to this machine. */
async function useProxy(url: string): Promise<void> {
  if (!namesProxy() || !canUseProxy() || isLoopback(new URL(url).hostname)) return;
  const { setGlobalProxyFromEnv } = await import('node:http');
  setGlobalProxyFromEnv();
}

export async function connect(options: ConstructorParameters<typeof Holdfast>[0]): Promise<Holdfast> {
  await useNetworkSettings(options.url);
  return new Holdfast({ ...options, userAgent });
}

/** A token may always revoke itself. */
export async function revokeToken(url: string, token: string): Promise<void> {
  await (await connect({ url, token })).request('DELETE', '/v1/auth/tokens/current');
}
