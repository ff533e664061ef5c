import { ChatAcknowledgementDto } from '../messages/chat-acknowledgement.dto';

/** The result of a stop. */
export class StoppedReplyDto extends ChatAcknowledgementDto {
  /** The reply that was running; null if there was none. @example 2 */
  message_id: number | null;
}
