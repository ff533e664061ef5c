import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { violations } from './console-app';
import { goTo, inPage, openAnew } from './in-page';

/** In the order of the console's menu. */
export const LANGUAGES = ['en', 'zh', 'es', 'fr', 'de', 'ja'];

/**
 * Pixels: what a window of 1280 has at 200 %, a usual phone, and a small one; and in which order the languages are chosen there,
 * so that each width goes on with the last one before. Between the others one is enough.
 */
const NARROW: [width: number, inOrder: (languages: string[]) => string[]][] = [
  [640, (languages) => languages],
  [390, (languages) => languages.slice(-1)],
  [320, (languages) => languages.toReversed()],
];

/** What axe can find in a narrow window and not in a wide one. */
const WHERE_NARROW = ['scrollable-region-focusable', 'target-size'];

/** Set it to look at everything that is inspected: each is stored there as a picture. */
const PICTURES = process.env.TEST_PICTURES;

/**
 * The elements that are wider than they may be in each of the languages, which are chosen in the menu: with them the page
 * scrolls to the side. What measures itself after a change of the window has done so after the first frame.
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
  }
  return found;`);

/** What is in view once something is done on a page. */
export interface State {
  name: string;
  place: string;
  reach: () => Promise<unknown>;
  /** Takes back what would still be seen after another page was opened. */
  leave?: () => Promise<unknown>;
}

/** What is in view as people see it: narrow and wide, in light and dark, and in all languages. */
export class ConsoleLooks {
  private colours: 'light' | 'dark' = 'light';
  private isStill = false;
  /** Whether nothing is left in this window of the state before. */
  private isLeft = false;

  constructor(readonly page: Page) {}

  /** Goes there as a link of the page would, and waits until the page stands. */
  async open(place: string): Promise<void> {
    await this.page.evaluate(inPage(`${goTo(place)} await stands();`));
  }

  /** The same, and waits until it has come to rest. */
  async openSettled(place: string): Promise<void> {
    await this.page.evaluate(inPage(`${goTo(place)} await stands(); await frames(3);`));
  }

  async stands(): Promise<void> {
    await this.page.evaluate(inPage('await stands();'));
  }

  /** Waits until what was opened has been loaded and has come to rest. */
  async settled(): Promise<void> {
    await this.page.evaluate(inPage('await stands(); await frames(3);'));
  }

  /**
   * What is wrong with a state, or nothing. Its page is opened anew for it, but not loaded: axe is at its best once it has
   * run some times. After a failure it is loaded.
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

  /** What is wrong with what is in view, or nothing. English and wide before and after; the colours are others then. */
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
    found.push(...(await violations(this.page)).map((fault) => `${this.colours}: ${fault}`));
    await this.picture(`${this.colours}-${name}`);
    await this.wear(this.colours === 'light' ? 'dark' : 'light');
    // Nothing else depends on the colours.
    found.push(...(await violations(this.page, ['color-contrast'])).map((fault) => `${this.colours}: ${fault}`));
    await this.picture(`${this.colours}-${name}`);
    return found;
  }

  /** Changes the colours; for a moment each of them is still the other one. */
  async wear(colorScheme: 'light' | 'dark'): Promise<void> {
    await this.page.emulateMedia({ colorScheme });
    this.colours = colorScheme;
    await this.page.evaluate(inPage('await frames(2);'));
  }

  /** What slides in and out is not measured on its way. */
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
