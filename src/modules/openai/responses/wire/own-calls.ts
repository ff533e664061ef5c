import { shownJson } from '../../../../common/text/invisible';
import type { ReplyStep } from '../../../generation/generation.api';
import type { ToolOrigin } from '../../../tool/tool.api';
import type { ApprovalRequestItem, McpCallItem } from './response-item';
import { itemId } from './wire-ids';

/**
 * Whose tool a call is: that of a module or server, which the service calls; null: the caller's; `nobody`: the model made it up,
 * and it is not shown.
 */
export type OriginOf = (call: number, name: string) => ToolOrigin | 'nobody' | null;

/** Of replies in which the service calls no tools. */
export const CALLERS_ONLY: OriginOf = () => null;

const NO_ANSWER = 'The tool gave no answer. Nobody knows whether it did anything.';
const WAITS = 'The call waits for a person. GET /api/v1/user/actions lists what they are asked; they decide it there.';

interface OwnCall {
  origin: ToolOrigin | 'nobody';
  /** As the model wrote them, until what the tool gets is known. */
  arguments: string;
  /** Whether somebody was asked about it in this reply, and in this response. */
  wasAsked: boolean;
  isAsked: boolean;
  /** Its item in this response; null: there is none. */
  item: McpCallItem | null;
}

/** Calls that the service makes itself, and their items. Nothing of them is shown before their round is whole. */
export class OwnCalls {
  /** By the number of the call. */
  private readonly calls = new Map<number, OwnCall>();

  /** @param showsAll whether the result of a call is shown where somebody was asked about it: in other responses it comes later */
  constructor(
    private readonly messageId: number,
    private readonly originOf: OriginOf,
    private readonly showsAll: boolean,
  ) {}

  /** @returns whether the call is one of them */
  begin({ call, name }: Extract<ReplyStep, { kind: 'tool_call' }>): boolean {
    const origin = this.originOf(call, name);
    if (origin === null) {
      return false;
    }
    this.calls.set(call, { origin, arguments: '', wasAsked: false, isAsked: false, item: null });
    return true;
  }

  /** @returns whether the call is one of them */
  addArguments(call: number, text: string): boolean {
    const own = this.calls.get(call);
    if (own !== undefined) {
      own.arguments += text;
    }
    return own !== undefined;
  }

  /** The item that a call begins with; null: none. */
  start(step: Extract<ReplyStep, { kind: 'tool_started' }>): ApprovalRequestItem | McpCallItem | null {
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
      own.wasAsked = own.isAsked = true;
      const { source: server_label, name } = origin;
      const id = itemId.approvalRequest(this.messageId, step.call);
      return { type: 'mcp_approval_request', id, server_label, name, arguments: own.arguments };
    }
    return this.open(step.call, own, origin);
  }

  /** What became of a call: its item, with its end, and whether it begins only now; null: it is not shown. */
  end(step: Extract<ReplyStep, { kind: 'tool_result' }>): { item: McpCallItem; isNew: boolean } | null {
    const own = this.calls.get(step.call);
    if (own === undefined || own.origin === 'nobody' || (own.isAsked && !this.showsAll)) {
      return null;
    }
    own.arguments = step.arguments === undefined ? own.arguments : shownText(step.arguments);
    const isNew = own.item === null;
    const item = own.item ?? this.open(step.call, own, own.origin);
    const { content, is_error } = step;
    Object.assign(item, is_error ? { status: 'failed', error: content } : { status: 'completed', output: content });
    return { item, isNew };
  }

  /** Another response goes on from here. */
  cut(): void {
    this.calls.forEach((own) => {
      own.isAsked = false;
      own.item = null;
    });
  }

  private open(call: number, own: OwnCall, { source: server_label, name }: ToolOrigin): McpCallItem {
    const { arguments: all, wasAsked } = own;
    const approval_request_id = wasAsked ? itemId.approvalRequest(this.messageId, call) : null;
    const id = itemId.mcpCall(this.messageId, call);
    const called = { server_label, name, arguments: all, approval_request_id };
    own.item = { type: 'mcp_call', id, status: 'in_progress', ...called, output: null, error: null };
    return own.item;
  }
}

/** A call whose result has not come when its response ends, which is complete where a person has to do something first. */
export function giveUp(item: McpCallItem, isWaiting: boolean): void {
  item.status = 'incomplete';
  item.error = isWaiting ? WAITS : NO_ANSWER;
}

/** What nobody would see is written out. */
function shownText(json: string): string {
  const shown = shownJson(json);
  return typeof shown === 'string' ? shown : JSON.stringify(shown);
}
