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

/** What somebody is asked about the call of a tool. */
export class ActionDto {
  /** Names it. @example 5 */
  id: number;

  /** The conversation. @example 1 */
  chat_id: number;

  /** The reply that waits. @example 2 */
  message_id: number;

  /** Whose conversation it is. @example 7 */
  user_id: number;

  /** Who decides: `user`, whose conversation it is; `admin`; or a group, as `group:3`. @example "user" */
  approver: string;

  /**
   * `approve`: whether the call may be made; `unknown`: what became of it, since nobody knows. `input`: its server asks something;
   * `connect`: its user is to sign in, by `POST /user/connections/{server}/start`. @example "approve"
   */
  @ApiProperty({ enum: ACTION_KINDS })
  kind: ActionKind;

  /** The tool. @example "cancel_order" */
  tool: string;

  /** The server that the tool comes from; null: a module of the service. @example "github" */
  server: string | null;

  /**
   * What the call is or was made with; invisible characters are escaped. Only an edit changes them. Null: they are erased, or not shown
   * to administrators who do not decide.
   */
  @ApiProperty({ type: 'object', additionalProperties: true, nullable: true, example: { order: 7 } })
  arguments: unknown;

  /** SHA-256 over the tool and its arguments, for the decision. @example "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" */
  arguments_hash: string;

  /** Whether an approver replaced the arguments that the model proposed. @example false */
  edited: boolean;

  /** What the model proposed, where the arguments were `edited`; shown like `arguments`. Null: they were not edited, or are not shown. */
  @ApiProperty({ type: 'object', additionalProperties: true, nullable: true, example: null })
  proposed_arguments: unknown;

  /** Of `input`: what the server says, as plain text of a stranger; else null. @example "Which room shall it be?" */
  message: string | null;

  /**
   * Of `input`: JSON Schema of the form, an object of texts (`format`: email, uri, date, date-time), numbers, booleans and choices
   * (`enum`, `oneOf`, arrays of them); null: the server asks by an address, or asks nothing.
   */
  @ApiProperty({ type: 'object', additionalProperties: true, nullable: true, example: null })
  schema: Record<string, unknown> | null;

  /** Of `input`: an https address that the user is to open, only by a click and with its whole host shown; else null. @example "https://pay.example.com/orders/7" */
  url: string | null;

  /** Of `input` and `connect`: who asks, the host of `url`, or else of the server; null: nobody. @example "mail.example.com" */
  host: string | null;

  /** Of `connect`: what the server wants to be allowed; empty: there is no connection yet. Else null. @example null */
  @ApiProperty({ type: [String], nullable: true, example: ['mail.send'] })
  scopes: string[] | null;

  /** Of `connect`: where the user signs in, at the `server`, or once more with the `company`; else null. @example null */
  @ApiProperty({ enum: ['server', 'company'], nullable: true })
  sign_in: 'server' | 'company' | null;

  /** Whether the tool changes nothing. @example false */
  read_only: boolean;

  /** Whether it may destroy something. @example true */
  destructive: boolean;

  /** Whether its user may `remember` it with `approve`: not where somebody else decides, or the model was told text from outside. @example true */
  can_remember: boolean;

  /** When it is over if nobody decides; null: never. @example "2026-02-01T09:30:00.000Z" */
  expires_at: string | null;

  /** `cancelled`: the conversation went on without it, or the reply was stopped. @example "open" */
  @ApiProperty({ enum: ACTION_STATES })
  state: ActionState;

  /** Null until somebody decides. @example null */
  @ApiProperty({ enum: DECISIONS, nullable: true })
  decision: Decision | null;

  /** Who decided; null: nobody. @example 7 */
  decided_by: number | null;

  /** When it was decided, or ended; null: it is open. @example "2026-01-31T09:31:00.000Z" */
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

/** What administrators see who do not decide: not what it is about. */
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
