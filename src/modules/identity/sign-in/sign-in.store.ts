import { Injectable } from '@nestjs/common';
import { normalizeIp } from '@nestjs/throttler';
import { type EntityManager, In, IsNull, MoreThan } from 'typeorm';
import { Clock } from '../../../common/clock';
import { RateLimitExceededError } from '../../../common/rate-limit/rate-limit.errors';
import { tokenHash } from '../../../common/redirects/one-time-tokens';
import { ServiceSecret } from '../../../common/security/service-secret';
import { TextCipher } from '../../../common/security/text-cipher';
import { Database } from '../../../database/database';
import { deleteRows } from '../../../database/statements/delete';
import { countRows, findRow, findRows } from '../../../database/statements/find';
import { insertRow } from '../../../database/statements/insert';
import { findLocked } from '../../../database/statements/row-lock';
import { AddressHasher } from '../../auth/auth.api';
import type { Person } from '../protocol/person';
import type { SignInProof } from '../protocol/provider-client';
import { SignInEntity } from './sign-in.entity';
import { SignInTokens } from './sign-in-tokens';

/** How long a user may stay at the provider, and how long they may take to prove an address. */
export const SIGN_IN_SECONDS = 600;

/** How long a page may take to exchange the login code. */
const LOGIN_CODE_SECONDS = 60;

/** Most concurrent sign-ins of one IP address. */
const MOST_OF_ADDRESS = 6_000;

/** Encrypts the state of sign-ins. */
@Injectable()
export class SignInCipher extends TextCipher {
  constructor(serviceSecret: ServiceSecret) {
    super(serviceSecret.deriveAll('sign-ins'));
  }
}

/** A signed-in user proves an identity again, so that the session has a current ID token. */
export interface Renewal {
  /** The session that keeps the token. */
  sessionId: number;
  /** The value of `connected` that the page receives when it is done. */
  connected: string;
}

/** The state of a sign-in until the browser returns. */
export interface StartedProof extends SignInProof {
  /** Null if no identity is being linked. */
  linkingSession: number | null;
  /** Null for a sign-in or a link. */
  renewal: Renewal | null;
}

/** The state of a sign-in until the page exchanges the login code. */
export interface ReturnedPerson extends Person {
  /** The session in which the identity is linked. Null if no identity is being linked. */
  linkingSession: number | null;
}

/** The fields of a new sign-in. */
export interface NewSignIn {
  providerId: number;
  /** Value of the browser's cookie. */
  browser: string;
  codeChallenge: string;
  returnTo: string;
  /** The client's IP address. */
  address: string;
  /** The signed-in user who links an identity or proves one again. Null for a sign-in. */
  userId: number | null;
  proof: StartedProof;
}

