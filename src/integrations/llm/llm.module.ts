import { Logger, Module, OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AnthropicProvider } from './adapters/anthropic.provider';
import { DemoProvider } from './adapters/demo.provider';
import { OpenAiCompatibleProvider } from './adapters/openai-compatible.provider';
import { LANGUAGE_MODEL_PROVIDERS, LanguageModels } from './language-models';
import type { LanguageModelProvider } from './language-model-provider';
import { ModelFactEntity } from './model-fact.entity';
import { ModelFactStore } from './model-fact.store';
import { ModelKnowledge } from './model-knowledge';
import { ResilienceSettings } from './resilience.settings';
import { TokenCounter } from './token-counter';

/** A further provider is one adapter and its name here. */
const ADAPTERS = [DemoProvider, OpenAiCompatibleProvider, AnthropicProvider];

/** Language models and token counting. Needs `LlmConfig` from the configuration. */
@Module({
  imports: [TypeOrmModule.forFeature([ModelFactEntity])],
  providers: [
    ...ADAPTERS,
    {
      provide: LANGUAGE_MODEL_PROVIDERS,
      useFactory: (...adapters: LanguageModelProvider[]) => adapters,
      inject: ADAPTERS,
    },
    ResilienceSettings,
    ModelFactStore,
    ModelKnowledge,
    LanguageModels,
    TokenCounter,
  ],
  exports: [LanguageModels, TokenCounter],
})
export class LlmModule implements OnModuleInit {
  private readonly logger = new Logger(LlmModule.name);

  constructor(private readonly languageModels: LanguageModels) {}

  onModuleInit(): void {
    const { defaultProvider, defaultModel } = this.languageModels;
    if (defaultProvider === 'demo') {
      this.logger.warn(
        'No language model is configured: replies come from the built-in demo provider. ' +
          'Set LLM_PROVIDER, LLM_BASE_URL, LLM_API_KEY and LLM_MODEL for a real one.',
      );
    } else {
      this.logger.log(`Replies come from ${defaultProvider}, model ${defaultModel}.`);
    }
  }
}
