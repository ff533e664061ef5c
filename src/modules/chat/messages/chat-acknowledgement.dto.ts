/** A confirmation in the caller's language. */
export class ChatAcknowledgementDto {
  /** The confirmation, for display. @example "The chat has been deleted." */
  message: string;
}
