// One file of the built console: together they compress far better than one by one.
export { Audit } from './audit';
export { ChatContent } from './chat-content';
export { Chats } from './chats';
export { Feedback } from './feedback';
export { Health } from './health';
export { Keys } from './keys';
export { Overview } from './overview';
export { Usage } from './usage';
