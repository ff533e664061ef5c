import { ApiProperty } from '@nestjs/swagger';

/** A conversation of the user. */
export class ConversationDto {
  /** `conv_` and the ID of the conversation. @example "conv_1" */
  id: string;

  /** Always `conversation`. @example "conversation" */
  object: 'conversation';

  /** When the conversation was created, in Unix seconds. @example 1769851800 */
  @ApiProperty({ type: 'integer' })
  created_at: number;

  /** The client's metadata. */
  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' }, example: { topic: 'travel' } })
  metadata: Record<string, string>;
}

/** The result of a deletion. */
export class DeletedConversationDto {
  /** The deleted conversation. @example "conv_1" */
  id: string;

  /** Always `conversation.deleted`. @example "conversation.deleted" */
  object: 'conversation.deleted';

  /** Always true. @example true */
  deleted: true;
}
