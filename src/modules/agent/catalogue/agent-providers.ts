import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ValidationFailedError } from '../../../common/errors/validation.errors';
import { fallbackPrefix, isReservedProviderName } from '../../../integrations/llm/port/provider-definition';
import { ManagedProviderStore } from '../../../integrations/llm/providers/managed-provider.store';
import type { AgentBehaviour } from './agent-behaviour';

type ProviderUse = Pick<AgentBehaviour, 'provider' | 'fallbackModels'>;

/**
 * Checks which model providers agents may refer to: those of the table, the two that always exist, and kinds of
 * providers.
 */
@Injectable()
export class AgentProviders {
  constructor(private readonly store: ManagedProviderStore) {}

  /**
   * @param field path of the field in the body
   * @throws ValidationFailedError if no provider has that name; inactive ones are allowed
   */
  async assertKnown(provider: string | null | undefined, field = 'provider'): Promise<void> {
    if (typeof provider === 'string' && !isBuiltIn(provider) && !(await this.store.exists(provider))) {
      throw ValidationFailedError.of(field, 'not_offered');
    }
  }

  /**
   * Locks the agent's providers. Call it in the transaction that writes the agent, so that they cannot be deleted
   * before the commit.
   *
   * @throws ValidationFailedError if the provider was deleted
   */
  async hold(manager: EntityManager, { provider, fallbackModels }: ProviderUse): Promise<void> {
    const isThere = await this.store.hold(manager, provider, fallbackModels);
    if (!isThere && !isBuiltIn(provider)) {
      throw ValidationFailedError.of('provider', 'not_offered');
    }
  }
}

/** Whether an agent refers to the provider, for its own model or for a fallback. */
export function usesProvider({ provider, fallbackModels }: ProviderUse, name: string): boolean {
  return provider === name || fallbackModels.some((fallback) => fallbackPrefix(fallback) === name);
}

/** Case-sensitive: names of providers are compared exactly. */
function isBuiltIn(provider: string | null): boolean {
  return provider === null || (isReservedProviderName(provider) && provider === provider.toLowerCase());
}
