// One file of the built console: together they compress far better than one by one.
export { Agent, NewAgent } from './agent';
export { Agents } from './agents';
export { Models } from './models';
export { Plans } from './plans';
export { Providers } from './providers';
export { Settings } from './settings';
export { User } from './user';
export { Users } from './users';
export { AllWebhooks, Webhook } from './webhooks';
