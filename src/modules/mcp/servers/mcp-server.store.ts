import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { SharedCache } from '../../../common/cache/shared-cache';
import { Clock } from '../../../common/clock';
import { RedisConnection } from '../../../common/redis/redis-connection';
import { ServiceSecret } from '../../../common/security/service-secret';
import { TextCipher } from '../../../common/security/text-cipher';
import { Database } from '../../../database/database';
import { isUniqueViolation } from '../../../database/database.errors';
import { deleteRows } from '../../../database/statements/delete';
import { findRows } from '../../../database/statements/find';
import { insertEntity } from '../../../database/statements/insert';
import { findLocked } from '../../../database/statements/row-lock';
import { updateRows } from '../../../database/statements/update';
import { McpServerExistsError, McpServerNotFoundError } from '../mcp.errors';
import { McpServerEntity } from './mcp-server.entity';

/** A read-only server. */
export type McpServer = Readonly<McpServerEntity>;

/** The settable fields, with decrypted secrets. The database has them encrypted. */
export interface McpServerFields extends Omit<
  McpServerEntity,
  'id' | 'headers' | 'headerNames' | 'listedAt' | 'listTtl' | 'createdAt' | 'updatedAt'
> {
  headers: Record<string, string>;
}

/** Encrypts the credentials for servers. */
@Injectable()
export class McpServerCipher extends TextCipher {
  constructor(serviceSecret: ServiceSecret) {
    super(serviceSecret.deriveAll('mcp-servers'));
  }
}

/** Stores servers. There are few, so each instance caches them in memory for a few seconds. */
@Injectable()
export class McpServerStore {
  private readonly cache: SharedCache<void, McpServerEntity[]>;

  constructor(
    private readonly database: Database,
    private readonly cipher: McpServerCipher,
    private readonly clock: Clock,
    redis: RedisConnection,
    serviceSecret: ServiceSecret,
  ) {
    this.cache = new SharedCache({ channel: 'mcp-servers', load: () => this.read(), database, redis });
    if (serviceSecret.isBeingRotated) {
      database.onReady(() => this.renewSecrets());
    }
  }

  /** All servers, by ID. */
  all(): Promise<readonly McpServer[]> {
    return this.cache.get();
  }

  /** @throws McpServerNotFoundError */
  async get(id: number): Promise<McpServer> {
    const found = (await this.all()).find((server) => server.id === id);
    return found ?? Promise.reject(new McpServerNotFoundError());
  }

  /**
   * Reads a server and locks it until the transaction ends. Call it within `Database.write`.
   *
   * @throws McpServerNotFoundError
   */
  async lock(manager: EntityManager, id: number): Promise<McpServerEntity> {
    const found = await findLocked(manager, McpServerEntity, { id });
    return found ?? Promise.reject(new McpServerNotFoundError());
  }

  /**
   * Call it within `Database.write`.
   *
   * @throws McpServerExistsError
   */
  async insert(manager: EntityManager, { headers, ...fields }: McpServerFields): Promise<McpServerEntity> {
    const now = this.clock.now();
    const columns = { ...fields, ...this.sealed({ ...fields, headers }) };
    const row = { ...columns, listedAt: null, listTtl: null, createdAt: now, updatedAt: now };
    const server = await refusingDuplicates(insertEntity(manager, McpServerEntity, row as Omit<McpServerEntity, 'id'>));
    this.cache.forgetOnCommit();
    return server;
  }

  /**
   * Changes a locked server. Call it within `Database.write`.
   *
   * @throws McpServerExistsError
   */
  async update(
    manager: EntityManager,
    present: McpServerEntity,
    { headers, ...changes }: Partial<McpServerFields>,
  ): Promise<McpServerEntity> {
    const columns = { ...changes, ...this.sealed({ ...changes, headers }), updatedAt: this.clock.now() };
    await refusingDuplicates(updateRows(manager, McpServerEntity, columns, { id: present.id }));
    this.cache.forgetOnCommit();
    return { ...present, ...columns };
  }

  /** Stores when the list of tools was read. Call it within `Database.write`. */
  async noteList(
    manager: EntityManager,
    { id }: McpServer,
    listed: Pick<McpServerEntity, 'listedAt' | 'listTtl'>,
  ): Promise<void> {
    await updateRows(manager, McpServerEntity, listed, { id });
    this.cache.forgetOnCommit();
  }

  /** Call it within `Database.write`. */
  async remove(manager: EntityManager, { id }: McpServer): Promise<void> {
    await deleteRows(manager, McpServerEntity, { id });
    this.cache.forgetOnCommit();
  }

  /** The headers of requests to the server; null if they were encrypted with another service secret. */
  headersOf({ auth, headers, clientSecret }: McpServer): Record<string, string> | null {
    const own = headers === null ? '{}' : this.cipher.decryptOrNull(headers);
    const secret = auth !== 'secret' || clientSecret === null ? '' : this.cipher.decryptOrNull(clientSecret);
    if (own === null || secret === null) {
      return null;
    }
    return { ...(secret !== '' && { authorization: `Bearer ${secret}` }), ...(JSON.parse(own) as object) };
  }

  /** Null if there is none, or if it was encrypted with another service secret. */
  clientSecretOf({ clientSecret }: McpServer): string | null {
    return clientSecret === null ? null : this.cipher.decryptOrNull(clientSecret);
  }

  /** Re-encrypts all secrets with the current service secret, so that the previous one can be removed. */
  private renewSecrets(): Promise<void> {
    return this.database.write(async (manager) => {
      for (const { id, clientSecret, headers, updatedAt } of await findRows(manager, McpServerEntity, {})) {
        const renewed = {
          ...this.renewed('clientSecret', clientSecret),
          ...this.renewed('headers', headers),
        };
        if (Object.keys(renewed).length > 0) {
          // An administrator may have changed the row since the read; `updatedAt` then differs.
          await updateRows(manager, McpServerEntity, renewed, { id, updatedAt });
        }
      }
      this.cache.forgetOnCommit();
    });
  }

  private renewed(name: 'clientSecret' | 'headers', sealed: string | null): Partial<McpServerEntity> {
    const renewed = sealed === null ? null : this.cipher.renew(sealed);
    return renewed === null ? {} : { [name]: renewed };
  }

  private sealed({ clientSecret, headers }: Partial<McpServerFields>): Partial<McpServerEntity> {
    return {
      ...(typeof clientSecret === 'string' && { clientSecret: this.cipher.encrypt(clientSecret) }),
      ...(headers && {
        headers: Object.keys(headers).length === 0 ? null : this.cipher.encrypt(JSON.stringify(headers)),
        headerNames: Object.keys(headers),
      }),
    };
  }

  private read(): Promise<McpServerEntity[]> {
    return findRows(this.database.manager, McpServerEntity, {}, { order: { id: 'ASC' } });
  }
}

/** If two writers want the same label, the unique index decides. */
async function refusingDuplicates<Result>(writing: Promise<Result>): Promise<Result> {
  try {
    return await writing;
  } catch (error) {
    throw isUniqueViolation(error) ? new McpServerExistsError() : error;
  }
}
