import { ChatAcknowledgementDto } from '../../messages/chat-acknowledgement.dto';

/** What came of the wish to stop a reply. */
export class StoppedReplyDto extends ChatAcknowledgementDto {
  /** The reply that was being written and has ended; null when there was none. @example 2 */
  message_id: number | null;
}
