/** What other modules may use of this one. */
export { ChatModule } from './chat.module';
export { ChatNotFoundError } from './conversations/chat.errors';
export { chatEvent, feedbackEvent, messageCreatedEvent, replyEndedEvent } from './conversations/chat.events';
export { FEEDBACK_RATINGS, type FeedbackRating } from './conversations/message.entity';
export { type Chat, ChatContentQuery, type Message } from './messages/chat-content.query';
export { FeedbackQuery, type RatedReply } from './messages/feedback.query';
export { MessageDto, toMessageDto } from './messages/message.dto';
