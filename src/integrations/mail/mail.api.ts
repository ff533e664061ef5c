/** The mail functions for modules outside the service, as `chat-service/mail`. */
export { MailModule } from './mail.module';
export { defineMail, type MailDefinition } from './mail-definition';
export { type MailOrder, MailQueue } from './mail-queue';
