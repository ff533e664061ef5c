import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import { LlmConfig } from '../llm.config';
import type { ManagedProviderEntity } from './managed-provider.entity';
import { ProviderDirectory } from './provider-directory';

describe('ProviderDirectory at the start', () => {
  let log: jest.SpyInstance;
  let warn: jest.SpyInstance;

  beforeEach(() => {
    log = jest.spyOn(Logger.prototype, 'log').mockImplementation();
    warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
  });

  /** Starts with these settings and this default in the table. */
  async function start(settings: Partial<LlmConfig>, managed: object[] = []): Promise<void> {
    let isReady = (): Promise<void> => Promise.resolve();
    new ProviderDirectory(
      Object.assign(new LlmConfig(), settings),
      {
        all: () => Promise.resolve(managed),
        toDefinition: (row: ManagedProviderEntity) => row,
        keyOf: () => null,
      } as never,
      { replace: () => [] } as never,
      {} as never,
      {} as never,
      { subscribe: () => undefined } as never,
      { onReady: (work: () => Promise<void>) => void (isReady = work) } as never,
      { isBeingRotated: false } as never,
      { add: () => undefined } as never,
    );
    await isReady();
  }

  it('warns that the demo provider replies if nothing else is set up', async () => {
    await start({});
    expect(warn).toHaveBeenCalledWith(expect.stringContaining('demo provider'));
  });

  it('names the model of the settings', async () => {
    await start({ LLM_BASE_URL: 'http://127.0.0.1:9/v1', LLM_MODEL: 'm' });
    expect(warn).not.toHaveBeenCalled();
    expect(log).toHaveBeenCalledWith({ provider: 'openai-compatible', model: 'm' }, expect.stringContaining('LLM_*'));
  });

  it('does not warn once an administrator has made another provider the default', async () => {
    const provider = { name: 'office', model: 'big', isDefault: true, apiKey: null };
    await start({}, [provider]);
    expect(warn).not.toHaveBeenCalled();
    expect(log).toHaveBeenCalledWith({ provider: 'office', model: 'big' }, expect.any(String));
  });
});
