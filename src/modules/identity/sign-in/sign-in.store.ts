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

/** How long a person may be at the provider, and how long an address may take to be proved. */
export const SIGN_IN_SECONDS = 600;

/** How long a page may take to exchange the login code. */
const LOGIN_CODE_SECONDS = 60;

/** Sign-ins of one address that are under way at most. */
const MOST_OF_ADDRESS = 6_000;

/** Encrypts what a sign-in needs later. */
@Injectable()
export class SignInCipher extends TextCipher {
  constructor(serviceSecret: ServiceSecret) {
    super(serviceSecret.deriveAll('sign-ins'));
  }
}

/** Somebody who is signed in proves it once more, so that there is an ID token again. */
export interface Renewal {
  /** Where it is kept. */
  sessionId: number;
  /** What the page is told as `connected` when it was done. */
  connected: string;
}

/** What is kept until the browser comes back. */
export interface StartedProof extends SignInProof {
  /** Null: nobody links an identity. */
  linkingSession: number | null;
  /** Null: somebody signs in, or links an identity. */
  renewal: Renewal | null;
}

/** What is kept until the page comes. */
export interface ReturnedPerson extends Person {
  /** The session in which the identity is linked; null: nobody links one. */
  linkingSession: number | null;
}

/** What is known when somebody begins. */
export interface NewSignIn {
  providerId: number;
  /** What the browser got as a cookie. */
  browser: string;
  codeChallenge: string;
  returnTo: string;
  /** The client's. */
  address: string;
  /** The signed-in user who links an identity, or proves one once more; null: somebody signs in. */
  userId: number | null;
  proof: StartedProof;
}

/** The sign-ins under way. Each step spends what opened it, so that nothing opens twice. */
@Injectable()
export class SignInStore {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly cipher: SignInCipher,
    private readonly tokens: SignInTokens,
    private readonly hasher: AddressHasher,
  ) {}

  /** @throws RateLimitExceededError when the address has begun too many. */
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
   * Spends a sign-in that comes back from the provider: whatever happens then, its state opens nothing any more. Null when it
   * is not living.
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

  /** Null when another service secret has encrypted it. */
  proofOf({ sealed }: SignInEntity): StartedProof | null {
    return this.open<StartedProof>(sealed);
  }

  /** Keeps who the provider says the person is; answers the login code. */
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

  /** Within `Database.write`: keeps the person until a code has proved the address; answers the link token. */
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

  /** Within `Database.write`: locks a sign-in until the transaction ends. Null when it is not living. */
  async lock(manager: EntityManager, stage: 'returned' | 'linking', token: string): Promise<SignInEntity | null> {
    const row = await findLocked(manager, SignInEntity, { tokenHash: tokenHash(token), stage });
    return row && row.expiresAt > this.clock.now() ? row : null;
  }

  /** Like `lock`, without a lock. */
  async find(stage: 'returned' | 'linking', token: string): Promise<SignInEntity | null> {
    const row = await findRow(this.database.manager, SignInEntity, { tokenHash: tokenHash(token), stage });
    return row && row.expiresAt > this.clock.now() ? row : null;
  }

  /** Null when another service secret has encrypted it. */
  personOf({ sealed }: SignInEntity): Person | null {
    return this.open<Person>(sealed);
  }

  /** The session in which a returned person links the identity; null: in none. */
  linkingSessionOf({ sealed }: SignInEntity): number | null {
    return this.open<Partial<ReturnedPerson>>(sealed)?.linkingSession ?? null;
  }

  /** Within `Database.write`. */
  async remove(manager: EntityManager, { id }: SignInEntity): Promise<void> {
    await deleteRows(manager, SignInEntity, { id });
  }

  /**
   * Within `Database.write`: ends the sign-ins under way of people whom their provider signs out. It waits for one that a page
   * goes on with meanwhile, whose session or next step is found then.
   */
  async removeOf(manager: EntityManager, providerId: number, isSignedOut: (person: Person) => boolean): Promise<void> {
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

  /** Within `Database.write`: ends what is under way of a provider that goes. */
  async removeOfProvider(manager: EntityManager, providerId: number): Promise<void> {
    await deleteRows(manager, SignInEntity, { providerId });
  }

  /** Encrypts nothing anew: what was sealed with the previous secret lives ten minutes at most. */
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
