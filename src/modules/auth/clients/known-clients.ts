import { Injectable } from '@nestjs/common';
import { normalizeIp } from '@nestjs/throttler';
import { type EntityManager, In, LessThanOrEqual, MoreThan } from 'typeorm';
import { DAY_MILLISECONDS } from '../../../common/time';
import { Database } from '../../../database/database';
import { SharedClock } from '../../../database/shared-clock';
import { rowExists } from '../../../database/statements/find';
import { upsertRows } from '../../../database/statements/insert';
import { pruneRows } from '../../../database/statements/prune-rows';
import { updateRows } from '../../../database/statements/update';
import type { User } from '../../user/user.api';
import { AddressHasher } from '../attempts/address-hasher';
import type { AccountClient } from './account-client';
import type { ClientContext } from './client-context';
import { type ClientKind, KnownClientEntity } from './known-client.entity';

/** How long a client is known after its last sign-in. A device's cookie has the same lifetime. */
export const KNOWN_MILLISECONDS = 30 * DAY_MILLISECONDS;

/** Most known clients of an account. The most recent ones count. */
const MOST_OF_ACCOUNT = 1_000;

/**
 * Stores which clients have signed in to an account: devices by cookie, and IP addresses. An IP address counts only for
 * requests without the cookie, so that another person at the same address is not taken for the owner's device.
 */
@Injectable()
export class KnownClients {
  constructor(
    private readonly database: Database,
    private readonly clock: SharedClock,
    private readonly hasher: AddressHasher,
  ) {}

  /**
   * The client of a request that attempts something at an account. It runs the same query for every address, so that
   * the time reveals nothing.
   *
   * @param user the user of the address; null if it has no account
   */
  async find(context: ClientContext, email: string, user: Pick<User, 'id'> | null): Promise<AccountClient> {
    const { device, principal } = context;
    const address = normalizeIp(context.address);
    const [kind, text]: [ClientKind, string] =
      device && !device.isNew ? ['device', device.value] : ['address', address];
    const isKnown = await rowExists(this.database.manager, KnownClientEntity, {
      userId: user?.id ?? 0,
      clientHash: In(this.hasher.hashes(kind, text)),
      signedInAt: MoreThan(this.oldest()),
    });
    if (isKnown) {
      return { email, name: `${kind} ${text}`, isKnown };
    }
    // A session is a sign-in that is identified by more than its IP address.
    const isOwn = user !== null && principal?.userId === user.id && principal.sessionId !== null;
    return { email, name: isOwn ? `session ${principal.sessionId}` : `address ${address}`, isKnown: isOwn };
  }

  /** Within `Database.write`: records that the client of a request has signed in to the account. */
  async add(manager: EntityManager, { device, address }: ClientContext, userId: number): Promise<void> {
    if (device) {
      await this.remember(manager, userId, 'device', device.value);
    }
    await this.remember(manager, userId, 'address', normalizeIp(address));
  }

  /** The condition of rows that can be deleted. */
  outdated(): { signedInAt: ReturnType<typeof LessThanOrEqual<Date>> } {
    return { signedInAt: LessThanOrEqual(this.oldest()) };
  }

  /** Updates first, because each insert would use up an id on MySQL. */
  private async remember(manager: EntityManager, userId: number, kind: ClientKind, text: string): Promise<void> {
    const clientHash = this.hasher.hash(kind, text);
    const signedInAt = this.clock.now();
    const affected = await updateRows(manager, KnownClientEntity, { signedInAt }, { userId, clientHash });
    if (affected === 0) {
      await upsertRows(
        manager,
        KnownClientEntity,
        [{ userId, kind, clientHash, signedInAt }],
        ['userId', 'clientHash'],
      );
      await pruneRows(manager, KnownClientEntity, { userId, age: 'signedInAt', most: MOST_OF_ACCOUNT });
    }
  }

  private oldest(): Date {
    return new Date(this.clock.now().getTime() - KNOWN_MILLISECONDS);
  }
}
