import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { keepScreenshot } from './browser.ts';

/** The findings of axe, with their locations. */
async function violations(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const { violations: found } = await (
      globalThis as unknown as {
        axe: {
          run: (
            options: unknown,
          ) => Promise<{ violations: { id: string; nodes: { target: unknown[]; failureSummary: string }[] }[] }>;
        };
      }
    ).axe.run({
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    });
    return found.flatMap(({ id, nodes }) =>
      nodes.map(
        ({ target, failureSummary }) =>
          `${id}: ${target.join(' ')}: ${failureSummary.split('\n').slice(1).join(' ').trim()}`,
      ),
    );
  });
}

/** Elements that overflow the page, and controls whose text is cut off. */
async function overflows(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const wrong: string[] = [];
    const width = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth > width)
      wrong.push(`the page is ${document.documentElement.scrollWidth} wide`);
    for (const element of document.querySelectorAll<HTMLElement>('button, a, input, select, h1, h2')) {
      if (!element.checkVisibility() || element.closest('.matrix-frame, .tabs, .skip, .visually-hidden') !== null)
        continue;
      const box = element.getBoundingClientRect();
      const name = `${element.tagName} "${(element.textContent ?? '').slice(0, 30)}"`;
      if (box.left < -0.5 || box.right > width + 0.5) wrong.push(`${name} sticks out`);
      if (
        element.matches('button, a') &&
        element.scrollWidth > element.clientWidth + 1 &&
        getComputedStyle(element).overflow !== 'visible'
      )
        wrong.push(`${name} is clipped`);
    }
    return wrong;
  });
}

export const looks = [
  { width: 1280, colorScheme: 'light' },
  { width: 1280, colorScheme: 'dark' },
  { width: 360, colorScheme: 'light' },
  { width: 360, colorScheme: 'dark' },
] as const;

export const wideAndNarrow = [looks[0], looks[3]];

/** Expects no problem of a page in each look, and continues if there is one. Screenshots are kept for review. */
export async function expectFineLooks(
  page: Page,
  name: string,
  { as = looks, fullPage = true }: { as?: readonly (typeof looks)[number][]; fullPage?: boolean } = {},
): Promise<void> {
  const size = page.viewportSize();
  await page.evaluate(axe.source);
  for (const { width, colorScheme } of as) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    expect
      .soft([...(await violations(page)), ...(await overflows(page))], `${name} ${width} ${colorScheme}`)
      .toEqual([]);
    await keepScreenshot(page, `${name}-${width}-${colorScheme}`, fullPage);
  }
  if (size !== null) await page.setViewportSize(size);
}
