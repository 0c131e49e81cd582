import { type ChildProcess, spawn } from 'node:child_process';
import { launchOf } from '../launch/launch.ts';
import { systemProgram } from '../launch/windows.ts';
import { findProgram } from '../run/find-program.ts';
import { environmentWithoutCredentials } from '../withheld.ts';

/** Opens an address without waiting for the browser. */
export function openBrowser(address: string, onFailure: () => void): void {
  const [command, ...rest] = browserCommand();
  if (command === undefined) return;
  const env = environmentWithoutCredentials();
  const browser = startBrowser([command, ...rest, address], env);
  if (browser === undefined) {
    onFailure();
    return;
  }
  browser.on('error', onFailure);
  browser.on('exit', code => {
    if (code !== 0) onFailure();
  });
  browser.unref();
}

/** @returns undefined if it can't be found, or is a batch file that can't get the address */
function startBrowser(command: readonly string[], env: Record<string, string>): ChildProcess | undefined {
  try {
    const { file, args, options } = launchOf(findProgram(command[0] ?? '', env), command);
    return spawn(file, args, { ...options, stdio: 'ignore', detached: true, env });
  } catch {
    return undefined;
  }
}

/** Empty if there is no screen to open a browser on. */
export function browserCommand(): string[] {
  const { platform } = process;
  const { BROWSER, DISPLAY, WAYLAND_DISPLAY, SSH_CONNECTION } = process.env;
  if (BROWSER) return [BROWSER];
  if (platform !== 'darwin' && platform !== 'win32') return DISPLAY || WAYLAND_DISPLAY ? ['xdg-open'] : [];
  // It would open on the screen of the machine, not on that of the user.
  if (SSH_CONNECTION) return [];
  return platform === 'darwin' ? ['open'] : [systemProgram('rundll32.exe'), 'url.dll,FileProtocolHandler'];
}
