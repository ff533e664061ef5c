import { Injectable } from '@nestjs/common';
import { LanguageModels } from '../../../integrations/llm/language-models';
import type { Completion, GenerationRequest } from '../../../integrations/llm/port/completion';

/** Who tries something. */
export interface Trier {
  userId: number;
  /** The API key of the request; null: none. */
  apiKeyId: number | null;
  /** The agent that is tried; 0: none is. */
  agentId: number;
}

/** Asks for an answer, and charges whoever caused it. */
export type TrialKeeper = (
  trier: Trier,
  request: GenerationRequest,
  ask: (request: GenerationRequest) => Promise<Completion>,
) => Promise<Completion>;

/** Has models answer in trials. A module above this one may hold and reckon what they cost. */
@Injectable()
export class TrialPayer {
  private keeper: TrialKeeper = (_trier, request, ask) => ask(request);

  constructor(private readonly models: LanguageModels) {}

  /** Call it at start. */
  useKeeper(keeper: TrialKeeper): void {
    this.keeper = keeper;
  }

  /** @throws what `LanguageModels.complete` throws, and why the keeper refuses it */
  complete(trier: Trier, request: GenerationRequest): Promise<Completion> {
    return this.keeper(trier, request, (asked) => this.models.complete(asked));
  }
}
