import type { Language } from '../../../../common/i18n/language';
import { showInvisible, shownJson } from '../../../../common/text/invisible';
import type { ToolCallPart } from '../../../../integrations/llm/port/message-parts';
import {
  citationOf,
  type LiveReply,
  type ReplyAside,
  type ReplyEnd,
  type ShownAction,
  type ToolEvent,
} from '../../../generation/generation.api';
import { toActionDto } from '../../messages/action.dto';
import { DEFAULT_UI_VERSION, hasApprovalParts, type UiVersion } from '../ui-version';
import { type ReplyTrailerDto, toReplyTrailerDto } from './reply-trailer.dto';
import type { ReplyWriter } from './reply-writer';
import type { UiChunk } from './ui-chunk.schema';
import { toUiTrailer } from './ui-message.dto';
import { isApprovedOnPage, toolInput } from './ui-part.dto';
import { toUiSource } from './ui-source';

/** The part of the message that is being written. */
interface OpenPart {
  kind: 'text' | 'reasoning';
  id: string;
}

/**
 * The UI message stream of Vercel's AI SDK, version 1, as `useChat` reads it
 * (https://ai-sdk.dev/docs/ai-sdk-ui/stream-protocol#ui-message-stream-protocol). IDs and trailer are the metadata of
 * the message. It writes only keys of the first protocol release, because its readers reject a part with other keys.
 */
export class UiMessageWriter implements ReplyWriter {
  readonly headers = {
    'Content-Type': 'text/event-stream; charset=utf-8',
    'x-vercel-ai-ui-message-stream': 'v1',
  };
  readonly ping = ': ping\n\n';
  private parts = 0;
  private open: OpenPart | null = null;
  private isInStep = false;
  /** Arguments of calls as written to this stream, by call ID. */
  private readonly inputs = new Map<string, string>();
  /** Numbers of the passages that this stream has named. */
  private readonly sources = new Set<number>();

  /**
   * @param isContinued whether the reader already has the message, so that results of its open calls belong to an
   * earlier step
   */
  constructor(
    private readonly language: Language,
    private readonly uiVersion: UiVersion = DEFAULT_UI_VERSION,
    private readonly isContinued = false,
  ) {}

  begin(reply: LiveReply): string {
    const { chatId, userMessageId, messageId } = reply;
    const messageMetadata = { chat_id: chatId, user_message_id: userMessageId, message_id: messageId };
    const start = part({ type: 'start', messageId: String(messageId), messageMetadata });
    return this.isContinued ? start : start + this.step();
  }

  reasoning(piece: string): string {
    return this.delta('reasoning', piece);
  }

  text(piece: string): string {
    return this.delta('text', piece);
  }

  tool(news: ToolEvent, reply: LiveReply): string {
    const call = reply.toolCalls[news.call];
    if (call === undefined) {
      return '';
    }
    const made = { toolCallId: call.id, providerExecuted: true, dynamic: true } as const;
    if (news.kind === 'tool_started') {
      return this.close() + this.step() + this.input(call, made);
    }
    const edited = news.arguments === undefined ? '' : this.input(call, made);
    return this.close() + edited + this.result(news, made);
  }

  /** Sources do not close the open text. */
  citation(number: number, reply: LiveReply, offset: number): string {
    const passage = reply.passages.find(number);
    const source = passage && toUiSource(citationOf(passage, offset));
    if (!source || this.sources.has(number)) {
      return '';
    }
    this.sources.add(number);
    return this.step() + part(source);
  }

  /**
   * A page that stores its parts replaces the question with its current state. Progress is transient: only `onData`
   * gets it.
   */
  aside(aside: ReplyAside, reply: LiveReply): string {
    if (aside.kind === 'question') {
      return actionPart(aside.shown);
    }
    const id = reply.toolCalls[aside.call]?.id ?? '';
    return part({ type: 'data-tool-progress', id, data: { id, ...aside.progress }, transient: true });
  }

