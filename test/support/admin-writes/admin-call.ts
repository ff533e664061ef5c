import type { TestAccount } from '../accounts';
import type { TestApp } from '../test-app';

/** A successful request, and its expected log entry. */
export interface AdminCall {
  path: string;
  body?: unknown;
  action: string;
  /** `type:id`, or the type alone. */
  target: string;
  /** The user concerned, if the target is not a user; absent: none. */
  subject?: number;
}

/** The entities that an administrator tests a route with. */
export interface AdminScene {
  app: TestApp;
  admin: TestAccount;
  /** A new user. */
  userId: number;
  sessionId: number;
  username: string;
  /** A new agent with two versions. */
  agentId: number;
  /** A new provider that needs no network. */
  providerId: number;
  /** A new service account. */
  serviceId: number;
  /** A key of the service account. */
  keyId: number;
  /** An unused invitation. */
  invitationId: number;
  /** A new price. */
  priceId: number;
  /** A new guard, the only one. */
  guardId: number;
  /** A new hold of the service account. */
  holdId: number;
  /** A new group with the user in it. */
  groupId: number;
  /** A new, unreachable identity provider. */
  identityProviderId: number;
  /** A new MCP server. */
  mcpServerId: number;
  /** Its tool, which is not approved. */
  mcpTool: { name: string; pin: string };
  /** A new budget of the user. */
  budgetId: number;
  /** A new retention policy of another group. */
  policyId: number;
  /** A new collection of the administrator. */
  storeId: number;
  /** A new provider that could return embeddings. */
  embeddingProvider: string;
}

/** By the route's name in the OpenAPI document. */
export type AdminWrites = Record<string, (scene: AdminScene) => AdminCall>;
