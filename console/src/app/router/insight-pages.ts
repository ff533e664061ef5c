// One chunk of the build, because the pages compress far better together.
export { Audit } from '../../pages/admin/audit/audit';
export { ChatContent } from '../../pages/admin/chats/chat-content';
export { Chats } from '../../pages/admin/chats/chats';
export { Health } from '../../pages/admin/health/health';
export { Instances } from '../../pages/admin/operation/instances';
export { Feedback } from '../../pages/admin/usage/feedback';
export { Overview } from '../../pages/admin/usage/overview';
export { Usage } from '../../pages/admin/usage/usage';
export { Keys } from '../../pages/admin/users/api-keys';
export { AdminSessions } from '../../pages/admin/users/sessions';
