import { type Browser, chromium } from 'playwright-core';
import { BROWSER_FLAGS } from './browser-flags';
import { findProgram } from './servers/installed.js';

/** Outlives the test files of a worker, which load this module anew. */
declare global {
  var sharedBrowser: Promise<Browser> | undefined;
}

/**
 * The browser of this worker, which starts with the first file that asks for it. Everybody makes contexts of their own,
 * which share nothing, and closes them. Playwright ends it with the process; it also ends when the process is killed,
 * because then its pipe is cut.
 */
export async function sharedBrowser(): Promise<Browser> {
  const running = await globalThis.sharedBrowser?.catch(() => undefined);
  if (running?.isConnected()) return running;
  const executablePath = findProgram('chromium-headless-shell');
  globalThis.sharedBrowser = chromium.launch({ executablePath, args: BROWSER_FLAGS });
  return globalThis.sharedBrowser;
}

/** Closes everything that is open in it. */
export async function closeWindows(): Promise<void> {
  const browser = await globalThis.sharedBrowser;
  await Promise.all((browser?.contexts() ?? []).map((context) => context.close()));
}
