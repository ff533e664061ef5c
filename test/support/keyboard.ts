import type { Page } from 'playwright-core';
import { eventually } from './eventually';

/** More than any page requires. */
const MOST_STEPS = 80;

/** The focused element: its name, and whether its focus is visible. */
const FOCUSED = `{
  const element = document.activeElement;
  const outlines = [element, ...(element.closest('.composer-box, .agent') ? [element.closest('.composer-box, .agent')] : [])];
  // A heading has it only to be read out when a page opens.
  const isMarked = element.tagName === 'H1' || outlines.some((place) => {
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(place);
    return (outlineStyle !== 'none' && parseFloat(outlineWidth) > 0) || (place !== element && boxShadow !== 'none');
  });
  const { width, height } = element.getBoundingClientRect();
  const label = element.getAttribute('aria-label') ?? element.labels?.[0]?.textContent ?? element.textContent;
  ({
    name: element === document.body ? '' : label.trim().replace(/\\s+/g, ' '),
    isSeen: isMarked && (element.checkVisibility({ opacityProperty: true }) || element.type === 'radio') && width * height > 0,
  });
}`;

interface Focused {
  name: string;
  isSeen: boolean;
}

/** A user without a mouse. */
export class Keyboard {
  constructor(private readonly page: Page) {}

  async press(...keys: string[]): Promise<void> {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  type(text: string): Promise<void> {
    return this.page.keyboard.type(text);
  }

  /** The name of the focused element; empty if there is none. */
  async focused(): Promise<string> {
    return (await this.page.evaluate<Focused>(FOCUSED)).name;
  }

  /** Waits until the focus has moved there on its own. */
  async expectFocus(name: string | RegExp): Promise<void> {
    await eventually(async () => matches(await this.focused(), name), 10).catch(() => undefined);
    expect(await this.page.evaluate<Focused>(FOCUSED)).toEqual({
      name: typeof name === 'string' ? name : expect.stringMatching(name),
      isSeen: true,
    });
  }

  /** Moves with the Tab key, or another one, to the element with this name; the focus must be visible at each step. */
  async goTo(name: string | RegExp, key = 'Tab'): Promise<void> {
    const passed: string[] = [];
    for (let step = 0; step < MOST_STEPS; step++) {
      await this.page.keyboard.press(key);
      const focused = await this.page.evaluate<Focused>(FOCUSED);
      if (focused.name !== '' && !focused.isSeen)
        throw new Error(`It cannot be seen that “${focused.name}” has the focus.`);
      if (matches(focused.name, name)) return;
      passed.push(focused.name);
    }
    throw new Error(`“${String(name)}” was not reached, but: ${passed.join(' | ')}`);
  }
}

function matches(text: string, name: string | RegExp): boolean {
  return typeof name === 'string' ? text === name : name.test(text);
}
