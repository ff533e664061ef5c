import { type ReplyStep, shownJson } from '../../../generation/generation.api';
import type { ApprovalRequestItem, McpCallItem } from './response-item';
import { itemId } from './wire-ids';

/**
 * Whose tool a call is: the label of a module whose tools the service calls; null: the caller's; empty: nobody's, which the model
 * made up, and which is not shown.
 */
export type LabelOf = (call: number, name: string) => string | null;

/** Of replies in which the service calls no tools. */
export const CALLERS_ONLY: LabelOf = () => null;

const NO_ANSWER = 'The tool gave no answer. Nobody knows whether it did anything.';
const WAITS = 'The call waits for a person. GET /api/v1/user/actions lists what they are asked; they decide it there.';

interface OwnCall {
  label: string;
  name: string;
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
    private readonly labelOf: LabelOf,
    private readonly showsAll: boolean,
  ) {}

  /** @returns whether the call is one of them */
  begin({ call, name }: Extract<ReplyStep, { kind: 'tool_call' }>): boolean {
    const label = this.labelOf(call, name);
    if (label === null) {
      return false;
    }
    this.calls.set(call, { label, name, arguments: '', wasAsked: false, isAsked: false, item: null });
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
    if (own.label === '') {
      return null;
    }
    if (step.asked) {
      own.wasAsked = own.isAsked = true;
      const { label: server_label, name, arguments: all } = own;
      const id = itemId.approvalRequest(this.messageId, step.call);
      return { type: 'mcp_approval_request', id, server_label, name, arguments: all };
    }
    return this.open(step.call, own);
  }

  /** What became of a call: its item, with its end, and whether it begins only now; null: it is not shown. */
  end(step: Extract<ReplyStep, { kind: 'tool_result' }>): { item: McpCallItem; isNew: boolean } | null {
    const own = this.calls.get(step.call);
    if (own === undefined || own.label === '' || (own.isAsked && !this.showsAll)) {
      return null;
    }
    const isNew = own.item === null;
    const item = own.item ?? this.open(step.call, own);
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

  private open(call: number, own: OwnCall): McpCallItem {
    const { label: server_label, name, arguments: all, wasAsked } = own;
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
