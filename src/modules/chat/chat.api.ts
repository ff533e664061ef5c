/** What other modules may use of this one. */
export { ChatModule } from './chat.module';
export { ChatNotFoundError } from './conversations/chat.errors';
export { chatEvent, feedbackEvent, messageCreatedEvent, replyEndedEvent } from './conversations/chat.events';
export { FEEDBACK_RATINGS, type FeedbackRating } from './conversations/message.entity';
export { type Chat, ChatContentQuery, type Message } from './messages/chat-content.query';
export { FeedbackQuery, type RatedReply } from './messages/feedback.query';
export { MessageDto, toMessageDto } from './messages/message.dto';

/* For entries of other protocols, which begin exchanges and read their replies. */
export { ChatService } from './chats/chat.service';
export { ChatReadService } from './chats/chat-read.service';
export {
  GenerationInProgressError,
  IdempotencyConflictError,
  MessageNotFoundError,
  REPLY_FAILURES,
  TooManyConcurrentError,
} from './conversations/chat.errors';
export type { FinishReason, MessageFailure } from './conversations/message.entity';
export { fileHashes, isStoredFile, type StoredFile, type StoredPart } from '../generation/reply/stored-parts';
export { IdempotencyService, type RepeatableRequest } from '../generation/idempotency/idempotency.service';
export { IDEMPOTENCY_KEY, IdempotencyKey } from '../generation/idempotency/idempotency-key.decorator';
export type { FileReference } from '../generation/input-files/file-reference';
export { FILE_ERRORS, TooManyFilesError } from '../generation/input-files/input-file.errors';
export { FILE_LIMITS, InputFiles } from '../generation/input-files/input-files';
export { ConversationQuery, type CutPart, type LinePart, type StoredMessage } from './messages/conversation.query';
export { callsOf, ConversationTurns } from './messages/conversation-turns';
export { PAGE_BYTES } from './messages/page-bytes';
export { replyError } from '../generation/reply/reply-failure';
export { type Answerer, Answerers } from './asking/answerers';
export { ReplyOrigins } from './asking/reply-origins';
export { WishesStore } from './asking/wishes.store';
export { CompactionSeal } from '../generation/prompt/compaction/compaction-seal';
export { ReplyLocator } from '../generation/elsewhere/reply-locator';
export { ReplyStopper } from '../generation/elsewhere/reply-stopper';
export type { LiveReply } from '../generation/reply/live-reply';
export { type HttpExchange, ReplyStreams } from '../generation/reading/reply-streams';
export type { ReplyEnd } from '../generation/reply/reply-end';
export { type ReplyStep, stepsOf, type StepWriter } from '../generation/reply/reply-steps';
export type { CompactionWish, ReplyWishes } from '../generation/reply/generation-options';
export { modelParameters } from '../generation/running/generation-request';
export type { StartedReply, Turn, TurnPart } from '../generation/reply/running-reply';
export { ExchangeService } from './sending/exchange.service';
export {
  type ExchangeRequest,
  type NewConversation,
  type Sender,
  senderOf,
  type StoredExchange,
} from './sending/exchange-request';
export { TurnAppender } from './sending/turn-appender';
