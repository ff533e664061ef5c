/** A sentence for people, in the caller's language. */
export class ChatAcknowledgementDto {
  /** A sentence for people, in the caller's language. @example "The chat has been deleted." */
  message: string;
}
