import type { Locator, Page } from 'playwright-core';
import { inPage, openAnew } from './in-page';

/** What a person sees and does on any page of the console. */
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

  /** Comes to a page, and waits for its heading. From another page of the console nothing is loaded, and nothing is left. */
  async open(path: string, heading: string): Promise<void> {
    if (!new URL(this.page.url()).pathname.startsWith('/console/')) return this.load(path, heading);
    await this.page.evaluate(inPage(`${openAnew(path)} await stands();`));
    return this.heading(heading);
  }

  heading(name: string): Promise<void> {
    return this.page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
  }

  /** The first button of this name. */
  press(name: string, within: Page | Locator = this.page): Promise<void> {
    return within.getByRole('button', { name, exact: true }).first().click();
  }

  /** A button of the open dialog. */
  answer(name: string): Promise<void> {
    return this.press(name, this.dialog);
  }

  fill(label: string, text: string): Promise<void> {
    return this.page.getByLabel(label, { exact: true }).fill(text);
  }

  /** Waits for a text in which this one is. */
  tells(text: string): Promise<void> {
    return this.page.getByText(text).first().waitFor();
  }

  /** Waits for exactly this text. */
  says(text: string): Promise<void> {
    return this.page.getByText(text, { exact: true }).first().waitFor();
  }
}
