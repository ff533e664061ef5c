/** What modules from outside of the service need to send mails, as `chat-service/mail`. */
export { MailModule } from './mail.module';
export { defineMail, type MailDefinition } from './mail-definition';
export { type MailOrder, MailQueue } from './mail-queue';
