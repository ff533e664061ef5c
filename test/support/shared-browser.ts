import { type Browser, chromium } from 'playwright-core';
import { BROWSER_FLAGS } from './browser-flags';
import { findProgram } from './servers/installed.js';

/** Outlives the test files of a worker, which load this module again. */
declare global {
  var sharedBrowser: Promise<Browser> | undefined;
}

/**
 * The browser of this worker, which starts with the first file that needs it. Each user creates and closes its own
 * contexts, which share nothing. Playwright stops it with the process; it also stops when the process is killed,
 * because its pipe is closed.
 */
export async function sharedBrowser(): Promise<Browser> {
  const running = await globalThis.sharedBrowser?.catch(() => undefined);
  if (running?.isConnected()) return running;
  const executablePath = findProgram('chromium-headless-shell');
  globalThis.sharedBrowser = chromium.launch({ executablePath, args: BROWSER_FLAGS });
  return globalThis.sharedBrowser;
}

/** Closes all contexts in it. */
export async function closeWindows(): Promise<void> {
  const browser = await globalThis.sharedBrowser;
  await Promise.all((browser?.contexts() ?? []).map((context) => context.close()));
}
