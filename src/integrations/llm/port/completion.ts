import type { AskedModel } from './asked-model';
import {
  type CompletionFinishReason,
  type CompletionListener,
  type CompletionResult,
  toProviderUsage,
} from './language-model-provider';
import type { NamedModel, RequestToModels } from './model-reference';
import { toModelName } from './storable-text';

/** What callers of `LanguageModels` ask for. */
export interface GenerationRequest extends RequestToModels {
  /** Limit for the whole reply; null or absent: the configured one. */
  timeoutSeconds?: number | null;
  /** What its cost must keep to; absent: nothing. */
  bound?: CostBound;
}

/** Keeps the cost of a request within what is held for it. */
export interface CostBound {
  /** Whether what is held is enough for this model too. Others are not asked. */
  covers(model: NamedModel): boolean;
  /** Whether a model that takes no limit of its reply is not asked. */
  needsOutputLimit: boolean;
}

export interface GenerationResult extends CompletionResult {
  /** The provider that answered, which a fallback may have changed. */
  provider: string;
}

/** A whole reply, and how long it took. */
export interface Completion extends GenerationResult {
  text: string;
  /** Milliseconds to the first text; null when there was none. */
  firstTokenMs: number | null;
  /** Milliseconds to the end. */
  durationMs: number;
}

const FINISH_REASONS: readonly CompletionFinishReason[] = ['stop', 'length', 'content_filter', 'tool_calls'];

/**
 * The result of any adapter, cut to what the database can store.
 *
 * @param asked the provider, and the name of the model that was asked
 */
export function toGenerationResult(
  result: CompletionResult,
  asked: { provider: { name: string }; model: string },
): GenerationResult {
  return {
    finishReason: FINISH_REASONS.includes(result.finishReason) ? result.finishReason : 'stop',
    usage: result.usage && toProviderUsage(result.usage),
    model: toModelName(result.model) || asked.model,
    provider: asked.provider.name,
  };
}

/** Collects a reply, for callers that need its whole text at once. */
export class ReplyCollector implements CompletionListener {
  private readonly startedAt = performance.now();
  private text = '';
  private firstTokenMs: number | null = null;

  /**
   * @param onAsked is told of each request
   * @param onAskingAgain as of `CompletionListener`
   */
  constructor(
    readonly onAsked?: (asked: AskedModel) => void,
    readonly onAskingAgain?: () => Promise<boolean>,
  ) {}

  onText(part: string): void {
    this.firstTokenMs ??= this.elapsed();
    this.text += part;
  }

  onTextWasReasoning(): void {
    this.text = '';
  }

  completedBy(result: GenerationResult): Completion {
    return {
      ...result,
      text: this.text,
      firstTokenMs: this.firstTokenMs,
      durationMs: this.elapsed(),
    };
  }

  private elapsed(): number {
    return Math.round(performance.now() - this.startedAt);
  }
}
