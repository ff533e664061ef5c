/** A name that resolves to this machine, while browsers trust it no more than any other machine over http. */
export const OTHER_MACHINE = 'chat.intranet.example';

/** How Debian's Chromium starts in tests: without a window or prompts. */
export const BROWSER_FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  `--host-resolver-rules=MAP ${OTHER_MACHINE} 127.0.0.1`,
];
