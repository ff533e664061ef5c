import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../../config/app.config';
import { TokenCounter } from '../counting/token-counter';
import type { LanguageModelProvider } from '../port/language-model-provider';
import type { ProviderDefinition } from '../port/provider-definition';
import { ProviderTargets } from '../providers/provider-targets';
import { AnthropicProvider } from './anthropic-provider';
import { DemoProvider } from './demo-provider';
import { OpenAiCompatibleProvider } from './openai-compatible-provider';

/** Creates providers from their definitions. Another kind needs one adapter and one case here. */
@Injectable()
export class ProviderAdapters {
  constructor(
    private readonly tokenCounter: TokenCounter,
    private readonly targets: ProviderTargets,
    private readonly config: AppConfig,
  ) {}

  create(definition: ProviderDefinition): LanguageModelProvider {
    switch (definition.kind) {
      case 'anthropic':
        return new AnthropicProvider(definition, this.targets);
      case 'openai-compatible':
        return new OpenAiCompatibleProvider(definition, this.targets);
      case 'demo':
        return new DemoProvider(this.tokenCounter, definition.name, this.config.CONSOLE_ENABLED);
    }
  }
}
