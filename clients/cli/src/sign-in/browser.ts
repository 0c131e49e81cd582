import { spawn } from 'node:child_process';
import { environmentWithoutCredentials } from '../withheld.ts';

/** Opens an address if possible. It is also printed, so a failure is harmless. */
export function openBrowser(address: string): void {
  const [command, ...rest] = commandOf(process.platform);
  if (command === undefined) return;
  const env = environmentWithoutCredentials();
  const browser = spawn(command, [...rest, address], { stdio: 'ignore', detached: true, env });
  browser.on('error', () => undefined);
  browser.unref();
}

function commandOf(platform: NodeJS.Platform): string[] {
  const { BROWSER, DISPLAY, WAYLAND_DISPLAY } = process.env;
  if (BROWSER) return [BROWSER];
  if (platform === 'darwin') return ['open'];
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return DISPLAY || WAYLAND_DISPLAY ? ['xdg-open'] : [];
}
