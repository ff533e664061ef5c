import { TypeOrmModule } from '@nestjs/typeorm';
import { Feature } from '../../common/features/feature.decorator';
import { NetworkModule } from '../../common/network/network.module';
import { ProviderAdapters } from './adapters/provider-adapters';
import { TokenBounds } from './counting/token-bounds';
import { TokenCounter } from './counting/token-counter';
import { EmbeddingModels } from './embedding-models';
import { ModelSpans } from './generation/model-spans';
import { LanguageModels } from './language-models';
import { LlmConfig } from './llm.config';
import { ModelRelays } from './model-relays';
import { LocalModelSearch } from './providers/local-models';
import { ManagedProviderEntity } from './providers/managed-provider.entity';
import { ManagedProviderStore, ProviderCipher } from './providers/managed-provider.store';
import { ModelFactEntity } from './providers/model-fact.entity';
import { ModelInputs } from './providers/model-inputs';
import { ModelFactStore, ModelKnowledge } from './providers/model-knowledge';
import { ModelRegistry } from './providers/model-registry';
import { ProviderDirectory, ProviderProbe } from './providers/provider-directory';
import { ProviderTargets } from './providers/provider-targets';
import { ProviderUses } from './providers/provider-uses';
import { ResilienceSettings } from './providers/resilience';
import { SentParameters } from './providers/sent-parameters';
import { SideModels } from './side-requests';

/** Language models, their providers, and token counting. */
@Feature({
  folder: __dirname,
  configuration: [LlmConfig],
  imports: [NetworkModule, TypeOrmModule.forFeature([ManagedProviderEntity, ModelFactEntity])],
  providers: [
    ProviderTargets,
    ProviderUses,
    ProviderAdapters,
    ProviderCipher,
    ManagedProviderStore,
    ModelRegistry,
    ProviderProbe,
    ProviderDirectory,
    ResilienceSettings,
    ModelFactStore,
    ModelKnowledge,
    EmbeddingModels,
    LanguageModels,
    LocalModelSearch,
    ModelInputs,
    ModelRelays,
    ModelSpans,
    SentParameters,
    SideModels,
    TokenBounds,
    TokenCounter,
  ],
  exports: [
    EmbeddingModels,
    LanguageModels,
    LocalModelSearch,
    ManagedProviderStore,
    ModelInputs,
    ModelRegistry,
    ModelRelays,
    ModelSpans,
    ProviderDirectory,
    ProviderTargets,
    ProviderUses,
    SentParameters,
    SideModels,
    TokenBounds,
    TokenCounter,
  ],
})
export class LlmModule {}
