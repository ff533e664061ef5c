import { estimatePrompt, estimateTools, promptRoom } from '../counting/prompt-estimate';
import { trimMessages } from '../counting/trim-messages';
import type { GenerationRequest } from '../port/completion';
import { type CompletionRequest, type ModelMessage } from '../port/language-model-provider';
import { ContextTooLongError, ModelProviderError } from '../port/llm.errors';
import { adjustBody, type ParameterAdjustments, type RefusedParameter } from '../port/parameter-adjustment';
import { ProviderRefusalError } from '../port/provider-refusal';
import { type ModelIdentity, type ModelKnowledge } from '../providers/model-knowledge';

/** After this many changes the request is abandoned. */
const MOST_CHANGES = 6;

/** If a provider's count differs from the estimate by more than this factor, it was misread. */
const LARGEST_SCALE = 8;

/** No model has a smaller window, so the response was misread. */
const SMALLEST_WINDOW = 128;

/**
 * A request in the form that one model accepts: without the parameters that it refuses, and within its window. It
 * starts from the known facts, changes after each refusal, and keeps the changes that helped when the model answers.
 */
export class AdaptedRequest {
  private messages: ModelMessage[];
  /** Changes to keep after they have helped. */
  private learned: ParameterAdjustments = {};
  /** Changes for this one prompt. */
  private passing: ParameterAdjustments = {};
  private window: number | null = null;
  private changes = 0;
  private trims = 0;

  constructor(
    private readonly knowledge: ModelKnowledge,
    private readonly identity: ModelIdentity,
    private readonly request: CompletionRequest & Pick<GenerationRequest, 'bound'>,
  ) {
    const { messages, parameters, isWhole } = request;
    const known = isWhole ? null : knowledge.contextTokensOf(identity);
    this.messages = known === null ? messages : trimMessages(messages, promptRoom(known, parameters) - this.toolTokens);
  }

  get completion(): CompletionRequest {
    const { parameters, tools, toolChoice, parallelToolCalls, responseFormat, language } = this.request;
    const { messages, adjustments } = this;
    const { anthropic, anthropicTurns } = this.request;
    const wishes = { tools, toolChoice, parallelToolCalls, responseFormat, anthropic, anthropicTurns };
    return { model: this.identity.model, messages, parameters, ...wishes, language, adjustments };
  }

  /** Whether the request needs a limit for the reply that the model refuses. */
  get lacksOutputLimit(): boolean {
    if (!this.request.bound?.needsOutputLimit) {
      return false;
    }
    const { max_tokens, max_completion_tokens } = this.request.parameters;
    const sent = adjustBody({ max_tokens, max_completion_tokens }, this.adjustments);
    return sent.max_tokens === undefined && sent.max_completion_tokens === undefined;
  }

  /** Changes the request after a refusal. Returns whether it is worth sending again. */
  adapt(error: unknown): boolean {
    // The client's own body is never changed to please a model.
    if (!(error instanceof ModelProviderError) || error instanceof ProviderRefusalError) {
      return false;
    }
    const { refusedParameter } = error.options;
    const isMet =
      refusedParameter !== undefined
        ? this.leaveOut(refusedParameter)
        : error instanceof ContextTooLongError && !this.request.isWhole && this.shorten(error);
    return isMet && ++this.changes <= MOST_CHANGES;
  }

  /** The model has answered: keeps the changes that helped. */
  keepLearned(): void {
    if (this.window !== null || Object.keys(this.learned).length > 0) {
      this.knowledge.learn(this.identity, this.learned, this.window);
      this.learned = {};
      this.window = null;
    }
  }

  /** Functions use a part of the window too. */
  private get toolTokens(): number {
    return estimateTools(this.request.tools ?? []);
  }

  private get adjustments(): ParameterAdjustments {
    return { ...this.knowledge.adjustmentsOf(this.identity), ...this.learned, ...this.passing };
  }

  private leaveOut({ parameter, adjustment, isLasting }: RefusedParameter): boolean {
    if ('include' in adjustment && this.adjustments[parameter] !== undefined) {
      return false;
    }
    const other = 'rename' in adjustment ? this.adjustments[adjustment.rename] : undefined;
    // The model has refused both names, so it does not support the parameter at all.
    const isKnownByNeither = other !== undefined && 'rename' in other;
    const change = { [parameter]: isKnownByNeither ? { leaveOut: true as const } : adjustment };
    if (isLasting) {
      this.learned = { ...this.learned, ...change };
    } else {
      this.passing = { ...this.passing, ...change };
    }
    return true;
  }

  /**
   * Shortens the prompt: first to the size that the provider named, or to half; then to the last message alone. The
   * estimate is scaled by the provider's own count.
   */
  private shorten({ details }: ContextTooLongError): boolean {
    const { toolTokens } = this;
    const estimate = estimatePrompt(this.messages) + toolTokens;
    const tokens = numberIn(details.tokens);
    const scale = tokens === null ? 1 : Math.min(Math.max(tokens / estimate, 1 / LARGEST_SCALE), LARGEST_SCALE);
    const named = numberIn(details.limit);
    const isUsable = named !== null && named >= SMALLEST_WINDOW;
    const room = isUsable ? promptRoom(named, this.request.parameters) / scale : Infinity;
    const target = room < estimate ? room : estimate / 2;
    const shorter = trimMessages(this.messages, this.trims++ === 0 ? target - toolTokens : 0);
    // If the provider counts more tokens than the estimate, its window is smaller by the same factor.
    this.window = isUsable ? Math.floor(named / Math.max(scale, 1)) : Math.ceil(target / 0.75);
    const isShorter = shorter.length < this.messages.length;
    this.messages = shorter;
    return isShorter;
  }
}

function numberIn(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}
