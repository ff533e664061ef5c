// One file of the built console: together they compress far better than one by one.
export { Audit } from '../../pages/admin/audit/audit';
export { ChatContent } from '../../pages/admin/chats/chat-content';
export { Chats } from '../../pages/admin/chats/chats';
export { Health } from '../../pages/admin/health/health';
export { Feedback } from '../../pages/admin/usage/feedback';
export { Overview } from '../../pages/admin/usage/overview';
export { Usage } from '../../pages/admin/usage/usage';
export { Keys } from '../../pages/admin/users/api-keys';
