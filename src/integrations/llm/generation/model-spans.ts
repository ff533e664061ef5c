import { Injectable } from '@nestjs/common';
import { GuardPresence } from '../../../common/guard-presence';
import { ATTRIBUTES } from '../../../common/tracing/conventions';
import { NO_SPAN, type Span, type SpanAttributes } from '../../../common/tracing/span';
import { errorCode, Tracing } from '../../../common/tracing/tracing';
import type { CalledModel, ProviderUsage } from '../port/called-model';
import type { GenerationRequest, TracedRequest } from '../port/completion';
import type { CompletionListener, LanguageModelProvider, ModelMessage } from '../port/language-model-provider';
import { GenerationAbortedError, ModelProviderError } from '../port/llm.errors';
import type { MessagePart, ToolDefinition } from '../port/message-parts';
import type { ModelCandidate } from '../providers/model-registry';

/** The cost of a request as a decimal. Null: unknown. */
export type CostOf = (called: CalledModel, usage: ProviderUsage, kind: string) => Promise<string | null>;

/** The names of OpenTelemetry's conventions for providers, by the end of their host names. */
const PROVIDERS: readonly [ending: string, name: string][] = [
  ['.openai.azure.com', 'azure.ai.openai'],
  ['.cognitiveservices.azure.com', 'azure.ai.openai'],
  ['.services.ai.azure.com', 'azure.ai.inference'],
  ['api.openai.com', 'openai'],
  ['api.anthropic.com', 'anthropic'],
  ['api.deepseek.com', 'deepseek'],
  ['api.groq.com', 'groq'],
  ['api.mistral.ai', 'mistral_ai'],
  ['api.x.ai', 'x_ai'],
  ['api.cohere.ai', 'cohere'],
  ['api.cohere.com', 'cohere'],
  ['api.perplexity.ai', 'perplexity'],
  ['generativelanguage.googleapis.com', 'gcp.gemini'],
];

/** The text of a reply, if content is captured. */
interface CapturedOutput {
  text: string;
  reasoning: string;
  calls: { id: string; name: string; arguments: string }[];
}

/** One span for each model that a request calls, with its retries. */
@Injectable()
export class ModelSpans {
  private costOf: CostOf = () => Promise.resolve(null);
  private readonly ofProviders = new WeakMap<LanguageModelProvider, SpanAttributes>();

  constructor(
    private readonly tracing: Tracing,
    private readonly guards: GuardPresence,
  ) {}

  /** For the part that knows prices. Call it in a constructor. */
  onCost(costOf: CostOf): void {
    this.costOf = costOf;
  }

  startGeneration(candidate: ModelCandidate, request: GenerationRequest): ModelSpan {
    if (!this.tracing.isOn) {
      return NO_MODEL_SPAN;
    }
    const { parameters, anthropic, traced } = request;
    const attributes = {
      [ATTRIBUTES.maxTokens]: parameters.max_completion_tokens ?? parameters.max_tokens,
      [ATTRIBUTES.temperature]: parameters.temperature,
      [ATTRIBUTES.topP]: parameters.top_p,
      [ATTRIBUTES.stream]: anthropic === undefined || anthropic.body.stream === true,
    };
    const model = this.start('chat', candidate, attributes, traced);
    const { span } = model;
    span.set({
      [ATTRIBUTES.inputMessages]: this.tracing.content(span, () => inputOf(request.messages)),
      [ATTRIBUTES.systemInstructions]: request.messages.some(isInstruction)
        ? this.tracing.content(span, () => instructionsOf(request.messages))
        : undefined,
      [ATTRIBUTES.toolDefinitions]:
        request.tools && this.tracing.content(span, () => definitionsOf(request.tools ?? [])),
    });
    return model;
  }

