import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import type { Page } from 'playwright-core';
import { sharedBrowser } from './shared-browser';

const ROOT = join(__dirname, '../..');
const TYPES: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };

/** The page of all components, built from the sources. No service is needed. */
export class DesignPage {
  private constructor(
    readonly page: Page,
    private readonly folder: string,
  ) {}

  static async open(): Promise<DesignPage> {
    const folder = mkdtempSync(join(tmpdir(), 'design-'));
    const build = ['build', 'console', '--mode', 'design', '--outDir', folder, '--logLevel', 'error'];
    execFileSync(process.execPath, [join(ROOT, 'node_modules/vite/bin/vite.js'), ...build], { cwd: ROOT });
    const browser = await sharedBrowser();
    const page = await browser.newPage({ viewport: { width: 1024, height: 900 }, reducedMotion: 'reduce' });
    await page.route('**/*', async (route) => {
      const path = new URL(route.request().url()).pathname.replace('/console/', '').replace(/^design$/, 'design.html');
      const body = readFileSync(join(folder, path));
      await route.fulfill({ body, contentType: TYPES[extname(path)] });
    });
    await page.goto('http://design.example/console/design');
    await page.getByRole('heading', { level: 1 }).waitFor();
    return new DesignPage(page, folder);
  }

  /** The width of a text in the fonts of this machine, in pixels. Pictures of other fonts cannot be compared. */
  async fonts(): Promise<number> {
    return this.page.evaluate<number>(`(() => {
      const sample = document.createElement('canvas').getContext('2d');
      return ['system-ui', 'ui-monospace, monospace'].reduce((sum, font) => {
        sample.font = '100px ' + font;
        return sum + Math.round(sample.measureText('The quick brown fox 0123456789').width);
      }, 0);
    })()`);
  }

  async close(): Promise<void> {
    await this.page.close();
    rmSync(this.folder, { recursive: true });
  }
}
