import type { TestAccount } from '../accounts';
import type { TestApp } from '../test-app';

/** A request that succeeds, and what the log is to call it. */
export interface AdminCall {
  path: string;
  body?: unknown;
  action: string;
  /** `type:id`, or the type alone. */
  target: string;
  /** Whom it concerns besides a user who is the target; absent: nobody. */
  subject?: number;
}

/** What an administrator finds when trying out a route. */
export interface AdminScene {
  app: TestApp;
  admin: TestAccount;
  /** A fresh user. */
  userId: number;
  /** A fresh agent of two versions. */
  agentId: number;
  /** A fresh provider that needs no network. */
  providerId: number;
  /** A fresh service account. */
  serviceId: number;
  /** A key of the service account. */
  keyId: number;
  /** An invitation that nobody has used. */
  invitationId: number;
  /** A fresh price. */
  priceId: number;
  /** A fresh group with the user in it. */
  groupId: number;
  /** A fresh provider of identities, which is nowhere. */
  identityProviderId: number;
  /** A fresh server of tools. */
  mcpServerId: number;
  /** Its tool, which nobody has approved. */
  mcpTool: { name: string; pin: string };
  /** A fresh budget of the user. */
  budgetId: number;
}

/** By the route's name in the OpenAPI document. */
export type AdminWrites = Record<string, (scene: AdminScene) => AdminCall>;
