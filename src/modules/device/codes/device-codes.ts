import { createHash, randomBytes, randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type EntityManager, IsNull, MoreThan } from 'typeorm';
import { Clock } from '../../../common/clock';
import { Database } from '../../../database/database';
import { countRows, findRow, rowExists } from '../../../database/statements/find';
import { insertEntity } from '../../../database/statements/insert';
import { findLocked } from '../../../database/statements/row-lock';
import { updateRows } from '../../../database/statements/update';
import { type DeviceTokenPair, DeviceTokens } from '../../auth/auth.api';
import { SessionService } from '../../user/user.api';
import { DeviceConfig } from '../device.config';
import {
  AccessDeniedError,
  AuthorizationPendingError,
  ExpiredTokenError,
  SlowDownError,
  TooManyDeviceCodesError,
} from '../device.errors';
import { DeviceCodeEntity } from './device-code.entity';

/** Consonants only, so that no code is a word (RFC 8628 §6.1). */
const ALPHABET = 'BCDFGHJKLMNPQRSTVWXZ';

const USER_CODE_LENGTH = 8;

const DEVICE_CODE_BYTES = 32;

/** Least seconds between two polls (RFC 8628 §3.2), and by how much `slow_down` extends them (§3.5). */
const POLL_SECONDS = 5;

/** Valid codes of one client address. */
const MOST_OF_ADDRESS = 100;

/** How long a used code returns its tokens again, for a program that lost the response. */
const GRACE_MILLISECONDS = 10_000;

/** What a program says about itself and wants. */
export type DeviceRequest = Pick<
  DeviceCodeEntity,
  'clientId' | 'surface' | 'deviceName' | 'scope' | 'address' | 'userAgent'
>;

export interface NewDeviceCode {
  deviceCode: string;
  /** `XXXX-XXXX`. */
  userCode: string;
  interval: number;
}

/** The codes of the device flow (RFC 8628), from the request of a program to its tokens. */
@Injectable()
export class DeviceCodes {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly config: DeviceConfig,
    private readonly tokens: DeviceTokens,
    private readonly sessions: SessionService,
  ) {}

  /** @throws TooManyDeviceCodesError */
  async issue(request: DeviceRequest): Promise<NewDeviceCode> {
    const deviceCode = randomBytes(DEVICE_CODE_BYTES).toString('base64url');
    const userCode = newUserCode();
    const now = this.clock.now();
    await this.database.write(async (manager) => {
      await this.assertRoom(manager, request.address, now);
      await insertEntity(manager, DeviceCodeEntity, {
        ...request,
        codeHash: hashOf(deviceCode),
        userCode,
        pollSeconds: POLL_SECONDS,
        polledAt: null,
        userId: null,
        decision: null,
        sessionId: null,
        usedAt: null,
        createdAt: now,
        expiresAt: new Date(now.getTime() + this.config.DEVICE_CODE_TTL * 1_000),
      });
    });
    return { deviceCode, userCode: `${userCode.slice(0, 4)}-${userCode.slice(4)}`, interval: POLL_SECONDS };
  }

  /** Whether a program may poll with this code. */
  isActive(deviceCode: string): Promise<boolean> {
    const active = { codeHash: hashOf(deviceCode), expiresAt: MoreThan(this.clock.now()), usedAt: IsNull() };
    return rowExists(this.database.manager, DeviceCodeEntity, active);
  }

  /**
   * The tokens of an approved code, once. For ten seconds, a repeated request returns the same tokens. After that, another
   * party may hold the code, so the session ends.
   *
   * @throws AuthorizationPendingError, SlowDownError, AccessDeniedError, ExpiredTokenError
   */
  async poll(deviceCode: string): Promise<DeviceTokenPair> {
    const { userId, sessionId, usedAt } = await this.claim(deviceCode);
    if (this.clock.now().getTime() - usedAt.getTime() > GRACE_MILLISECONDS) {
      await this.sessions.revoke(userId, sessionId);
      throw new ExpiredTokenError();
    }
    const pair = await this.tokens.first(userId, sessionId, usedAt);
    if (!pair) {
      throw new ExpiredTokenError();
    }
    return pair;
  }

  /** Marks an approved code as used. If it was used before, it stays unchanged. */
  private async claim(deviceCode: string): Promise<ClaimedCode> {
    const codeHash = hashOf(deviceCode);
    const found = await findRow(this.database.manager, DeviceCodeEntity, { codeHash });
    if (!found || found.expiresAt <= this.clock.now()) {
      throw new ExpiredTokenError();
    }
    const claimed = await this.database.write(async (manager) => {
      // The interval and the use of a code stay exact, even if two programs poll with it at the same time.
      const row = await findLocked(manager, DeviceCodeEntity, { id: found.id });
      return row ? this.claimRow(manager, row) : new ExpiredTokenError();
    });
    // Errors are returned, because the transaction of a refused poll stores its time.
    if (claimed instanceof Error) {
      throw claimed;
    }
    return claimed;
  }

  private async claimRow(manager: EntityManager, row: DeviceCodeEntity): Promise<ClaimedCode | Error> {
    const { id, userId, sessionId, usedAt, polledAt, pollSeconds } = row;
    const now = this.clock.now();
    if (usedAt !== null && userId !== null && sessionId !== null) {
      return { userId, sessionId, usedAt };
    }
    if (polledAt !== null && now.getTime() - polledAt.getTime() < pollSeconds * 1_000) {
      await updateRows(manager, DeviceCodeEntity, { polledAt: now, pollSeconds: pollSeconds + POLL_SECONDS }, { id });
      return new SlowDownError();
    }
    const isApproved = row.decision === 'approve' && userId !== null && sessionId !== null;
    const isOpen = isApproved && (await this.sessions.holds(manager, userId, sessionId));
    await updateRows(manager, DeviceCodeEntity, { polledAt: now, ...(isOpen && { usedAt: now }) }, { id });
    if (row.decision === null) {
      return new AuthorizationPendingError();
    }
    return isOpen ? { userId, sessionId, usedAt: now } : new AccessDeniedError();
  }

  private async assertRoom(manager: EntityManager, address: string, now: Date): Promise<void> {
    const active = { address, expiresAt: MoreThan(now) };
    // Locked, so that concurrent requests of the address are counted one after another.
    const order = { expiresAt: 'ASC', id: 'ASC' } as const;
    const first = await findRow(manager, DeviceCodeEntity, active, { order, lock: 'wait' });
    if (first === null || (await countRows(manager, DeviceCodeEntity, active)) < MOST_OF_ADDRESS) {
      return;
    }
    throw new TooManyDeviceCodesError(Math.ceil((first.expiresAt.getTime() - now.getTime()) / 1_000));
  }
}

interface ClaimedCode {
  userId: number;
  sessionId: number;
  usedAt: Date;
}

function newUserCode(): string {
  return Array.from({ length: USER_CODE_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

function hashOf(deviceCode: string): string {
  return createHash('sha256').update(deviceCode).digest('hex');
}
