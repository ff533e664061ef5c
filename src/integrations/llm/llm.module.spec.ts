import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import { LlmConfig } from './llm.config';
import { LlmModule } from './llm.module';

describe('LlmModule', () => {
  let warn: jest.SpyInstance;

  beforeEach(() => {
    jest.spyOn(Logger.prototype, 'log').mockImplementation();
    warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
  });

  it('logs at start that the demo provider answers if nothing is configured', () => {
    new LlmModule(new LlmConfig()).onModuleInit();
    expect(warn).toHaveBeenCalledWith(expect.stringContaining('demo provider'));
  });

  it('does not warn if a model is configured', () => {
    const config = { LLM_BASE_URL: 'http://127.0.0.1:9/v1', LLM_MODEL: 'm' };
    new LlmModule(Object.assign(new LlmConfig(), config)).onModuleInit();
    expect(warn).not.toHaveBeenCalled();
  });
});
