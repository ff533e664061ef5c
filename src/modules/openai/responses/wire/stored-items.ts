import type { ToolResultPart } from '../../../../integrations/llm/port/message-parts';
import type { StoredMessage } from '../../../chat/chat.api';
import type { ReplyStep, StoredPart } from '../../../generation/generation.api';
import type { ToolOrigin } from '../../../tool/tool.api';
import { itemsOfLists, type ToolListing } from './listed-tools';
import { OutputItems } from './output-items';
import type { OriginOf } from './own-calls';
import type {
  ApprovalResponseItem,
  CompactionItem,
  CustomCallOutputItem,
  FunctionCallOutputItem,
  InputContent,
  ItemStatus,
  MessageItem,
  ResponseItem,
} from './response-item';
import { itemId, readApprovalId } from './wire-ids';

/** The columns of a stored message that its items need. */
export type ItemSource = Pick<StoredMessage, 'id' | 'role' | 'content' | 'reasoning' | 'status' | 'parts'>;

/** Files of messages as data URLs, by hash; only those that the request includes. */
export type FileUrls = ReadonlyMap<string, string>;

/** Information about a message that is not in its row. */
export interface ItemFacts {
  files?: FileUrls;
  /** The origin of the tools that the service called. */
  origins?: ReadonlyMap<string, ToolOrigin>;
  /** The tools that the message lists. */
  listed?: readonly ToolListing[] | null;
  /** The first decision about each call, by call number. */
  allowed?: ReadonlyMap<number, boolean>;
}

const NO_FILES: FileUrls = new Map();
const NO_ORIGINS: ReadonlyMap<string, ToolOrigin> = new Map();
const NO_WORDS: ReadonlyMap<number, boolean> = new Map();

/**
 * The items of a stored message, with the same IDs as in the events of its reply.
 *
 * @param steps the steps of a reply that was stored with them; otherwise null
 */
export function itemsOfMessage(
  message: ItemSource,
  steps: ReplyStep[] | null,
  { files = NO_FILES, origins = NO_ORIGINS, listed = null, allowed = NO_WORDS }: ItemFacts = {},
): ResponseItem[] {
  if (message.role === 'assistant') {
    const view = { originOf: originsIn(message, origins), listed: itemsOfLists(message.id, listed) };
    const output = OutputItems.of(message.id, steps ?? stepsOfWords(message), view);
    if (message.status !== 'streaming') {
      output.close(statusOf(message));
    }
    return output.items.flatMap((item) => [...approvalOf(message, item, allowed), item]);
  }
  const { id, role, content } = message;
  const parts: readonly StoredPart[] = message.parts ?? [{ type: 'text', text: content }];
  const results = parts.filter((part) => part.type === 'tool_result');
  const outputs = results.map((part, index) => outputItem(id, index, part, parts, files));
  const compactions = parts
    .filter((part) => part.type === 'compaction')
    .map((part, index): CompactionItem => ({ ...part, id: itemId.compaction(id, index) }));
  const shown = parts.flatMap((part) => ('call_id' in part ? [] : inputContent(part, files)));
  const said: MessageItem = {
    type: 'message',
    id: itemId.message(id, 0),
    status: 'completed',
    role,
    content: shown,
  };
  return [...outputs, ...compactions, ...(shown.length === 0 ? [] : [said])];
}

/** Only calls by the service have a state. */
function originsIn({ parts }: ItemSource, origins: ReadonlyMap<string, ToolOrigin>): OriginOf {
  const calls = (parts ?? []).filter((part) => part.type === 'tool_call');
  return (call, name) => (calls[call]?.state === undefined ? null : (origins.get(name) ?? { source: 'unknown', name }));
}

/** The prompt names of the tools that the service called for a message. */
export function calledHere({ parts }: Pick<ItemSource, 'parts'>): string[] {
  const calls = (parts ?? []).flatMap((part) =>
    part.type === 'tool_call' && part.state !== undefined ? [part.name] : [],
  );
  return [...new Set(calls)];
}

/**
 * The approval item before a call. The state of the call is a fallback for a missing decision, as in a copied
 * conversation, because an approved call may still be denied, for example if the agent has lost the tool.
 */
function approvalOf(
  { parts }: ItemSource,
  item: ResponseItem,
  allowed: ReadonlyMap<number, boolean>,
): ApprovalResponseItem[] {
  const asked = item.type === 'mcp_call' ? readApprovalId(item.approval_request_id ?? '') : null;
  if (asked === null) {
    return [];
  }
  const { messageId, number } = asked;
  const calls = (parts ?? []).filter((part) => part.type === 'tool_call');
  const state = calls[number]?.state;
  const isUndecided = state === 'expired' || state === 'cancelled';
  const approve = allowed.get(number) ?? (isUndecided ? null : state !== 'denied');
  if (approve === null) {
    return [];
  }
  return [
    {
      type: 'mcp_approval_response',
      id: itemId.approvalResponse(messageId, number),
      approval_request_id: itemId.approvalRequest(messageId, number),
      approve,
      reason: null,
    },
  ];
}

/** The result of a call: text, or parts if it has images or files. */
function outputItem(
  messageId: number,
  index: number,
  { id: call_id, content, tool_type }: ToolResultPart,
  parts: readonly StoredPart[],
  files: FileUrls,
): FunctionCallOutputItem | CustomCallOutputItem {
  const returned = parts.filter((part) => 'call_id' in part && part.call_id === call_id);
  const text: InputContent[] = content === '' ? [] : [{ type: 'input_text', text: content }];
  const output = returned.length === 0 ? content : [...text, ...returned.flatMap((part) => inputContent(part, files))];
  return tool_type === 'custom'
    ? {
        type: 'custom_tool_call_output',
        id: itemId.customCallOutput(messageId, index),
        status: 'completed',
        call_id,
        output,
      }
    : {
        type: 'function_call_output',
        id: itemId.functionCallOutput(messageId, index),
        status: 'completed',
        call_id,
        output,
      };
}

/** Messages of other APIs and turns that a client sent have no steps. */
function stepsOfWords({ content, reasoning, parts }: ItemSource): ReplyStep[] {
  const thought: ReplyStep[] = reasoning === null ? [] : [{ kind: 'reasoning', text: reasoning }];
  const said = parts ?? (content === '' ? [] : [{ type: 'text' as const, text: content }]);
  let call = -1;
  return thought.concat(
    said.flatMap((part): ReplyStep[] => {
      switch (part.type) {
        case 'text':
          return [{ kind: 'text', text: part.text, ...(part.phase !== undefined && { phase: part.phase }) }];
        case 'tool_call':
          call++;
          return [
            { kind: 'tool_call', call, id: part.id, name: part.name, ...(part.tool && { tool: part.tool }) },
            { kind: 'tool_arguments', call, text: part.arguments },
          ];
        case 'compaction':
          return [{ kind: 'compaction', encrypted_content: part.encrypted_content }];
        default:
          return [];
      }
    }),
  );
}

function statusOf({ status }: ItemSource): Exclude<ItemStatus, 'in_progress'> {
  return status === 'completed' || status === 'requires_action' ? 'completed' : 'incomplete';
}

function inputContent(part: StoredPart, files: FileUrls): InputContent[] {
  switch (part.type) {
    case 'text':
      return [{ type: 'input_text', text: part.text }];
    case 'image':
      return [{ type: 'input_image', image_url: files.get(part.hash) ?? null, detail: part.detail ?? 'auto' }];
    case 'file':
    case 'searched_file':
      return [{ type: 'input_file', ...(part.name !== null && { filename: part.name }) }];
    default:
      return [];
  }
}
