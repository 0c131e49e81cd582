import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { shared } from '#test/support/fixtures.ts';
import { type Person, testPassword } from '#test/support/people.ts';

/** Set if no browser can run. The tests are then skipped with a message. */
export const withoutBrowser = process.env.HOLDFAST_SKIP_BROWSER === '1';
if (withoutBrowser) process.stderr.write('\nHOLDFAST_SKIP_BROWSER=1: THE DASHBOARD IS NOT TESTED IN A BROWSER.\n\n');

const installed = [
  '/usr/bin/google-chrome',
  '/usr/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** Chromium with only its sandbox off: the arguments of the npm package would also turn off web security. */
export async function startBrowser(): Promise<Browser> {
  const reasons: string[] = [];
  for (const find of [unpackedChromium, () => Promise.resolve(installed.find(existsSync))]) {
    try {
      const executablePath = await find();
      if (executablePath !== undefined) return await chromium.launch({ executablePath, args: ['--no-sandbox'] });
    } catch (error) {
      reasons.push(String(error));
    }
  }
  throw new Error(
    `NO BROWSER CAN RUN HERE, so the dashboard is not tested. Install Chrome, or set HOLDFAST_SKIP_BROWSER=1 to go on without. ${reasons.join('\n')}`,
  );
}

async function unpackedChromium(): Promise<string> {
  const { default: packed } = await import('@sparticuz/chromium');
  const folder = join(tmpdir(), 'holdfast-chromium-153.0.0');
  if (existsSync(folder)) return join(folder, 'chromium');
  // Unpacked into a temporary folder and renamed, because two test files may start at the same time.
  const own = mkdtempSync(join(tmpdir(), 'holdfast-unpacking-'));
  const before = process.env.TMPDIR;
  process.env.TMPDIR = own;
  try {
    await packed.executablePath();
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
  try {
    renameSync(own, folder);
  } catch {
    rmSync(own, { recursive: true, force: true });
  }
  return join(folder, 'chromium');
}

interface VisitOptions {
  as?: Person | undefined;
  width?: number;
  height?: number;
  colorScheme?: 'light' | 'dark';
  hasTouch?: boolean;
}

/** A separate browser context for one user. It records every console line, error and violation of the page. */
export async function visit(browser: Browser, origin: string, options: VisitOptions = {}) {
  const { as, width = 1280, height = 900, colorScheme = 'light', hasTouch = false } = options;
  const context = await browser.newContext({
    baseURL: origin,
    viewport: { width, height },
    colorScheme,
    hasTouch,
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  if (as !== undefined) {
    const [name = '', value = ''] = as.session.cookie.split('=');
    await context.addCookies([{ name, value, url: origin, httpOnly: true, sameSite: 'Lax' }]);
  }
  const heard: string[] = [];
  context.on('page', page => listen(page, heard));
  const page = await context.newPage();
  // It only ends what would never happen, however busy the machine is.
  page.setDefaultTimeout(60_000);
  return { page, heard, close: () => context.close() };
}

/** The browser of a test file. Its pages close by themselves, and must have been quiet until then. */
export function useBrowser(origin: () => string) {
  const browser = shared(async () => {
    const started = await startBrowser();
    return Object.assign(started, { stop: () => started.close() });
  });
  const open = async (options?: VisitOptions) => {
    const { page, heard, close } = await visit(browser, origin(), options);
    const stop = async () => {
      await close();
      expectQuiet(heard);
    };
    return Object.assign(page, { stop });
  };
  const come = async (as?: Person, options: VisitOptions = {}): Promise<Page> => {
    const page = await open({ as, ...options });
    onTestFinished(page.stop);
    return page;
  };
  return {
    browser,
    come,
    openAt: async (address: string, as?: Person): Promise<Page> => {
      const page = await come(as);
      await page.goto(address);
      return page;
    },
    /** The page of all tests around the call. */
    usePage: (as?: () => Person): Page => shared(() => open({ as: as?.() })),
  };
}

export const button = (page: Page | Locator, name: string | RegExp) =>
  page.getByRole('button', { name, exact: typeof name === 'string' });
export async function press(page: Page | Locator, ...names: (string | RegExp)[]): Promise<void> {
  for (const name of names) await button(page, name).click();
}

/** Types a text into each field, chooses an option of it, or checks it or not. The fields are found by their labels. */
export async function fill(form: Page | Locator, values: Record<string, string | boolean>): Promise<void> {
  for (const [label, value] of Object.entries(values)) {
    const field = form.getByLabel(label);
    if (typeof value === 'boolean') await field.setChecked(value);
    else if ((await field.evaluate(({ tagName }) => tagName)) === 'SELECT') await field.selectOption(value);
    else await field.fill(value);
  }
}

export async function submit(form: Page | Locator, values: Parameters<typeof fill>[1], name: string): Promise<void> {
  await fill(form, values);
  await button(form, name).click();
}

export async function stageValue(page: Page, key: string, value: string): Promise<void> {
  const existing = button(page, `New value for ${key}`);
  if (await existing.isVisible().catch(() => false)) await existing.click();
  else {
    await button(page, 'Add secret').click();
    await page.getByLabel('Key', { exact: true }).fill(key);
  }
  await page.getByLabel('New value', { exact: true }).last().fill(value);
  await button(page, 'Stage').click();
}

/** Works on a page with the keyboard alone. */
export function keyboardOf(page: Page) {
  const { keyboard } = page;
  /** The tag and the name of the element that has the focus. */
  const focused = () =>
    page.evaluate(() => {
      const element = document.activeElement;
      const label = element instanceof HTMLInputElement ? element.labels?.[0]?.textContent : undefined;
      return `${element?.tagName} ${element?.getAttribute('aria-label') ?? label ?? element?.textContent?.trim() ?? ''}`;
    });
  /** Moves on with Tab, with a limit on the number of stops. */
  const tabTo = async (wanted: RegExp, limit = 24) => {
    const passed: string[] = [];
    while (passed.length < limit) {
      await keyboard.press('Tab');
      const now = await focused();
      if (wanted.test(now)) return;
      passed.push(now);
    }
    throw new Error(`Nothing focusable is called ${wanted}, after ${passed.join(' | ')}`);
  };
  const pressOn = async (wanted: RegExp, limit?: number) => {
    await tabTo(wanted, limit);
    await keyboard.press('Enter');
  };
  const inContent = () => page.waitForFunction(() => document.activeElement?.id === 'content');
  return { keyboard, focused, tabTo, pressOn, inContent };
}

export async function logOut(page: Page): Promise<void> {
  await press(page, 'You and your settings', 'Log out');
  await page.getByRole('heading', { name: 'Log in' }).waitFor();
}

export async function confirmPassword(question: Locator, password = testPassword): Promise<void> {
  await question.getByLabel('Password').fill(password);
  await button(question, 'Continue').click();
}

export const link = (page: Page | Locator, name: string | RegExp) =>
  page.getByRole('link', { name, exact: typeof name === 'string' });
export const dialog = (page: Page, name?: string | RegExp) =>
  page.getByRole('dialog', name === undefined ? {} : { name });
export const toast = (page: Page, text: string | RegExp) => page.locator('.toast', { hasText: text }).waitFor();

function listen(page: Page, heard: string[]): void {
  page.on('console', message => heard.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', error => heard.push(`error: ${error.message}`));
  page.on('requestfailed', request => {
    const reason = request.failure()?.errorText ?? '';
    // Leaving a page cancels its requests.
    if (reason !== 'net::ERR_ABORTED') heard.push(`error: ${request.method()} failed with ${reason}`);
  });
}

/** The browser itself logs every 4xx response; those are errors that the page shows. */
export function expectQuiet(heard: readonly string[]): void {
  const refused = /^error: Failed to load resource: the server responded with a status of 4\d\d/;
  expect(heard.filter(line => !refused.test(line))).toEqual([]);
}

/** Waits until the page is shown and has finished loading. */
export async function settled(page: Page): Promise<void> {
  await page.waitForFunction(
    () => document.querySelector('h1') !== null && document.querySelector('.skeleton') === null,
  );
  await page.evaluate(() => document.fonts.ready.then(() => undefined));
}

/** Answers the log-in on the page or over it: the address, and then the password. */
export async function logIn(page: Page, email: string, password = testPassword): Promise<void> {
  // A page under the log-in may have a notice called “Your e-mail”.
  await page.getByRole('textbox', { name: 'E-mail' }).fill(email);
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
}

const capabilities = { hasResidentKey: true, hasUserVerification: true, isUserVerified: true };

/** Gives the browser an authenticator whose user is always verified. */
export async function withAuthenticator(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: { ...capabilities, protocol: 'ctap2', transport: 'internal' },
  });
}

export const screenshots = join(import.meta.dirname, '../../../.local/screenshots');

export async function keepScreenshot(page: Page, name: string, fullPage = true): Promise<void> {
  mkdirSync(screenshots, { recursive: true });
  await page.screenshot({ path: join(screenshots, `${name}.png`), fullPage });
}
