import { Holdfast } from '@holdfast/sdk';
import { canUseProxy, namesProxy } from './proxy.ts';
import { isLoopback } from './settings/address.ts';

declare const HOLDFAST_VERSION: string;

export const version = HOLDFAST_VERSION;
/** How audit entries name the command line. */
export const userAgent = `holdfast-cli/${version}`;

/** Sends all further requests through the proxy set in the environment, except to this machine. */
export async function useProxy(url: string): Promise<void> {
  if (!namesProxy() || !canUseProxy() || isLoopback(new URL(url).hostname)) return;
  const { setGlobalProxyFromEnv } = await import('node:http');
  setGlobalProxyFromEnv();
}

export async function connect(options: ConstructorParameters<typeof Holdfast>[0]): Promise<Holdfast> {
  await useProxy(options.url);
  return new Holdfast({ ...options, userAgent });
}
