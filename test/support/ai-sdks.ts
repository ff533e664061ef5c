import { createRequire } from 'node:module';
import { join } from 'node:path';
import { runInThisContext } from 'node:vm';
import { buildSync } from 'esbuild';
import type * as Sdk from '../clients/ai-sdk';

/** Helpers for the AI SDK, in any version. */
export interface AiSdk {
  AbstractChat: typeof Sdk.AbstractChat;
  DefaultChatTransport: typeof Sdk.DefaultChatTransport;
  safeValidateUIMessages: typeof Sdk.safeValidateUIMessages;
  lastAssistantMessageIsCompleteWithApprovalResponses: typeof Sdk.lastAssistantMessageIsCompleteWithApprovalResponses;
}

const FOLDER = join(__dirname, '../clients');

const PACKAGES = { 5: 'ai-5', 6: 'ai', 7: 'ai-7' } as const;

/** A version of the AI SDK as published. Version 7 has only ES modules, so a bundler turns it into one script. */
export function aiSdk(version: keyof typeof PACKAGES): AiSdk {
  const { outputFiles } = buildSync({
    stdin: { contents: `module.exports = require('${PACKAGES[version]}')`, resolveDir: FOLDER },
    bundle: true,
    write: false,
    platform: 'node',
    format: 'cjs',
    define: { 'import.meta.url': '"file:///ai.js"' },
    logLevel: 'silent',
  });
  const module = { exports: {} };
  const wrapped = `(function (module, exports, require) {${outputFiles[0]!.text}\n})`;
  const load = runInThisContext(wrapped) as (...scope: unknown[]) => void;
  load(module, module.exports, createRequire(join(FOLDER, 'package.json')));
  return module.exports as AiSdk;
}
