import type { ReplyTrailerDto, UiMessageChunk, UiTrailerDto } from './generated/types';
import type { ChatReplies } from './replies';
import type { ReplyEvent, SendMessage } from './reply-events';

/** Chunks that version 5 of the AI SDK supports. It rejects all others. */
type UiChunk = Exclude<UiMessageChunk, { type: 'tool-output-denied' | 'tool-approval-request' }>;

interface ChatRequest {
  /** The chat id of `useChat`, as text. */
  chatId: string;
  body?: object | undefined;
  abortSignal?: AbortSignal | undefined;
}

interface UiMessage {
  role: string;
  parts: { type: string }[];
}

/** `ChatTransport` of the AI SDK, compatible with all its versions. */
export interface UseChatTransport {
  sendMessages(
    request: ChatRequest & { trigger: string; messageId: string | undefined; messages: object[] },
  ): Promise<ReadableStream<UiChunk>>;
  reconnectToStream(request: ChatRequest): Promise<ReadableStream<UiChunk> | null>;
}

type Client = ChatReplies & { chat: { stop(request: { path: { chat_id: number } }): Promise<unknown> } };

/**
 * A transport for `useChat` of the AI SDK. Replies survive lost connections, and `stop()` stops the reply. Pending
 * actions arrive as parts of type `data-action`; `client.decide()` answers them.
 */
export function useChatTransport(client: Client): UseChatTransport {
  return {
    async sendMessages({ chatId, body, abortSignal, trigger, messageId, messages }) {
      const chat_id = Number(chatId);
      const stop = (): void => void client.chat.stop({ path: { chat_id } }).catch(() => undefined);
      abortSignal?.addEventListener('abort', stop);
      // The service uses these fields of the page to find the message.
      const request = { ...body, chat_id, trigger, messageId, messages: withoutOldFiles(messages as UiMessage[]) };
      const reply = client.send(request as unknown as SendMessage, { signal: abortSignal });
      return (await opened(reply)) ?? new ReadableStream();
    },
    async reconnectToStream({ chatId, abortSignal }) {
      return opened(client.join(Number(chatId), { signal: abortSignal }));
    },
  };
}

/** Files are sent only with the last message of the user. The service has the earlier ones. */
function withoutOldFiles(messages: UiMessage[]): UiMessage[] {
  const last = messages.map(({ role }) => role).lastIndexOf('user');
  return messages.map((message, index) =>
    index < last ? { ...message, parts: message.parts.filter(({ type }) => type !== 'file') } : message,
  );
}

