/** What other modules may use of this one. */
export { ChatNotFoundError } from './chat.errors';
export { chatEvent, feedbackEvent, messageCreatedEvent, replyEndedEvent } from './chat.events';
export { ChatModule } from './chat.module';
export { type Chat, ChatContentQuery, type Message } from './chat-content.query';
export { MessageDto, toMessageDto } from './dto/message.dto';
export { FEEDBACK_RATINGS, type FeedbackRating } from './entities/message.entity';
export { FeedbackQuery, type RatedReply } from './feedback.query';
