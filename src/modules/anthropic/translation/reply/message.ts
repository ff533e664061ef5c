import type { ToolDefinition } from '../../../../integrations/llm/port/message-parts';
import type { FinishReason, LiveReply, ReplyEnd } from '../../../generation/generation.api';
import { toolUseId } from '../message-id';
import { OWN_SIGNATURE } from '../signatures';
import { type MessageUsage, toMessageUsage } from './message-usage';
import { toolInput } from './tool-input';

/** How thinking is returned: as text, with an empty text, or (null) not at all. */
export type ThinkingDisplay = 'summarized' | 'omitted' | null;

/** What all parts of one response share. */
export interface MessageHead {
  id: string;
  /** The model, as named in the request. */
  model: string;
  thinking: ThinkingDisplay;
  /** Tokens of the prompt, counted by the service. */
  promptTokens: number;
  /** The client's tools by their names in the prompt. */
  tools: ReadonlyMap<string, ToolDefinition>;
  /** The ids of earlier calls of the conversation. */
  taken: ReadonlySet<string>;
  /** The names of the agent's own tools. The service runs them and does not show their calls. */
  own: ReadonlySet<string>;
}

/** A content block of a message. */
export type ContentBlock =
  | { type: 'text'; text: string; citations: null }
  | { type: 'thinking'; thinking: string; signature: string }
  | {
      type: 'tool_use';
      id: string;
      name: string;
      input: Record<string, unknown>;
      caller: { type: 'direct' };
      toolset_name: null;
    };

export type StopReason = 'end_turn' | 'max_tokens' | 'tool_use' | 'refusal';

/** Why a message ended. */
export interface MessageStop {
  stop_reason: StopReason | null;
  stop_sequence: null;
  stop_details: { type: 'refusal'; category: null; explanation: null } | null;
}

/** A message of the Messages API, with every field of the newest version. */
export interface MessageBody extends MessageStop {
  id: string;
  type: 'message';
  role: 'assistant';
  model: string;
  content: ContentBlock[];
  container: null;
  diagnostics: null;
  usage: MessageUsage;
}

export const NOT_STOPPED: MessageStop = { stop_reason: null, stop_sequence: null, stop_details: null };

export function messageBody(
  { id, model }: Pick<MessageHead, 'id' | 'model'>,
  content: ContentBlock[],
  stop: MessageStop,
  usage: MessageUsage,
): MessageBody {
  return { id, type: 'message', role: 'assistant', model, content, container: null, diagnostics: null, ...stop, usage };
}

/** The message of a complete reply. @throws ProviderError for a call whose arguments are not a JSON object */
export function toMessage(head: MessageHead, reply: LiveReply, end: ReplyEnd): MessageBody {
  return messageBody(head, blocksOf(head, reply), stopOf(end.finishReason), toMessageUsage(end.usage));
}

export function stopOf(reason: FinishReason | null): MessageStop {
  const stop_reason = toStopReason(reason);
  const isRefusal = stop_reason === 'refusal';
  const stop_details = isRefusal ? ({ type: 'refusal', category: null, explanation: null } as const) : null;
  return { stop_reason, stop_sequence: null, stop_details };
}

function toStopReason(reason: FinishReason | null): StopReason {
  switch (reason) {
    case 'length':
      return 'max_tokens';
    case 'tool_calls':
      return 'tool_use';
    case 'content_filter':
      return 'refusal';
    default:
      return 'end_turn';
  }
}

export function textBlock(text: string): ContentBlock {
  return { type: 'text', text, citations: null };
}

export function toolUseBlock(
  head: Pick<MessageHead, 'id' | 'taken'>,
  { id, name, tool }: { id: string; name: string; tool?: { name: string } },
  input: Record<string, unknown>,
): ContentBlock {
  const called = { id: toolUseId(id, head), name: tool?.name ?? name };
  return { type: 'tool_use', ...called, input, caller: { type: 'direct' }, toolset_name: null };
}

/** The blocks of a reply. Texts before and after a call are separate blocks, also if the call is not shown. */
function blocksOf(head: MessageHead, { steps, toolCalls }: LiveReply): ContentBlock[] {
  const { thinking, tools, own } = head;
  const blocks: ContentBlock[] = [];
  let growing: ContentBlock | null = null;
  for (const step of steps ?? []) {
    if (step.kind === 'text') {
      growing = grown(blocks, growing, textBlock(step.text));
    } else if (step.kind === 'reasoning' && thinking !== null) {
      const text = thinking === 'omitted' ? '' : step.text;
      growing = grown(blocks, growing, { type: 'thinking', thinking: text, signature: OWN_SIGNATURE });
    } else if (step.kind === 'tool_call') {
      growing = null;
      if (!own.has(step.name)) {
        const input = toolInput(toolCalls[step.call]?.arguments ?? '', tools.get(step.name));
        blocks.push(toolUseBlock(head, step, input));
      }
    }
  }
  return blocks;
}

/** Adds a piece to the last block if it is of the same type; otherwise the piece becomes a block. */
function grown(blocks: ContentBlock[], last: ContentBlock | null, piece: ContentBlock): ContentBlock {
  if (last?.type === 'text' && piece.type === 'text') {
    last.text += piece.text;
    return last;
  }
  if (last?.type === 'thinking' && piece.type === 'thinking') {
    last.thinking += piece.thinking;
    return last;
  }
  blocks.push(piece);
  return piece;
}
