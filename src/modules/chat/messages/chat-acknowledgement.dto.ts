/** A confirmation in the caller's language. */
export class ChatAcknowledgementDto {
  /** The confirmation, for display. @example "The chat has been deleted." */
  message: string;
}

/** The response to a deletion. */
export class DeletedChatDto extends ChatAcknowledgementDto {
  /** Only if a legal hold keeps the conversation. @example true */
  kept?: boolean;
}
