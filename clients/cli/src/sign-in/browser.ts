import { spawn } from 'node:child_process';
import { environmentWithoutCredentials } from '../withheld.ts';

/** Opens an address without waiting for the browser. */
export function openBrowser(address: string, onFailure: () => void): void {
  const [command, ...rest] = browserCommand();
  if (command === undefined) return;
  const env = environmentWithoutCredentials();
  const browser = spawn(command, [...rest, address], { stdio: 'ignore', detached: true, env });
  browser.on('error', onFailure);
  browser.on('exit', code => {
    if (code !== 0) onFailure();
  });
  browser.unref();
}

/** Empty if there is no screen to open a browser on. */
export function browserCommand(): string[] {
  const { platform } = process;
  const { BROWSER, DISPLAY, WAYLAND_DISPLAY, SSH_CONNECTION } = process.env;
  if (BROWSER) return [BROWSER];
  if (platform !== 'darwin' && platform !== 'win32') return DISPLAY || WAYLAND_DISPLAY ? ['xdg-open'] : [];
  // It would open on the screen of the machine, not on that of the user.
  if (SSH_CONNECTION) return [];
  return platform === 'darwin' ? ['open'] : ['rundll32', 'url.dll,FileProtocolHandler'];
}
