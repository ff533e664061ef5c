import type { ApiError } from '../../../common/errors/api-error';
import { toExactJson } from '../../../common/http/exact-json';
import type { Language } from '../../../common/i18n/language';
import type { LiveReply, ReplyEnd, ReplyStep, StepWriter } from '../../generation/generation.api';
import { toOpenAiCitation } from '../citation.dto';
import { OPENAI_ERRORS } from '../errors/openai-error-dialect';
import { COMPLETIONS_PATH } from '../openai-prefix';
import { CustomInput } from '../tools/custom-input';
import { type CompletionHead, completionId, isCallers, toFinishReason, toToolCallDto } from './completion.dto';
import { toCompletionUsageDto } from './completion-usage.dto';
import { failureOf } from './failure-of';

const DONE = 'data: [DONE]\n\n';

/**
 * Writes the chunks of a streamed completion: the role, the pieces of text, the finish reason. `[DONE]` is always last,
 * even after a failure, because many clients wait for it.
 */
export class CompletionChunkWriter implements StepWriter {
  readonly headers = { 'Content-Type': 'text/event-stream; charset=utf-8' };
  readonly ping = ': ping\n\n';
  /** The JSON before and after the delta, which is the only difference between chunks. */
  private before = '';
  private readonly after: string;
  /** The inputs of calls to custom tools, by call number. */
  private readonly inputs = new Map<number, CustomInput>();
  /** The index of each call to a client's function, by its number among all calls of the reply. */
  private readonly places = new Map<number, number>();
  /** Why the caller may no longer read the reply. Null: the caller may. */
  private lostRight: ApiError | null = null;

  /**
   * @param showsUsage whether a last chunk has the usage; all others then have `usage: null`
   * @param refusal why the caller may no longer read a reply that was stopped. Null: the caller may
   */
  constructor(
    private readonly head: CompletionHead,
    private readonly showsUsage: boolean,
    private readonly language: Language,
    private readonly refusal: () => Promise<ApiError | null> = () => Promise.resolve(null),
  ) {
    this.after = `,"logprobs":null,"finish_reason":null}]${showsUsage ? ',"usage":null' : ''}}\n\n`;
  }

  beforeEnd(_reply: LiveReply, { status }: ReplyEnd): Promise<void> | null {
    return status === 'stopped' ? this.refusal().then((refusal) => void (this.lostRight = refusal)) : null;
  }

  begin(reply: LiveReply): string {
    this.before = `data: ${this.opening(reply)},"choices":[{"index":0,"delta":`;
    return this.chunk('{"role":"assistant","content":"","refusal":null}');
  }

  step(step: ReplyStep): string {
    switch (step.kind) {
      case 'text':
        return this.chunk(`{"content":${JSON.stringify(step.text)}}`);
      case 'reasoning':
        return this.chunk(`{"reasoning_content":${JSON.stringify(step.text)}}`);
      case 'tool_call':
        return this.beginCall(step);
      case 'tool_arguments':
        return this.addArguments(step.call, step.text);
      case 'tool_started':
      case 'citation':
      case 'tool_result':
      case 'compaction':
      case 'event':
        return '';
    }
  }

  end(reply: LiveReply, end: ReplyEnd): string {
    const failure = this.lostRight ?? failureOf(end);
    if (failure !== null) {
      return `data: ${JSON.stringify(OPENAI_ERRORS.body(failure, this.language, COMPLETIONS_PATH))}\n\n${DONE}`;
    }
    const { before, showsUsage } = this;
    const rest = [...this.inputs].map(([call, input]) => this.addInput(call, input.end())).join('');
    const usage = showsUsage ? ',"usage":null' : '';
    const cited = reply.citations.map(toOpenAiCitation);
    const citations = cited.length === 0 ? '' : `,"citations":${JSON.stringify(cited)}`;
    const finish = `"finish_reason":"${toFinishReason(end.finishReason)}"}]`;
    const last = `${before}{},"logprobs":null,${finish}${citations}${usage}}\n\n`;
    return rest + last + (showsUsage ? this.usage(reply, end) : '') + DONE;
  }

  private beginCall({ call, id, name, tool }: Extract<ReplyStep, { kind: 'tool_call' }>): string {
    if (!isCallers(this.head, name)) {
      return '';
    }
    const index = this.places.size;
    this.places.set(call, index);
    if (tool?.type === 'custom') {
      this.inputs.set(index, new CustomInput());
    }
    return this.call({ index, ...toToolCallDto({ type: 'tool_call', id, name, arguments: '', tool }) });
  }

  private addArguments(call: number, text: string): string {
    const index = this.places.get(call);
    if (index === undefined) {
      return '';
    }
    const input = this.inputs.get(index);
    return input === undefined
      ? this.call({ index, function: { arguments: text } })
      : this.addInput(index, input.add(text));
  }

  private addInput(index: number, text: string): string {
    return text === '' ? '' : this.call({ index, custom: { input: text } });
  }

  private call(delta: object): string {
    return this.chunk(JSON.stringify({ tool_calls: [delta] }));
  }

  private chunk(delta: string): string {
    return this.before + delta + this.after;
  }

  private usage(reply: LiveReply, end: ReplyEnd): string {
    return `data: ${this.opening(reply)},"choices":[],"usage":${toExactJson(toCompletionUsageDto(end.usage))}}\n\n`;
  }

  /** The members of all chunks, without the closing brace. */
  private opening(reply: LiveReply): string {
    const { created, model } = this.head;
    const members = {
      id: completionId(reply),
      object: 'chat.completion.chunk',
      created,
      model,
      system_fingerprint: null,
    };
    return JSON.stringify(members).slice(0, -1);
  }
}
