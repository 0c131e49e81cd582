import { Holdfast } from '@holdfast/sdk';
import { canUseProxy, namesProxy } from './proxy.ts';
import { isLoopback } from './settings/address.ts';

/** From here on requests go through the proxy that the environment names. This machine is reached without one. */
export async function useProxy(url: string): Promise<void> {
  if (!namesProxy() || !canUseProxy() || isLoopback(new URL(url).hostname)) return;
  const { setGlobalProxyFromEnv } = await import('node:http');
  setGlobalProxyFromEnv();
}

export async function connect(options: ConstructorParameters<typeof Holdfast>[0]): Promise<Holdfast> {
  await useProxy(options.url);
  return new Holdfast(options);
}
