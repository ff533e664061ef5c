// One chunk of the build, because the pages compress far better together.
export { Agent, NewAgent } from '../../pages/admin/agents/agent';
export { Agents } from '../../pages/admin/agents/agents';
export { Failures } from '../../pages/admin/failures/failures';
export { Group } from '../../pages/admin/groups/group';
export { Groups } from '../../pages/admin/groups/groups';
export { Guards } from '../../pages/admin/guards/guards';
export { Holds } from '../../pages/admin/holds/holds';
export { Knowledge } from '../../pages/admin/knowledge/knowledge';
export { Models } from '../../pages/admin/providers/models';
export { Providers } from '../../pages/admin/providers/providers';
export { Plans } from '../../pages/admin/settings/plans';
export { Settings } from '../../pages/admin/settings/settings';
export { IdentityProvider, NewIdentityProvider } from '../../pages/admin/sign-in/identity-provider';
export { IdentityProviders } from '../../pages/admin/sign-in/identity-providers';
export { Tools } from '../../pages/admin/tools/tools';
export { User } from '../../pages/admin/users/user';
export { Users } from '../../pages/admin/users/users';
export { AllWebhooks, Webhook } from '../../pages/webhooks/all-webhooks';