  /** @param operation of the conventions: `chat` or `embeddings` */
  start(
    operation: 'chat' | 'embeddings',
    { provider, model }: Pick<ModelCandidate, 'provider' | 'model'>,
    attributes: SpanAttributes,
    { kind, round }: TracedRequest = { kind: operation },
  ): ModelSpan {
    if (!this.tracing.isOn) {
      return NO_MODEL_SPAN;
    }
    const span = this.tracing.start(`${operation} ${model}`, {
      kind: 'client',
      attributes: {
        [ATTRIBUTES.operation]: operation,
        ...this.attributesOf(provider),
        [ATTRIBUTES.requestModel]: model,
        ...attributes,
        [ATTRIBUTES.kind]: kind,
        [ATTRIBUTES.round]: round,
      },
    });
    return new ModelSpan(span, (called, usage) => this.costOf(called, usage, kind), this.tracing);
  }

  /** They do not change while the provider exists. */
  private attributesOf(provider: LanguageModelProvider): SpanAttributes {
    let attributes = this.ofProviders.get(provider);
    if (attributes === undefined) {
      const { name, kind, address } = provider;
      const url = address !== null && URL.canParse(address) ? new URL(address) : null;
      attributes = {
        [ATTRIBUTES.provider]: providerName(name, kind, url?.hostname),
        [ATTRIBUTES.serverAddress]: url?.hostname,
        [ATTRIBUTES.serverPort]: url && portOf(url),
      };
      this.ofProviders.set(provider, attributes);
    }
    return attributes;
  }

  within<Result>({ span }: ModelSpan, work: () => Result): Result {
    return this.tracing.within(span, work);
  }

  /**
   * The listener itself, unless content is captured. Then `output` gets what it receives. Output that guards still check
   * is not captured, because they may mask or block it.
   */
  capture(listener: CompletionListener): { listener: CompletionListener; output: CapturedOutput | null } {
    if (!this.tracing.capturesContent || this.guards.changesOutput) {
      return { listener, output: null };
    }
    const output: CapturedOutput = { text: '', reasoning: '', calls: [] };
    return { listener: capturing(listener, output), output };
  }
}

/** The span of one model, whose requests it includes. */
export class ModelSpan {
  private attempts = 1;
  /** The last request. */
  private called: CalledModel | null = null;
  private isEnded = false;

  constructor(
    readonly span: Span,
    private readonly costOf: (called: CalledModel, usage: ProviderUsage) => Promise<string | null>,
    private readonly tracing: Tracing | null,
  ) {}

  get headers(): { traceparent?: string } {
    return this.tracing?.headersOf(this.span) ?? {};
  }

  /** A request is sent. */
  note(called: CalledModel): void {
    if (this.span.context !== null) {
      this.called = called;
      called.spanId = this.span.context.spanId;
    }
  }

  /** The request has failed, and another one follows. */
  retry(error: unknown): void {
    this.attempts++;
    const status = error instanceof ModelProviderError ? error.providerStatus : null;
    this.span.addEvent('retry', { attempt: this.attempts, status, [ATTRIBUTES.errorType]: errorCode(error) });
  }

  fail(error: unknown): void {
    if (!(error instanceof GenerationAbortedError)) {
      this.span.fail(errorCode(error));
    }
    this.end({}, null);
  }

  /**
   * The span ends now, and is complete once its cost is known.
   *
   * @param usage absent: what the provider has reported so far
   */
  end(attributes: SpanAttributes, output: CapturedOutput | null, usage = this.called?.usage ?? null): void {
    const { span, called } = this;
    if (this.isEnded || span.context === null) {
      return;
    }
    this.isEnded = true;
    const at = Date.now();
    span.set({
      ...attributes,
      ...(called && attributesOf(called)),
      ...usageAttributes(usage),
      [ATTRIBUTES.outputMessages]: output && this.tracing?.content(span, () => outputOf(output, attributes)),
    });
    if (called === null || usage === null) {
      span.end(at);
      return;
    }
    void this.costOf(called, usage)
      .then((cost) => span.set({ [ATTRIBUTES.cost]: cost }))
      .catch(() => undefined)
      .finally(() => span.end(at));
  }
}

const NO_MODEL_SPAN = new ModelSpan(NO_SPAN, () => Promise.resolve(null), null);

export function usageAttributes(usage: ProviderUsage | null): SpanAttributes {
  return usage === null
    ? {}
    : {
        [ATTRIBUTES.inputTokens]: usage.prompt_tokens,
        [ATTRIBUTES.outputTokens]: usage.completion_tokens,
        [ATTRIBUTES.cacheRead]: usage.cached_tokens,
        [ATTRIBUTES.cacheWrite]: usage.cache_write_tokens,
        [ATTRIBUTES.reasoningTokens]: usage.reasoning_tokens,
      };
}