  private input(
    { id, name: toolName, arguments: given }: ToolCallPart,
    made: { toolCallId: string; providerExecuted: true; dynamic: true },
  ): string {
    const input = shownJson(given);
    this.inputs.set(id, JSON.stringify(input));
    return part({ type: 'tool-input-available', ...made, toolName, input });
  }

  private result(
    news: Extract<ToolEvent, { kind: 'tool_result' }>,
    made: { toolCallId: string; providerExecuted: true; dynamic: true },
  ): string {
    if (news.state === 'denied' && hasApprovalParts(this.uiVersion)) {
      return part({ type: 'tool-output-denied', toolCallId: made.toolCallId });
    }
    return news.is_error
      ? part({ type: 'tool-output-error', ...made, errorText: news.content })
      : part({ type: 'tool-output-available', ...made, output: news.content });
  }

  end(reply: LiveReply, end: ReplyEnd): string {
    const trailer = toReplyTrailerDto(reply, end, this.language);
    const called = calls(reply, end);
    const step = called === '' ? '' : this.step();
    const asked = (end.actions ?? []).map((shown) => this.question(reply, shown)).join('');
    const rest = `${step}${called}${asked}${this.isInStep ? part({ type: 'finish-step' }) : ''}`;
    return `${this.close()}${rest}${outcome(trailer)}data: [DONE]\n\n`;
  }

  /**
   * Shows the exact arguments of the call, because the tool's schema may have added defaults to the model's arguments.
   */
  private question(reply: LiveReply, shown: ShownAction): string {
    const { action, call } = shown;
    const proposed = reply.toolCalls[call.number];
    if (proposed === undefined || !isApprovedOnPage(shown, this.uiVersion)) {
      return actionPart(shown);
    }
    const input = showInvisible(call.arguments);
    const made = { toolCallId: proposed.id, toolName: proposed.name, providerExecuted: true, dynamic: true } as const;
    const known = this.inputs.get(proposed.id);
    const isExact = known === undefined ? call.proposedArguments === null : known === JSON.stringify(input);
    return (
      (isExact ? '' : part({ type: 'tool-input-available', ...made, input })) +
      part({ type: 'tool-approval-request', approvalId: String(action.id), toolCallId: proposed.id })
    );
  }

  private step(): string {
    if (this.isInStep) {
      return '';
    }
    this.isInStep = true;
    return part({ type: 'start-step' });
  }

  /** A new part starts when text follows reasoning or the reverse. */
  private delta(kind: OpenPart['kind'], delta: string): string {
    if (this.open?.kind === kind) {
      return part({ type: `${kind}-delta`, id: this.open.id, delta });
    }
    const closing = this.close() + this.step();
    const id = String(++this.parts);
    this.open = { kind, id };
    return closing + part({ type: `${kind}-start`, id }) + part({ type: `${kind}-delta`, id, delta });
  }

  private close(): string {
    const { open } = this;
    this.open = null;
    return open === null ? '' : part({ type: `${open.kind}-end`, id: open.id });
  }
}

/**
 * Calls are complete only at the end of the reply, because a model may write several at once. A page may run the calls
 * sent here.
 */
function calls({ toolCalls }: LiveReply, { status }: ReplyEnd): string {
  // Calls by the service were sent before.
  const whole = status === 'completed' ? toolCalls.filter(({ state }) => state === undefined) : [];
  return whole
    .map(({ id: toolCallId, name: toolName, arguments: text }) =>
      part({ type: 'tool-input-available', toolCallId, toolName, input: toolInput(text), dynamic: true }),
    )
    .join('');
}

function outcome(trailer: ReplyTrailerDto): string {
  const finish = part({ type: 'finish', messageMetadata: toUiTrailer(trailer) });
  if (trailer.error !== null) {
    return finish + part({ type: 'error', errorText: trailer.error.message });
  }
  return trailer.status === 'completed' || trailer.status === 'requires_action'
    ? finish
    : finish + part({ type: 'abort' });
}

function actionPart(shown: ShownAction): string {
  return part({ type: 'data-action', id: String(shown.action.id), data: toActionDto(shown) });
}

function part(chunk: UiChunk): string {
  return `data: ${JSON.stringify(chunk)}\n\n`;
}
