/** What other modules may use of this one. */
export { ChatNotFoundError } from './chat.errors';
export { chatEvent, feedbackEvent, messageCreatedEvent, replyEndedEvent } from './chat.events';
export { ChatModule } from './chat.module';
export { MessageDto, toMessageDto } from './dto/message.dto';
export { ChatEntity } from './entities/chat.entity';
export { FEEDBACK_RATINGS, type FeedbackRating, MessageEntity } from './entities/message.entity';
export { MessageService } from './message.service';