function attributesOf({ startedAt, firstAt, answered, answerId }: CalledModel): SpanAttributes {
  return {
    [ATTRIBUTES.responseId]: answerId,
    [ATTRIBUTES.responseModel]: answered,
    [ATTRIBUTES.firstChunk]: firstAt === null ? null : (firstAt - startedAt) / 1_000,
  };
}

function providerName(name: string, kind: string | null, host: string | undefined): string {
  const known = PROVIDERS.find(([ending]) => host === ending || (ending.startsWith('.') && host?.endsWith(ending)));
  return kind === 'anthropic' ? 'anthropic' : (known?.[1] ?? name);
}

function portOf({ port, protocol }: URL): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}

function capturing(listener: CompletionListener, output: CapturedOutput): CompletionListener {
  return {
    ...bound(listener),
    onText: (text) => {
      output.text += text;
      listener.onText(text);
    },
    onReasoning: (text) => {
      output.reasoning += text;
      listener.onReasoning?.(text);
    },
    onTextWasReasoning: () => {
      output.reasoning += output.text;
      output.text = '';
      listener.onTextWasReasoning?.();
    },
    ...(listener.onToolCall && {
      onToolCall: (index, call) => {
        output.calls[index] = { ...call, arguments: '' };
        listener.onToolCall?.(index, call);
      },
      onToolArguments: (index, text) => {
        const call = output.calls[index];
        if (call !== undefined) {
          call.arguments += text;
        }
        listener.onToolArguments?.(index, text);
      },
    }),
  };
}

/** The other methods of a listener, which may be an object of a class. */
function bound(listener: CompletionListener): Partial<CompletionListener> {
  return {
    onEvent: listener.onEvent?.bind(listener),
    onRepeat: listener.onRepeat?.bind(listener),
    onCall: listener.onCall?.bind(listener),
    onAnswered: listener.onAnswered?.bind(listener),
    onUsage: listener.onUsage?.bind(listener),
    onFailed: listener.onFailed?.bind(listener),
    onRetry: listener.onRetry?.bind(listener),
    onActivity: listener.onActivity?.bind(listener),
  };
}

function inputOf(messages: readonly ModelMessage[]): object[] {
  return messages
    .filter((message) => !isInstruction(message))
    .map(({ role, content, parts }) => ({
      role,
      parts: parts === undefined ? [textPart(content)] : parts.flatMap(shownPart),
    }));
}

function isInstruction({ role }: ModelMessage): boolean {
  return role === 'system';
}

function instructionsOf(messages: readonly ModelMessage[]): object[] {
  return messages.filter(isInstruction).map(({ content }) => textPart(content));
}

function definitionsOf(tools: readonly ToolDefinition[]): object[] {
  return tools.map(({ name, description, parameters }) => ({ type: 'function', name, description, parameters }));
}

function outputOf({ text, reasoning, calls }: CapturedOutput, attributes: SpanAttributes): object[] {
  const parts = [
    ...(reasoning === '' ? [] : [{ type: 'reasoning', content: reasoning }]),
    ...(text === '' ? [] : [textPart(text)]),
    ...calls.map((call) => ({ type: 'tool_call', id: call.id, name: call.name, arguments: call.arguments })),
  ];
  const [reason] = (attributes[ATTRIBUTES.finishReasons] ?? []) as readonly string[];
  return [{ role: 'assistant', parts, finish_reason: reason }];
}

function textPart(content: string): object {
  return { type: 'text', content };
}

/** Images and files are never captured. */
function shownPart(part: MessagePart): object[] {
  switch (part.type) {
    case 'text':
      return [textPart(part.text)];
    case 'reasoning':
      return [{ type: 'reasoning', content: part.text }];
    case 'tool_call':
      return [{ type: 'tool_call', id: part.id, name: part.name, arguments: part.arguments }];
    case 'tool_result':
      return [{ type: 'tool_call_response', id: part.id, response: part.content }];
    default:
      return [];
  }
}
