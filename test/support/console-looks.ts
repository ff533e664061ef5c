import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { violations } from './console-app';
import { goTo, inPage, openAnew } from './in-page';

/** In the order of the console's menu. */
export const LANGUAGES = ['en', 'zh', 'es', 'fr', 'de', 'ja'];

/**
 * Pixels: a window of 1280 at 200 %, a common phone, and a small one, with the order of languages for each. Each width
 * starts with the last language of the previous one. One width between the others is enough.
 */
const NARROW: [width: number, inOrder: (languages: string[]) => string[]][] = [
  [640, (languages) => languages],
  [390, (languages) => languages.slice(-1)],
  [320, (languages) => languages.toReversed()],
];

/** Rules that axe can only find in a narrow window. */
const WHERE_NARROW = ['scrollable-region-focusable', 'target-size'];

/** Set it to save an image of everything that is inspected. */
const PICTURES = process.env.TEST_PICTURES;

/**
 * The elements that are too wide in each language, which is selected in the menu: they make the page scroll sideways. A
 * document that is taller than the window scrolls the whole app out of view. Elements that measure themselves after a
 * resize have finished after the first frame.
 */
const overflowIn = (languages: string[]): string =>
  inPage(`
  const found = [];
  await frames(1);
  await task();
  for (const language of ${JSON.stringify(languages)}) {
    if (document.documentElement.lang !== language) {
      const [button, list] = document.querySelector('.topbar .menu').children;
      button.click();
      while (list.children.length === 0) await task();
      list.children[${JSON.stringify(LANGUAGES)}.indexOf(language)].click();
      while (document.documentElement.lang !== language) await task();
      await task();
    }
    for (const element of [document.documentElement, ...document.querySelectorAll('main, nav, header, dialog[open], .toast')]) {
      const { scrollWidth, clientWidth, tagName } = element;
      if (scrollWidth <= clientWidth + 1 || getComputedStyle(element).visibility === 'hidden') continue;
      found.push(language + ', ' + innerWidth + ': ' + tagName + ': ' + scrollWidth + ' > ' + clientWidth);
    }
    const { scrollHeight, clientHeight } = document.documentElement;
    if (scrollHeight > clientHeight) {
      found.push(language + ', ' + innerWidth + ': document taller than the window: ' + scrollHeight + ' > ' + clientHeight);
    }
  }
  return found;`);

/**
 * The scrollers that do not contain their absolutely positioned descendants: these would not scroll with them, and make
 * the document taller than the window.
 */
const LEAKING_SCROLLERS = `[...document.querySelectorAll('body *')]
  .filter((element) => element.localName !== 'textarea')
  .filter((element) => {
    const { overflowX, overflowY, position } = getComputedStyle(element);
    return position === 'static' && [overflowX, overflowY].some((overflow) => overflow === 'auto' || overflow === 'scroll');
  })
  .map(({ localName, className }) => 'scroller without a position: ' + localName + '.' + className)`;

/** A state of a page after an action. */
export interface State {
  name: string;
  place: string;
  reach: () => Promise<unknown>;
  /** Resets what would still be visible after another page was opened. */
  leave?: () => Promise<unknown>;
}

/** A state as users see it: narrow and wide, in light and dark, and in all languages. */
export class ConsoleLooks {
  private colours: 'light' | 'dark' = 'light';
  private isStill = false;
  /** Whether this window has no leftovers from the state before. */
  private isLeft = false;

  constructor(readonly page: Page) {}

  /** Navigates like a link in the page, and waits until the page is ready. */
  async open(place: string): Promise<void> {
    await this.page.evaluate(inPage(`${goTo(place)} await stands();`));
  }

  /** The same, and waits until it is idle. */
  async openSettled(place: string): Promise<void> {
    await this.page.evaluate(inPage(`${goTo(place)} await stands(); await frames(3);`));
  }

  async stands(): Promise<void> {
    await this.page.evaluate(inPage('await stands();'));
  }

  /** Waits until the opened page is loaded and idle. */
  async settled(): Promise<void> {
    await this.page.evaluate(inPage('await stands(); await frames(3);'));
  }

  /**
   * The problems of a state, or nothing. Its page is opened again for it, but not loaded, because axe is fastest after
   * several runs. After a failure it is loaded.
   */
  async faultsOf({ name, place, reach, leave }: State): Promise<string[]> {
    if (this.isLeft) {
      await this.page.evaluate(inPage(`${openAnew(place)} await stands();`));
    } else {
      await this.page.goto(place);
      await this.stands();
    }
    this.isLeft = false;
    await reach();
    await this.settled();
    const found = await this.faults(name);
    await leave?.();
    this.isLeft = true;
    return found;
  }

  /** The problems in view, or nothing. English and wide before and after; the colours may have changed. */
  async faults(name: string, languages = ['en']): Promise<string[]> {
    const found: string[] = [];
    await this.keepStill();
    for (const [width, inOrder] of NARROW) {
      await this.page.setViewportSize({ width, height: 900 });
      const spokenThere = inOrder(languages);
      for (const spoken of PICTURES ? spokenThere.map((language) => [language]) : [spokenThere]) {
        found.push(...(await this.page.evaluate<string[]>(overflowIn(spoken))));
        await this.picture(`${spoken[0]}-${width}-${name}`);
      }
    }
    found.push(...(await violations(this.page, WHERE_NARROW)).map((fault) => `narrow: ${fault}`));
    await this.page.setViewportSize({ width: 1280, height: 900 });
    found.push(...(await this.page.evaluate<string[]>(overflowIn(languages.slice(0, 1)))));
    found.push(...(await this.page.evaluate<string[]>(LEAKING_SCROLLERS)));
    found.push(...(await violations(this.page)).map((fault) => `${this.colours}: ${fault}`));
    await this.picture(`${this.colours}-${name}`);
    await this.wear(this.colours === 'light' ? 'dark' : 'light');
    // Only the colours change.
    found.push(...(await violations(this.page, ['color-contrast'])).map((fault) => `${this.colours}: ${fault}`));
    await this.picture(`${this.colours}-${name}`);
    return found;
  }

  /** Changes the colours; for a moment each of them is still the old one. */
  async wear(colorScheme: 'light' | 'dark'): Promise<void> {
    await this.page.emulateMedia({ colorScheme });
    this.colours = colorScheme;
    await this.page.evaluate(inPage('await frames(2);'));
  }

  /** Elements are not measured while they slide in or out. */
  private async keepStill(): Promise<void> {
    if (this.isStill) return;
    await this.page.emulateMedia({ reducedMotion: 'reduce' });
    this.isStill = true;
  }

  private async picture(name: string): Promise<void> {
    if (!PICTURES) return;
    mkdirSync(PICTURES, { recursive: true });
    await this.page.screenshot({ path: join(PICTURES, `${name.replaceAll(/\W+/g, '-')}.png`) });
  }
}
