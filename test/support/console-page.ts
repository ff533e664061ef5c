import type { Locator, Page } from 'playwright-core';

/** What a person sees and does on any page of the console. */
export class ConsolePage {
  readonly dialog: Locator;

  constructor(readonly page: Page) {
    this.dialog = page.getByRole('dialog');
  }

  /** Loads a page, and waits for its heading. */
  async open(path: string, heading: string): Promise<void> {
    await this.page.goto(path);
    await this.heading(heading);
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
