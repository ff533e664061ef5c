import { type CompletionRequest, type ModelMessage, type ModelParameters } from '../language-model-provider';
import { ContextTooLongError, ModelProviderError } from '../llm.errors';
import { estimateTokens } from '../token-estimate';
import { type ModelIdentity, type ModelKnowledge } from './model-knowledge';
import { type ParameterAdjustments, type RefusedParameter } from './parameter-adjustment';

/** A model that refuses more than this is not worth further requests. */
const MOST_CHANGES = 6;

/** A provider that counts so much more or less than we estimate is misread. */
const LARGEST_SCALE = 8;

/** Smaller windows are misread too: no model has them. */
const SMALLEST_WINDOW = 128;

/**
 * A request as one model takes it: without the parameters that it refuses, and no longer than its window. Begins with what
 * is known, changes with each refusal, and gives back what has helped once the model answers.
 */
export class AdaptedRequest {
  private messages: ModelMessage[];
  /** What is to be kept once it has helped. */
  private learned: ParameterAdjustments = {};
  /** What holds for this one prompt. */
  private passing: ParameterAdjustments = {};
  private window: number | null = null;
  private changes = 0;
  private trims = 0;

  constructor(
    private readonly knowledge: ModelKnowledge,
    private readonly identity: ModelIdentity,
    private readonly request: CompletionRequest,
  ) {
    const { messages, parameters } = request;
    const known = knowledge.contextTokensOf(identity);
    this.messages = known === null ? messages : trimMessages(messages, promptRoom(known, parameters));
  }

  get completion(): CompletionRequest {
    const { parameters, language } = this.request;
    const { messages, adjustments } = this;
    return { model: this.identity.model, messages, parameters, language, adjustments };
  }

  /** Whether the refusal can be met, so that the request is worth sending once more. */
  adaptTo(error: unknown): boolean {
    if (!(error instanceof ModelProviderError)) {
      return false;
    }
    const { refusedParameter } = error.options;
    const isMet =
      refusedParameter !== undefined
        ? this.leaveOut(refusedParameter)
        : error instanceof ContextTooLongError && this.shorten(error);
    return isMet && ++this.changes <= MOST_CHANGES;
  }

  /** The model has answered: what was changed for it is kept. */
  keepLearned(): void {
    if (this.window !== null || Object.keys(this.learned).length > 0) {
      this.knowledge.learn(this.identity, this.learned, this.window);
      this.learned = {};
      this.window = null;
    }
  }

  private get adjustments(): ParameterAdjustments {
    return { ...this.knowledge.adjustmentsOf(this.identity), ...this.learned, ...this.passing };
  }

  private leaveOut({ parameter, adjustment, isLasting }: RefusedParameter): true {
    const other = 'rename' in adjustment ? this.adjustments[adjustment.rename] : undefined;
    // Refused under both names: the model takes no such parameter.
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
   * First to the size that the provider named, or to half of what was sent; then to the message alone. Our estimates are
   * scaled by what the provider has counted.
   */
  private shorten({ details }: ContextTooLongError): boolean {
    const estimate = estimatePrompt(this.messages);
    const tokens = numberOr(details.tokens, null);
    const scale = tokens === null ? 1 : Math.min(Math.max(tokens / estimate, 1 / LARGEST_SCALE), LARGEST_SCALE);
    const named = numberOr(details.limit, null);
    const isUsable = named !== null && named >= SMALLEST_WINDOW;
    const room = isUsable ? promptRoom(named, this.request.parameters) / scale : Infinity;
    const target = room < estimate ? room : estimate / 2;
    const shorter = trimMessages(this.messages, this.trims++ === 0 ? target : 0);
    // Where the provider counts more than we estimate, the window is smaller in our measure.
    this.window = isUsable ? Math.floor(named / Math.max(scale, 1)) : Math.ceil(target / 0.75);
    const isShorter = shorter.length < this.messages.length;
    this.messages = shorter;
    return isShorter;
  }
}

function numberOr<Default>(value: unknown, fallback: Default): number | Default {
  return typeof value === 'number' ? value : fallback;
}

/** What the chat format adds to each message. */
const TOKENS_PER_MESSAGE = 4;

/** Room for the reply where nobody says how long it may be: so many tokens, at most a quarter of the window. */
const REPLY_TOKENS = 1_024;

/** Tokens of a prompt, rather too many than too few. */
export function estimatePrompt(messages: readonly ModelMessage[]): number {
  return messages.reduce((sum, message) => sum + estimateMessage(message), 0);
}

/** Tokens that a window leaves for the prompt. */
export function promptRoom(window: number, { max_completion_tokens, max_tokens }: ModelParameters): number {
  const reply = max_completion_tokens ?? max_tokens ?? REPLY_TOKENS;
  return window - Math.min(reply, Math.floor(window / 4));
}

/**
 * The newest turns that fit so many tokens. System prompt and last message always stay, and the first turn is the user's,
 * as some models want it.
 */
export function trimMessages(messages: readonly ModelMessage[], tokens: number): ModelMessage[] {
  const system = messages.filter(({ role }) => role === 'system');
  const turns = messages.filter(({ role }) => role !== 'system');
  const last = turns.slice(-1);
  let left = tokens - estimatePrompt([...system, ...last]);
  let first = turns.length - last.length;
  while (first > 0) {
    left -= estimateMessage(turns[first - 1] as ModelMessage);
    if (left < 0) {
      break;
    }
    first--;
  }
  while (first < turns.length - 1 && turns[first]?.role !== 'user') {
    first++;
  }
  return [...system, ...turns.slice(first)];
}

function estimateMessage({ content }: ModelMessage): number {
  return estimateTokens(content) + TOKENS_PER_MESSAGE;
}
