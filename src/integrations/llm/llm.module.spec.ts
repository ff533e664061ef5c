import 'reflect-metadata';
import { Global, Logger, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { LanguageModels } from './language-models';
import { LlmConfig } from './llm.config';
import { LlmModule } from './llm.module';
import { TokenCounter } from './token-counter';

/** What is learned of models is not stored here. */
const withoutDatabase = {
  onReady: () => undefined,
  options: {},
  entityMetadatas: [],
  getRepository: () => withoutDatabase,
};

async function start(config: LlmConfig) {
  @Global()
  @Module({ providers: [{ provide: LlmConfig, useValue: config }], exports: [LlmConfig] })
  class TestConfigurationModule {}
  const testingModule = await Test.createTestingModule({ imports: [TestConfigurationModule, LlmModule] })
    .useMocker(() => withoutDatabase)
    .compile();
  return await testingModule.init();
}

describe('LlmModule', () => {
  it('answers from the demo provider when nothing is configured, and says so at start', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
    const testingModule = await start(new LlmConfig());
    expect(warn).toHaveBeenCalledWith(expect.stringContaining('demo provider'));
    const models = testingModule.get(LanguageModels);
    expect([models.defaultProvider, models.defaultModel]).toEqual(['demo', 'demo']);
    expect(models.describe().filter(({ configured }) => configured)).toHaveLength(1);
    expect(testingModule.get(TokenCounter)).toBeInstanceOf(TokenCounter);
    await testingModule.close();
  });

  it('offers a configured provider, and the demo besides', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
    const config = Object.assign(new LlmConfig(), {
      LLM_PROVIDER: 'openai-compatible',
      LLM_BASE_URL: 'http://127.0.0.1:9/v1',
      LLM_MODEL: 'm',
    });
    const testingModule = await start(config);
    expect(warn).not.toHaveBeenCalled();
    expect(testingModule.get(LanguageModels).describe()).toEqual([
      { provider: 'demo', model: 'demo', configured: true, circuit: 'closed' },
      { provider: 'openai-compatible', model: 'm', configured: true, circuit: 'closed' },
      { provider: 'anthropic', model: null, configured: false, circuit: 'closed' },
    ]);
    await testingModule.close();
  });
});
