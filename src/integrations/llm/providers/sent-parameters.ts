import { Injectable } from '@nestjs/common';
import type { ModelParameters } from '../port/language-model-provider';
import type { ModelReference } from '../port/model-reference';
import { adjustBody } from '../port/parameter-adjustment';
import { ModelKnowledge } from './model-knowledge';
import { ModelRegistry } from './model-registry';

/** Determines which settings are sent to a model: those that its provider supports, and has not refused before. */
@Injectable()
export class SentParameters {
  constructor(
    private readonly registry: ModelRegistry,
    private readonly knowledge: ModelKnowledge,
  ) {}

  /** @param hasTools some models accept other settings in combination with functions */
  of({ provider, model }: ModelReference, parameters: ModelParameters, hasTools: boolean): ModelParameters {
    const found = this.registry.find(provider ?? this.registry.defaultProvider)?.provider;
    const name = model ?? found?.defaultModel ?? null;
    if (found === undefined || name === null) {
      return parameters;
    }
    const isKnown = (parameter: string): boolean => found.parameters?.has(parameter as keyof ModelParameters) ?? true;
    const known = Object.fromEntries(Object.entries(parameters).filter(([parameter]) => isKnown(parameter)));
    const body = { ...known, ...(hasTools && { tools: [] }) };
    return adjustBody(body, this.knowledge.adjustmentsOf({ provider: found, model: name }));
  }
}