/** Returns null if there are no events. A failure before the first event rejects the request. */
async function opened(reply: AsyncIterable<ReplyEvent>): Promise<ReadableStream<UiChunk> | null> {
  const chunks = chunksOf(reply);
  const first = await chunks.next();
  if (first.done) return null;
  return new ReadableStream({
    start: (controller) => controller.enqueue(first.value),
    pull: async (controller) => {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: () => void chunks.return(),
  });
}

async function* chunksOf(reply: AsyncIterable<ReplyEvent>): AsyncGenerator<UiChunk, void, undefined> {
  let parts = 0;
  let open: 'text' | 'reasoning' | undefined;
  const toolNames = new Map<string, string>();
  const id = (): string => String(parts);
  const sources = new Set<string>();
  for await (const event of reply) {
    if (event.type === 'citation') {
      yield* sourceChunks(event, sources);
      continue;
    }
    const kind = event.type === 'delta' ? 'text' : event.type === 'reasoning' ? 'reasoning' : undefined;
    if (kind !== open) {
      if (open) yield { type: `${open}-end`, id: id() };
      parts += 1;
      if (kind) yield { type: `${kind}-start`, id: id() };
      open = kind;
    }
    switch (event.type) {
      case 'message_start':
        yield* startChunks(event);
        break;
      case 'delta':
      case 'reasoning':
        yield { type: kind === 'text' ? 'text-delta' : 'reasoning-delta', id: id(), delta: event.text };
        break;
      case 'tool_call': {
        const { id: toolCallId, tool: toolName, arguments: input } = event;
        toolNames.set(toolCallId, toolName);
        yield { type: 'tool-input-available', toolCallId, toolName, input, providerExecuted: true, dynamic: true };
        break;
      }
      case 'tool_progress': {
        const { type: _type, ...data } = event;
        yield { type: 'data-tool-progress', id: data.id, data, transient: true };
        break;
      }
      case 'tool_result':
        yield* resultChunks(event, toolNames.get(event.id));
        break;
      case 'action_required': {
        const { type: _type, ...data } = event;
        yield { type: 'data-action', id: String(data.id), data };
        break;
      }
      case 'message_end':
        yield* outcome(event);
    }
  }
}

function* startChunks(event: Extract<ReplyEvent, { type: 'message_start' }>): Generator<UiChunk, void, undefined> {
  const { type: _type, offset: _offset, ...messageMetadata } = event;
  yield { type: 'start', messageId: String(event.message_id), messageMetadata };
  yield { type: 'start-step' };
}

/**
 * The source of a citation, once per passage; none if the passage was removed. The event has no media type and no
 * heading.
 *
 * @param known ids of earlier sources
 */
function* sourceChunks(
  event: Extract<ReplyEvent, { type: 'citation' }>,
  known: Set<string>,
): Generator<UiChunk, void, undefined> {
  const { type: _type, ...knowledge } = event;
  const { file_id, start, end, filename } = knowledge;
  const sourceId = `file-${file_id}:${start}-${end}`;
  if (file_id === undefined || known.has(sourceId)) return;
  known.add(sourceId);
  const mediaType = 'application/octet-stream';
  const providerMetadata = { knowledge };
  yield { type: 'source-document', sourceId, mediaType, title: filename, filename, providerMetadata };
}

/** @param toolName of the tool that was called; undefined: unknown */
function* resultChunks(
  event: Extract<ReplyEvent, { type: 'tool_result' }>,
  toolName: string | undefined,
): Generator<UiChunk, void, undefined> {
  const { id: toolCallId, arguments: input } = event;
  // Sent when an approver has edited the arguments.
  if (input !== null && toolName !== undefined) {
    yield { type: 'tool-input-available', toolCallId, toolName, input, providerExecuted: true, dynamic: true };
  }
  yield toolOutcome(event);
}

/** A denial becomes an error, because version 5 of the AI SDK has no other outcome. */
function toolOutcome({ id: toolCallId, state, content }: Extract<ReplyEvent, { type: 'tool_result' }>): UiChunk {
  const made = { toolCallId, providerExecuted: true, dynamic: true } as const;
  return state === 'succeeded'
    ? { type: 'tool-output-available', ...made, output: content }
    : { type: 'tool-output-error', ...made, errorText: content };
}

function* outcome(event: Extract<ReplyEvent, { type: 'message_end' }>): Generator<UiChunk, void, undefined> {
  // The same fields as in the service's own stream for the AI SDK.
  const { type: _type, facts: _facts, ...trailer } = event;
  yield { type: 'finish-step' };
  yield { type: 'finish', messageMetadata: { ...trailer, finishReason: finishReasonOf(trailer) } };
  if (trailer.error) yield { type: 'error', errorText: trailer.error.message };
  else if (trailer.status !== 'completed' && trailer.status !== 'requires_action') yield { type: 'abort' };
}

/** The same mapping as in the service's own stream for the AI SDK. */
function finishReasonOf({ finish_reason: reason }: ReplyTrailerDto): UiTrailerDto['finishReason'] {
  switch (reason) {
    case 'content_filter':
      return 'content-filter';
    case 'tool_calls':
      return 'tool-calls';
    case 'tool_limit':
    case 'action_expired':
    case 'cancelled':
    case null:
      return 'other';
    default:
      return reason;
  }
}
