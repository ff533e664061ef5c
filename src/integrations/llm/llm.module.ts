import { Logger, OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Feature } from '../../common/features/feature.decorator';
import { NetworkModule } from '../../common/network/network.module';
import { ProviderAdapters } from './adapters/provider-adapters';
import { ModelFactEntity } from './generation/model-fact.entity';
import { ModelFactStore, ModelKnowledge } from './generation/model-knowledge';
import { ResilienceSettings } from './generation/resilience';
import { LanguageModels } from './language-models';
import { LlmConfig } from './llm.config';
import { ManagedProviderEntity } from './managed-provider.entity';
import { ManagedProviderStore, ProviderCipher } from './managed-provider.store';
import { ModelInputs } from './model-inputs';
import { ModelRegistry } from './model-registry';
import { ProviderDirectory } from './provider-directory';
import { ProviderProbe } from './provider-probe';
import { ProviderTargets } from './provider-targets';
import { SentParameters } from './sent-parameters';
import { TokenCounter } from './token-counter';

/** Language models, their providers, and token counting. */
@Feature({
  folder: __dirname,
  configuration: [LlmConfig],
  imports: [NetworkModule, TypeOrmModule.forFeature([ManagedProviderEntity, ModelFactEntity])],
  providers: [
    ProviderTargets,
    ProviderAdapters,
    ProviderCipher,
    ManagedProviderStore,
    ModelRegistry,
    ProviderProbe,
    ProviderDirectory,
    ResilienceSettings,
    ModelFactStore,
    ModelKnowledge,
    LanguageModels,
    ModelInputs,
    SentParameters,
    TokenCounter,
  ],
  exports: [
    LanguageModels,
    ManagedProviderStore,
    ModelInputs,
    ProviderDirectory,
    ProviderTargets,
    SentParameters,
    TokenCounter,
  ],
})
export class LlmModule implements OnModuleInit {
  private readonly logger = new Logger(LlmModule.name);

  constructor(private readonly config: LlmConfig) {}

  onModuleInit(): void {
    const { providerKind, LLM_MODEL } = this.config;
    if (providerKind === 'demo') {
      this.logger.warn(
        'Replies come from the built-in demo provider, unless administrators have added another one: under /admin/providers, ' +
          'or in the console (Administration, Providers) where there is one. LLM_PROVIDER, LLM_BASE_URL, LLM_API_KEY and LLM_MODEL set one up at start.',
      );
    } else {
      this.logger.log(
        { provider: providerKind, model: LLM_MODEL },
        'Replies come from the model provider of LLM_*, unless administrators have added another one.',
      );
    }
  }
}
