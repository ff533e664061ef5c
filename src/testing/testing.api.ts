/** For tests of modules outside the service, as `chat-service/testing`. Nothing in production imports it. */
export type { Answer } from './http-answer';
export {
  type ModelRefusal,
  type ModelRequest,
  type ModelRequestEvent,
  type ModelScript,
  ModelServer,
  type ModelStep,
  type ScriptedCall,
  startModelServer,
} from './scripted-model/model-server';
export type { ServiceInstance } from './service-instance';
export type { TestMailbox } from './test-mailbox';
export { startTestService, type TestService, type TestServiceOptions } from './test-service';
export type { TestUser } from './test-user';
export { type Delivery, WebhookReceiver } from './webhook-receiver';
