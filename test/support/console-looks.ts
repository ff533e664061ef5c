import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { violations } from './console-app';

/** In the order of the console's menu. */
export const LANGUAGES = ['en', 'zh', 'es', 'fr', 'de', 'ja'];

/** Pixels: what a window of 1280 has at 200 %, and a small phone. */
const NARROW = [640, 320];

/** What axe can find in a narrow window and not in a wide one. */
const WHERE_NARROW = ['scrollable-region-focusable', 'target-size'];

/** Set it to look at everything that is inspected: each is stored there as a picture. */
const PICTURES = process.env.TEST_PICTURES;

/** The elements that are wider than they may be: with them the page scrolls to the side. */
const OVERFLOW = `[document.documentElement, ...document.querySelectorAll('main, nav, header, dialog[open], .toast')]
  .filter((element) => element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).visibility !== 'hidden')
  .map((element) => element.tagName + ': ' + element.scrollWidth + ' > ' + element.clientWidth)`;

/** What is in view as people see it: narrow and wide, in light and dark, and in all languages. */
export class ConsoleLooks {
  constructor(readonly page: Page) {}

  /** Goes there as a link of the page would, and waits until the page stands. */
  async open(place: string): Promise<void> {
    await this.page.evaluate(
      `history.pushState(null, '', '/console/${place}'); dispatchEvent(new PopStateEvent('popstate'))`,
    );
    await this.stands();
  }

  async stands(): Promise<void> {
    await this.page.locator('h1').first().waitFor();
    await this.page.locator('.state .spinner').first().waitFor({ state: 'detached' });
  }

  /** Waits until what was opened has been loaded and has come to rest. */
  async settled(): Promise<void> {
    await this.page.locator('.state .spinner').first().waitFor({ state: 'detached' });
    await this.rest();
  }

  /** What is wrong with what is in view, or nothing. English and wide before and after. */
  async faults(name: string, languages = ['en']): Promise<string[]> {
    const found: string[] = [];
    // What slides in and out is not measured on its way.
    await this.page.emulateMedia({ reducedMotion: 'reduce' });
    for (const width of NARROW) {
      await this.page.setViewportSize({ width, height: 900 });
      for (const language of languages) {
        if (languages.length > 1) await this.speak(language);
        const wide = await this.page.evaluate<string[]>(OVERFLOW);
        found.push(...wide.map((fault) => `${language}, ${width}: ${fault}`));
        await this.picture(`${language}-${width}-${name}`);
      }
    }
    if (languages.length > 1) await this.speak('en');
    found.push(...(await violations(this.page, WHERE_NARROW)).map((fault) => `narrow: ${fault}`));
    await this.page.setViewportSize({ width: 1280, height: 900 });
    found.push(...(await violations(this.page)));
    await this.picture(`light-${name}`);
    await this.wear('dark');
    // Nothing else depends on the colours.
    found.push(...(await violations(this.page, ['color-contrast'])).map((fault) => `dark: ${fault}`));
    await this.picture(`dark-${name}`);
    await this.wear('light');
    return found;
  }

  /** Changes the colours; for a moment each of them is still the other one. */
  async wear(colorScheme: 'light' | 'dark'): Promise<void> {
    await this.page.emulateMedia({ colorScheme });
    await this.rest();
  }

  /** Some frames: with less motion a transition takes one. */
  private async rest(): Promise<void> {
    await this.page.evaluate(`(async () => {
      for (let frames = 0; frames < 3; frames++) await new Promise(requestAnimationFrame);
    })()`);
  }

  /** Chooses in the menu of languages, without the time that a pointer takes. */
  private async speak(language: string): Promise<void> {
    await this.page.evaluate(`(async () => {
      const frame = () => new Promise(requestAnimationFrame);
      const [button, list] = document.querySelector('.topbar .menu').children;
      button.click();
      while (list.children.length === 0) await frame();
      list.children[${LANGUAGES.indexOf(language)}].click();
      while (document.documentElement.lang !== '${language}') await frame();
      await frame();
    })()`);
  }

  private async picture(name: string): Promise<void> {
    if (!PICTURES) return;
    mkdirSync(PICTURES, { recursive: true });
    await this.page.screenshot({ path: join(PICTURES, `${name.replaceAll(/\W+/g, '-')}.png`) });
  }
}
