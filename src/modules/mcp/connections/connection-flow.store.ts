import { Injectable } from '@nestjs/common';
import { MoreThan } from 'typeorm';
import { Clock } from '../../../common/clock';
import { RateLimitExceededError } from '../../../common/rate-limit/rate-limit.errors';
import { OneTimeTokens, tokenHash } from '../../../common/redirects/one-time-tokens';
import { ServiceSecret } from '../../../common/security/service-secret';
import { Database } from '../../../database/database';
import { deleteRows } from '../../../database/statements/delete';
import { countRows } from '../../../database/statements/find';
import { insertRow } from '../../../database/statements/insert';
import { findLocked } from '../../../database/statements/row-lock';
import { UserService } from '../../user/user.api';
import type { Grant } from '../oauth/oauth-grant';
import { McpServerCipher } from '../servers/mcp-server.store';
import { McpConnectionFlowEntity } from './connection-flow.entity';

/** The lifetime of a flow, in seconds. */
export const FLOW_SECONDS = 600;

/** The maximum number of running flows of one user. */
const MOST_OF_USER = 20;

/** The sealed data of a flow. The code must be redeemed at the authorization server to which the user was sent. */
export interface FlowProof extends Pick<Grant, 'authority' | 'client'> {
  serverUrl: string;
  redirectUri: string;
  codeVerifier: string;
  scopes: string[];
}

/** The data of a new flow. */
export interface NewFlow extends Pick<McpConnectionFlowEntity, 'userId' | 'sessionId' | 'serverId' | 'returnTo'> {
  state: string;
  /** The value of the browser's cookie. */
  browser: string;
  proof: FlowProof;
}

/** The states of flows. */
@Injectable()
export class ConnectionStates extends OneTimeTokens<'state'> {
  constructor(secret: ServiceSecret) {
    super(secret, 'mcp-connections');
  }
}

/** Stores running flows. Each attempt to complete a flow uses it up. */
@Injectable()
export class ConnectionFlowStore {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly cipher: McpServerCipher,
    private readonly users: UserService,
  ) {}

  /** @throws RateLimitExceededError when the user has started too many */
  async begin({ state, browser, proof, ...known }: NewFlow): Promise<void> {
    const row = {
      ...known,
      tokenHash: tokenHash(state),
      browserHash: tokenHash(browser),
      sealed: this.cipher.encrypt(JSON.stringify(proof)),
      expiresAt: new Date(this.clock.now().getTime() + FLOW_SECONDS * 1_000),
    };
    await this.database.write(async (manager) => {
      // The lock serializes parallel starts, so that each counts the previous ones.
      await this.users.lock(manager, known.userId);
      const living = { userId: known.userId, expiresAt: MoreThan(this.clock.now()) };
      if ((await countRows(manager, McpConnectionFlowEntity, living)) >= MOST_OF_USER) {
        throw new RateLimitExceededError(MOST_OF_USER, FLOW_SECONDS);
      }
      await insertRow(manager, McpConnectionFlowEntity, row);
    });
  }

  /** Null if the flow does not exist or has expired. */
  spend(state: string): Promise<McpConnectionFlowEntity | null> {
    return this.database.write(async (manager) => {
      const row = await findLocked(manager, McpConnectionFlowEntity, { tokenHash: tokenHash(state) });
      if (row === null) {
        return null;
      }
      await deleteRows(manager, McpConnectionFlowEntity, { id: row.id });
      return row.expiresAt > this.clock.now() ? row : null;
    });
  }

  /** Null if it was encrypted with another service secret. */
  proofOf({ sealed }: McpConnectionFlowEntity): FlowProof | null {
    const text = this.cipher.decryptOrNull(sealed);
    return text === null ? null : (JSON.parse(text) as FlowProof);
  }
}