/** Stores sign-ins in progress. Each step consumes its token, so that no token works twice. */
@Injectable()
export class SignInStore {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly cipher: SignInCipher,
    private readonly tokens: SignInTokens,
    private readonly hasher: AddressHasher,
  ) {}

  /** @throws RateLimitExceededError when the IP address has too many sign-ins in progress */
  async assertMayBegin(address: string): Promise<void> {
    const living = { addressHash: this.hashOf(address), expiresAt: MoreThan(this.clock.now()) };
    if ((await countRows(this.database.manager, SignInEntity, living)) >= MOST_OF_ADDRESS) {
      throw new RateLimitExceededError(MOST_OF_ADDRESS, SIGN_IN_SECONDS);
    }
  }

  async begin({ proof, browser, address, ...known }: NewSignIn): Promise<void> {
    await this.database.write(async (manager) => {
      await insertRow(manager, SignInEntity, {
        ...known,
        stage: 'started',
        tokenHash: tokenHash(proof.state),
        browserHash: tokenHash(browser),
        addressHash: this.hashOf(address),
        sealed: this.cipher.encrypt(JSON.stringify(proof)),
        createdAt: this.clock.now(),
        expiresAt: this.after(SIGN_IN_SECONDS),
      });
    });
  }

  /**
   * Consumes a sign-in that returns from the provider: its state cannot be used again, even if a later step fails. Null
   * if the sign-in has expired or does not exist.
   */
  spend(state: string): Promise<SignInEntity | null> {
    return this.database.write(async (manager) => {
      const row = await findLocked(manager, SignInEntity, { tokenHash: tokenHash(state), stage: 'started' });
      if (!row || row.expiresAt <= this.clock.now()) {
        return null;
      }
      await deleteRows(manager, SignInEntity, { id: row.id });
      return row;
    });
  }

  /** Null if it was encrypted with another service secret. */
  proofOf({ sealed }: SignInEntity): StartedProof | null {
    return this.open<StartedProof>(sealed);
  }

  /** Stores the user that the provider identified. Returns the login code. */
  async keepPerson(spent: SignInEntity, person: ReturnedPerson): Promise<string> {
    const code = this.tokens.make('login-code');
    const row = {
      ...this.next(spent, code, person),
      stage: 'returned' as const,
      expiresAt: this.after(LOGIN_CODE_SECONDS),
    };
    await this.database.write((manager) => insertRow(manager, SignInEntity, row));
    return code;
  }

  /**
   * Within `Database.write`: stores the user until a verification code has proved the address. Returns the link token.
   */
  async keepForLink(manager: EntityManager, returned: SignInEntity, person: Person): Promise<string> {
    const token = this.tokens.make('link-token');
    const row = {
      ...this.next(returned, token, person),
      stage: 'linking' as const,
      expiresAt: this.after(SIGN_IN_SECONDS),
    };
    await insertRow(manager, SignInEntity, row);
    return token;
  }

  /** Within `Database.write`: locks a sign-in until the transaction ends. Null if it has expired or does not exist. */
  async lock(manager: EntityManager, stage: 'returned' | 'linking', token: string): Promise<SignInEntity | null> {
    const row = await findLocked(manager, SignInEntity, { tokenHash: tokenHash(token), stage });
    return row && row.expiresAt > this.clock.now() ? row : null;
  }

  /** Like `lock`, but without a lock. */
  async find(stage: 'returned' | 'linking', token: string): Promise<SignInEntity | null> {
    const row = await findRow(this.database.manager, SignInEntity, { tokenHash: tokenHash(token), stage });
    return row && row.expiresAt > this.clock.now() ? row : null;
  }

  /** Null if it was encrypted with another service secret. */
  personOf({ sealed }: SignInEntity): Person | null {
    return this.open<Person>(sealed);
  }

  /** The session in which a returned user links the identity. Null if none is being linked. */
  linkingSessionOf({ sealed }: SignInEntity): number | null {
    return this.open<Partial<ReturnedPerson>>(sealed)?.linkingSession ?? null;
  }

  /** Within `Database.write`. */
  async remove(manager: EntityManager, { id }: SignInEntity): Promise<void> {
    await deleteRows(manager, SignInEntity, { id });
  }

  /**
   * Within `Database.write`: ends the sign-ins in progress of users whom their provider logs out. It waits for sign-ins
   * that a page continues at the same time, and then finds their session or next step.
   */
  async removeSignedOut(
    manager: EntityManager,
    providerId: number,
    isSignedOut: (person: Person) => boolean,
  ): Promise<void> {
    const returned = { providerId, stage: In(['returned', 'linking']), userId: IsNull() };
    for (;;) {
      const rows = await findRows(manager, SignInEntity, { ...returned, expiresAt: MoreThan(this.clock.now()) });
      const gone = rows.filter((row) => {
        const person = this.personOf(row);
        return person !== null && isSignedOut(person);
      });
      if (gone.length === 0) {
        return;
      }
      for (const row of gone) {
        await this.remove(manager, row);
      }
    }
  }

  /** Within `Database.write`: ends all sign-ins in progress of a deleted provider. */
  async removeOfProvider(manager: EntityManager, providerId: number): Promise<void> {
    await deleteRows(manager, SignInEntity, { providerId });
  }

  /** Needs no re-encryption: content encrypted with the previous secret expires within ten minutes. */
  private open<Content>(sealed: string): Content | null {
    const text = this.cipher.decryptOrNull(sealed);
    return text === null ? null : (JSON.parse(text) as Content);
  }

  private next({ id: _id, ...row }: SignInEntity, token: string, person: Person): Omit<SignInEntity, 'id' | 'stage'> {
    return {
      ...row,
      tokenHash: tokenHash(token),
      sealed: this.cipher.encrypt(JSON.stringify(person)),
      createdAt: this.clock.now(),
    };
  }

  private hashOf(address: string): string {
    return this.hasher.hash('sign-ins', normalizeIp(address));
  }

  private after(seconds: number): Date {
    return new Date(this.clock.now().getTime() + seconds * 1_000);
  }
}
