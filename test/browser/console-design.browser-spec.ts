import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pixelmatch from 'pixelmatch';
import { PNG } from 'pngjs';
import { violations } from '../support/console-app';
import { DesignPage } from '../support/design-page';

const PICTURES = join(__dirname, '../fixtures/design');
const FONTS = join(PICTURES, 'fonts.txt');

/** Edges of letters and of curves may differ a little between two browsers. */
const MOST_DIFFERENT = 0.002;

/** Set it to store the pictures of a wanted change. */
const KEEPS = process.env.TEST_KEEP_DESIGN === 'yes';

/** The share of pixels that differ from the stored picture; 1 if the sizes differ. */
function difference(taken: Buffer, name: string): number {
  const file = join(PICTURES, `${name}.png`);
  if (KEEPS) writeFileSync(file, taken);
  const [now, before] = [PNG.sync.read(taken), PNG.sync.read(readFileSync(file))];
  if (now.width !== before.width || now.height !== before.height) return 1;
  const count = pixelmatch(now.data, before.data, null, now.width, now.height, { threshold: 0.2 });
  return count / (now.width * now.height);
}

describe('the page of all components', () => {
  let design: DesignPage;
  let isComparable = false;

  beforeAll(async () => {
    design = await DesignPage.open();
    const fonts = String(await design.fonts());
    if (KEEPS) writeFileSync(FONTS, fonts);
    isComparable = existsSync(FONTS) && readFileSync(FONTS, 'utf8').trim() === fonts;
    // Shows the error of a field.
    await design.page.getByLabel('Password', { exact: true }).fill('correct horse');
    await design.page.getByRole('button', { name: 'Save' }).click();
    await design.page.getByText('Use digits and a decimal point').waitFor();
  }, 60_000);

  afterAll(() => design.close());

  /** Machines with other fonts check only the accessibility. */
  async function expectSame(name: string, isWholePage: boolean): Promise<void> {
    const { page } = design;
    expect(await violations(page)).toEqual([]);
    await page.evaluate('document.activeElement.blur()');
    const taken = await page.screenshot({ fullPage: isWholePage, animations: 'disabled', caret: 'hide' });
    if (isComparable) expect(difference(taken, name)).toBeLessThan(MOST_DIFFERENT);
  }

  it.each(['light', 'dark'] as const)('looks as stored and is accessible, in the %s theme', async (colorScheme) => {
    await design.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await expectSame(colorScheme, true);
  });

  it('shows a dialog whose title and buttons stay in view', async () => {
    const { page } = design;
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    await page.getByRole('button', { name: 'Open a form' }).click();
    const dialog = page.getByRole('dialog');
    for (const place of [0, 1e6]) {
      await dialog.locator('> .stack').evaluate(`(stack) => stack.scrollTo(0, ${place})`);
      const box = await dialog.boundingBox();
      const [head, foot] = await Promise.all([
        dialog.getByRole('heading').boundingBox(),
        dialog.getByRole('button', { name: 'Save' }).boundingBox(),
      ]);
      expect(head!.y).toBeGreaterThan(box!.y);
      expect(foot!.y + foot!.height).toBeLessThan(box!.y + box!.height);
    }
    await expectSame('dialog', false);
  });
});
