/** The public interface of this module. */
export { ActionsService } from './acting/actions.service';
export { ChatModule } from './chat.module';
export { ChatDto } from './chats/chat.dto';
export { ChatNotFoundError, FileNotFoundError } from './conversations/chat.errors';
export { FEEDBACK_RATINGS, type FeedbackRating } from './conversations/message.entity';
export { ActionDto } from './messages/action.dto';
export { type Chat, ChatContentQuery, type Message } from './messages/chat-content.query';
export { CitationDto, toCitationDto } from './messages/citation.dto';
export { FeedbackQuery, type RatedReply } from './messages/feedback.query';
export { FILE_HASH, FileHashPipe } from './messages/file-hash.pipe';
export { MessageDto, repliesThatWait, toMessageDto } from './messages/message.dto';
export { type MessageFile, MessageFiles, sendFile } from './messages/message-files';
export { FilePartDto, TextPartDto } from './messages/message-part.dto';
/* For other protocols, which start exchanges and read their replies. */
export { ChatService } from './chats/chat.service';
export { ChatReadService } from './chats/chat-read.service';
export { GenerationInProgressError } from './conversations/chat.errors';
export { repeatWhileLocked } from './conversations/locked-chat';
export { ConversationQuery, type CutPart, type LinePart, type StoredMessage } from './messages/conversation.query';
export { ConversationTurns } from './messages/conversation-turns';
export { PAGE_BYTES } from './messages/page-bytes';
export { OptionsStore, ReplyOrigins } from './options/options.store';
export { type ReplyAgent, ReplyAgents } from './options/reply-agents';
export { ChatReplyPlace } from './sending/chat-reply-place';
export { ExchangeService } from './sending/exchange.service';
export type { StoredTurn } from './sending/exchange-plan';
export type { ExchangeRequest, StoredExchange } from './sending/exchange-request';
export { TurnAppender } from './sending/turn-appender';
