import type { Locator, Page } from 'playwright-core';
import { inPage, openAnew } from './in-page';

/** A user's view and actions on any console page. */
export class ConsolePage {
  readonly dialog: Locator;

  constructor(readonly page: Page) {
    this.dialog = page.getByRole('dialog');
  }

  /** Loads a page, and waits for its heading. */
  async load(path: string, heading: string): Promise<void> {
    await this.page.goto(path);
    await this.heading(heading);
  }

  /** Opens a page, and waits for its heading. Coming from another console page, it loads nothing and keeps no state. */
  async open(path: string, heading: string): Promise<void> {
    if (!new URL(this.page.url()).pathname.startsWith('/console/')) return this.load(path, heading);
    await this.page.evaluate(inPage(`${openAnew(path)} await stands();`));
    return this.heading(heading);
  }

  heading(name: string): Promise<void> {
    return this.page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
  }

  /** The first button with this name. */
  press(name: string, within: Page | Locator = this.page): Promise<void> {
    return within.getByRole('button', { name, exact: true }).first().click();
  }

  /** A button in the open dialog. */
  answer(name: string): Promise<void> {
    return this.press(name, this.dialog);
  }

  fill(label: string, text: string): Promise<void> {
    return this.page.getByLabel(label, { exact: true }).fill(text);
  }

  /** Adds a filter to the row of a list. */
  async addFilter(label: string): Promise<void> {
    await this.press('Filter');
    await this.press(label, this.page.getByRole('search').last());
  }

  /** Waits for a text that contains this one. */
  tells(text: string): Promise<void> {
    return this.page.getByText(text).first().waitFor();
  }

  /** Waits for exactly this text. */
  says(text: string): Promise<void> {
    return this.page.getByText(text, { exact: true }).first().waitFor();
  }
}
