import { ApiProperty } from '@nestjs/swagger';
import { showInvisible } from '../../../common/text/invisible';
import {
  ACTION_KINDS,
  ACTION_STATES,
  type ActionKind,
  type ActionState,
  canRemember,
  type Decision,
  DECISIONS,
  type ShownAction,
} from '../../generation/generation.api';

/** A decision about a tool call that the service requests from a person. */
export class ActionDto {
  /** The ID of the action. @example 5 */
  id: number;

  /** The conversation. @example 1 */
  chat_id: number;

  /** The reply that waits for the decision. @example 2 */
  message_id: number;

  /** The owner of the conversation. @example 7 */
  user_id: number;

  /** The approver: `user` (the owner of the conversation), `admin`, or a group, such as `group:3`. @example "user" */
  approver: string;

  /**
   * `approve`: whether the call may run; `unknown`: the outcome of the call; `input`: the MCP server requests input;
   * `connect`: the user must sign in with `POST /user/connections/{server}/start`. @example "approve"
   */
  @ApiProperty({ enum: ACTION_KINDS })
  kind: ActionKind;

  /** The tool. @example "cancel_order" */
  tool: string;

  /** The MCP server of the tool; null for a built-in tool. @example "github" */
  server: string | null;

  /**
   * The arguments of the call, with invisible characters escaped. Only an edit changes them. Null if they are erased,
   * or hidden from an administrator who is not the approver.
   */
  @ApiProperty({ type: 'object', additionalProperties: true, nullable: true, example: { order: 7 } })
  arguments: unknown;

  /**
   * SHA-256 of the tool and its arguments. Send it with the decision.
   * @example "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
   */
  arguments_hash: string;

  /** Whether an approver replaced the arguments that the model proposed. @example false */
  edited: boolean;

  /**
   * The model's original arguments if they were `edited`, shown like `arguments`. Null if they were not edited or are
   * hidden.
   */
  @ApiProperty({ type: 'object', additionalProperties: true, nullable: true, example: null })
  proposed_arguments: unknown;

  /** For `input`: the server's message, as untrusted plain text; otherwise null. @example "Which room shall it be?" */
  message: string | null;

  /**
   * For `input`: JSON Schema of the form, an object of strings (`format`: email, uri, date, date-time), numbers,
   * booleans and choices (`enum`, `oneOf`, arrays of choices). Null if the server sends a URL or requests nothing.
   */
  @ApiProperty({ type: 'object', additionalProperties: true, nullable: true, example: null })
  schema: Record<string, unknown> | null;

  /**
   * For `input`: an https URL that the user must open. Show its full host and open it only on a click. Otherwise null.
   * @example "https://pay.example.com/orders/7"
   */
  url: string | null;

  /**
   * For `input` and `connect`: the host of `url`, or the host of the server; otherwise null.
   * @example "mail.example.com"
   */
  host: string | null;

  /**
   * For `connect`: the scopes that the server requires; an empty array if there is no connection yet. Otherwise null.
   * @example null
   */
  @ApiProperty({ type: [String], nullable: true, example: ['mail.send'] })
  scopes: string[] | null;

  /**
   * For `connect`: where the user must sign in, at the `server` or again with the `company`. Otherwise null.
   * @example null
   */
  @ApiProperty({ enum: ['server', 'company'], nullable: true })
  sign_in: 'server' | 'company' | null;

  /** Whether the tool is read-only. @example false */
  read_only: boolean;

  /** Whether the tool may have destructive effects. @example true */
  destructive: boolean;

  /**
   * Whether the user may `remember` an approval. False if another approver decides or the prompt contains untrusted
   * content. @example true
   */
  can_remember: boolean;

  /** When the action expires without a decision; null: never. @example "2026-02-01T09:30:00.000Z" */
  expires_at: string | null;

  /** `cancelled`: the conversation continued without a decision, or the reply was stopped. @example "open" */
  @ApiProperty({ enum: ACTION_STATES })
  state: ActionState;

  /** The decision; null while there is none. @example null */
  @ApiProperty({ enum: DECISIONS, nullable: true })
  decision: Decision | null;

  /** The user who decided; null: no decision by a user. @example 7 */
  decided_by: number | null;

  /** When the action was decided or ended; null while it is open. @example "2026-01-31T09:31:00.000Z" */
  decided_at: string | null;
}

export function toActionDto(shown: ShownAction): ActionDto {
  const { action, call } = shown;
  return {
    id: action.id,
    chat_id: action.chatId,
    message_id: action.messageId,
    user_id: action.userId,
    approver: action.approver,
    kind: action.kind,
    tool: call.name,
    server: call.server,
    arguments: showInvisible(call.arguments),
    arguments_hash: call.argumentsHash,
    edited: call.proposedArguments !== null,
    proposed_arguments: showInvisible(call.proposedArguments),
    ...questionOf(action.question),
    sign_in: signInOf(action),
    read_only: call.isReadOnly,
    destructive: call.isDestructive,
    can_remember: canRemember(shown),
    expires_at: action.expiresAt?.toISOString() ?? null,
    state: action.state,
    decision: action.decision,
    decided_by: action.decidedBy,
    decided_at: action.decidedAt?.toISOString() ?? null,
  };
}

/** Hides the content of an action from administrators who are not its approver. */
export function withoutContent(dto: ActionDto): ActionDto {
  return { ...dto, arguments: null, proposed_arguments: null, message: null, schema: null, url: null };
}

function signInOf({ kind, question }: ShownAction['action']): ActionDto['sign_in'] {
  const isCompany = question !== null && 'signIn' in question && question.signIn === 'company';
  return kind !== 'connect' ? null : isCompany ? 'company' : 'server';
}

function questionOf(
  question: ShownAction['action']['question'],
): Pick<ActionDto, 'message' | 'schema' | 'url' | 'host' | 'scopes'> {
  const { message = null, schema = null, url = null, scopes = null, host = null }: Partial<ActionDto> = question ?? {};
  return { message, schema, url, host, scopes };
}
