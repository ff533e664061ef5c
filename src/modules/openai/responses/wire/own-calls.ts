import { shownJson } from '../../../../common/text/invisible';
import type { ReplyStep } from '../../../generation/generation.api';
import { searchesKnowledge, type ToolOrigin } from '../../../tool/tool.api';
import { toObjectId } from '../../object-ids';
import type { ApprovalRequestItem, FileSearchItem, McpCallItem } from './response-item';
import { itemId } from './wire-ids';

/**
 * The origin of a called tool: a module or MCP server for a call by the service; null: the client; `nobody`: the model
 * invented the tool, and the call is not shown.
 */
export type OriginOf = (call: number, name: string) => ToolOrigin | 'nobody' | null;

/** For replies in which the service calls no tools. */
export const CALLERS_ONLY: OriginOf = () => null;

const NO_ANSWER = 'The tool did not respond, but it may have acted. Check its effect before you call it again.';
const WAITS = 'The call waits for a person. GET /api/v1/user/actions lists what they are asked; they decide it there.';

interface OwnCall {
  origin: ToolOrigin | 'nobody';
  /** The model's arguments, replaced by the actual ones once the call starts. */
  arguments: string;
  /** Whether an approval was requested in this reply, and in this response. */
  hasRequestedApproval: boolean;
  isAsked: boolean;
  /** The item of the call in this response; null: none. */
  item: McpCallItem | FileSearchItem | null;
}

/** Calls by the service and their items. They are not shown before their round is complete. */
export class OwnCalls {
  /** By call number. */
  private readonly calls = new Map<number, OwnCall>();

  /**
   * @param showsAll whether to show the result of a call in the response that requested its approval; otherwise a later
   * response has it
   * @param hasResults whether searches of documents show what they found
   */
  constructor(
    private readonly messageId: number,
    private readonly originOf: OriginOf,
    private readonly showsAll: boolean,
    private readonly hasResults: boolean,
  ) {}

  /** @returns whether it is a call by the service */
  begin({ call, name }: Extract<ReplyStep, { kind: 'tool_call' }>): boolean {
    const origin = this.originOf(call, name);
    if (origin === null) {
      return false;
    }
    this.calls.set(call, { origin, arguments: '', hasRequestedApproval: false, isAsked: false, item: null });
    return true;
  }

  /** @returns whether it is a call by the service */
  addArguments(call: number, text: string): boolean {
    const own = this.calls.get(call);
    if (own !== undefined) {
      own.arguments += text;
    }
    return own !== undefined;
  }

  /** The item that starts a call; null: none. */
  start(step: Extract<ReplyStep, { kind: 'tool_started' }>): ApprovalRequestItem | McpCallItem | FileSearchItem | null {
    const own = this.calls.get(step.call);
    if (own === undefined) {
      return null;
    }
    own.arguments = shownText(step.arguments ?? own.arguments);
    const { origin } = own;
    if (origin === 'nobody') {
      return null;
    }
    if (step.asked) {
      own.hasRequestedApproval = own.isAsked = true;
      const { source: server_label, name } = origin;
      const id = itemId.approvalRequest(this.messageId, step.call);
      return { type: 'mcp_approval_request', id, server_label, name, arguments: own.arguments };
    }
    return this.open(step.call, own, origin);
  }

  /** The item of an ended call, and whether it is new; null: the call is not shown. */
  end(
    step: Extract<ReplyStep, { kind: 'tool_result' }>,
  ): { item: McpCallItem | FileSearchItem; isNew: boolean } | null {
    const own = this.calls.get(step.call);
    if (own === undefined || own.origin === 'nobody' || (own.isAsked && !this.showsAll)) {
      return null;
    }
    own.arguments = step.arguments === undefined ? own.arguments : shownText(step.arguments);
    const isNew = own.item === null;
    const item = own.item ?? this.open(step.call, own, own.origin);
    const { content, is_error } = step;
    if (item.type === 'file_search_call') {
      item.status = is_error ? 'failed' : 'completed';
      item.results = this.hasResults ? resultsOf(step) : null;
      return { item, isNew };
    }
    Object.assign(item, is_error ? { status: 'failed', error: content } : { status: 'completed', output: content });
    return { item, isNew };
  }

  /** Another response continues from here. */
  cut(): void {
    this.calls.forEach((own) => {
      own.isAsked = false;
      own.item = null;
    });
  }

  private open(call: number, own: OwnCall, { source: server_label, name }: ToolOrigin): McpCallItem | FileSearchItem {
    const { arguments: all, hasRequestedApproval } = own;
    if (searchesKnowledge({ name }) && server_label === 'knowledge') {
      const fileSearch = itemId.fileSearch(this.messageId, call);
      const found = { queries: queriesIn(all), results: null };
      own.item = { type: 'file_search_call', id: fileSearch, status: 'in_progress', ...found };
      return own.item;
    }
    const approval_request_id = hasRequestedApproval ? itemId.approvalRequest(this.messageId, call) : null;
    const id = itemId.mcpCall(this.messageId, call);
    const called = { server_label, name, arguments: all, approval_request_id };
    own.item = { type: 'mcp_call', id, status: 'in_progress', ...called, output: null, error: null };
    return own.item;
  }
}

/**
 * Marks a call without a result as incomplete at the end of its response.
 *
 * @param isWaiting whether the call waits for a person
 */
export function giveUp(item: McpCallItem, isWaiting: boolean): void {
  item.status = 'incomplete';
  item.error = isWaiting ? WAITS : NO_ANSWER;
}

/** Escapes invisible characters. */
function shownText(json: string): string {
  const shown = shownJson(json);
  return typeof shown === 'string' ? shown : JSON.stringify(shown);
}

/** The queries in the arguments of a search. Empty if they are malformed. */
function queriesIn(json: string): string[] {
  const given = shownJson(json) as { queries?: unknown } | null;
  const queries = typeof given === 'object' ? given?.queries : undefined;
  return Array.isArray(queries) ? queries.filter((query) => typeof query === 'string') : [];
}

/** The passages that a search found, without those that were removed. */
function resultsOf({ passages = [] }: Extract<ReplyStep, { kind: 'tool_result' }>): FileSearchItem['results'] {
  return passages.flatMap(({ file_id, filename, score, text }) =>
    typeof text === 'string' ? [{ file_id: toObjectId('file', file_id), filename, score, text, attributes: null }] : [],
  );
}
