import { Holdfast } from '@holdfast/sdk';
import { canUseProxy, namesProxy } from './proxy.ts';
import { isLoopback } from './settings/address.ts';

declare const HOLDFAST_VERSION: string;

export const version = HOLDFAST_VERSION;
/** What audit entries call the command line. */
export const userAgent = `holdfast-cli/${version}`;

/** A client that goes through the proxy that the environment names. This machine is reached without one. */
export async function connect(options: ConstructorParameters<typeof Holdfast>[0]): Promise<Holdfast> {
  if (namesProxy() && canUseProxy() && !isLoopback(new URL(options.url).hostname)) {
    const { setGlobalProxyFromEnv } = await import('node:http');
    setGlobalProxyFromEnv();
  }
  return new Holdfast({ ...options, userAgent });
}
