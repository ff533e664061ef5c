import type { CalledModel } from './called-model';
import {
  type CompletionFinishReason,
  type CompletionListener,
  type CompletionResult,
  toProviderUsage,
} from './language-model-provider';
import type { NamedModel, RequestToModels } from './model-reference';
import { toModelName } from './storable-text';

/** A request of a caller of `LanguageModels`. */
export interface GenerationRequest extends RequestToModels {
  /** Limit for the whole reply; null or absent: the configured one. */
  timeoutSeconds?: number | null;
  /** The limit of its cost; absent: none. */
  bound?: CostBound;
  /** What its spans say of it. */
  traced?: TracedRequest;
}

/** What a request is for, as its spans name it. */
export interface TracedRequest {
  /** A kind of request of the ledger. */
  kind: string;
  /** The round of the reply; absent: it belongs to no reply. */
  round?: number;
}

/** Keeps the cost of a request within its hold. */
export interface CostBound {
  /** Whether the hold covers this model too. Other models are not called. */
  covers(model: NamedModel): boolean;
  /** Whether models that accept no limit of the reply are excluded. */
  needsOutputLimit: boolean;
}

export interface GenerationResult extends CompletionResult {
  /** The provider that answered, which may be that of a fallback. */
  provider: string;
}

/** A whole reply, and its duration. */
export interface Completion extends GenerationResult {
  text: string;
  /** Milliseconds to the first text; null if there was none. */
  firstTokenMs: number | null;
  /** Milliseconds to the end. */
  durationMs: number;
}

const FINISH_REASONS: readonly CompletionFinishReason[] = ['stop', 'length', 'content_filter', 'tool_calls'];

/**
 * The result of any adapter, cut to what the database can store.
 *
 * @param called provider and model of the request
 */
export function toGenerationResult(
  result: CompletionResult,
  called: { provider: { name: string }; model: string },
): GenerationResult {
  return {
    finishReason: FINISH_REASONS.includes(result.finishReason) ? result.finishReason : 'stop',
    usage: result.usage && toProviderUsage(result.usage),
    model: toModelName(result.model) || called.model,
    provider: called.provider.name,
  };
}

/** Collects a reply, for callers that need its whole text at once. */
export class ReplyCollector implements CompletionListener {
  private readonly startedAt = performance.now();
  private text = '';
  private firstTokenMs: number | null = null;

  /**
   * @param onCall is called for each request
   * @param onRepeat see `CompletionListener`
   */
  constructor(
    readonly onCall?: (called: CalledModel) => void,
    readonly onRepeat?: () => Promise<boolean>,
  ) {}

  onText(part: string): void {
    this.firstTokenMs ??= this.elapsed();
    this.text += part;
  }

  onTextWasReasoning(): void {
    this.text = '';
  }

  toCompletion(result: GenerationResult): Completion {
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
