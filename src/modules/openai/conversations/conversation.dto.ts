import { ApiProperty } from '@nestjs/swagger';

/** A conversation: one of the user's chats. */
export class ConversationDto {
  /** `conv_` and the id of the chat. @example "conv_1" */
  id: string;

  /** Always `conversation`. @example "conversation" */
  object: 'conversation';

  /** Unix seconds. @example 1769851800 */
  @ApiProperty({ type: 'integer' })
  created_at: number;

  /** What the client keeps with it. */
  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' }, example: { topic: 'travel' } })
  metadata: Record<string, string>;
}

/** What was deleted. */
export class DeletedConversationDto {
  /** The deleted conversation. @example "conv_1" */
  id: string;

  /** Always `conversation.deleted`. @example "conversation.deleted" */
  object: 'conversation.deleted';

  /** Always true. @example true */
  deleted: true;
}
