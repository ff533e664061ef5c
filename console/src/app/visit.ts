import { batch, computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { UserDto } from 'chat-service-client';
import { PageStart } from './page-start';

export type CurrentUser = UserDto;

/** A part of a visit that must be cleaned up: requests, listeners, channels. */
interface Disposable {
  dispose: () => void;
}

/**
 * All client state of one user, from sign-in to sign-out. On the sign-in pages, the visit has no user. Modules keep no
 * state of users: what a page remembers outside its elements is a part of the visit.
 */
export class Visit {
  readonly user: Signal<CurrentUser | null>;
  /** The path requested before the sign-in. */
  wantedPath = '/chat';
  private readonly parts = new Map<new (visit: Visit) => object, object>();

  constructor(
    user: CurrentUser | null,
    /** The previous user; null if there was none. */
    readonly formerId: number | null = null,
    readonly start = new PageStart(),
  ) {
    this.user = signal(user);
  }

  get userId(): number | null {
    return this.user.peek()?.id ?? null;
  }

  /** Returns one part, created on first use. */
  part<Part extends object>(make: new (visit: Visit) => Part): Part {
    const part = this.parts.get(make) ?? new make(this);
    this.parts.set(make, part);
    return part as Part;
  }

  dispose(): void {
    this.parts.forEach((part) => isDisposable(part) && part.dispose());
  }
}

function isDisposable(part: object): part is Disposable {
  return 'dispose' in part;
}

const present = signal(new Visit(null));
const isKnown = signal(false);

/** The current visit. The pages render from scratch for each visit. */
export const presentVisit: ReadonlySignal<Visit> = present;

/** The current visit, for code outside of rendering. */
export function visit(): Visit {
  return present.peek();
}

/** The signed-in user; null if signed out, undefined until known. */
export const user = computed(() => (isKnown.value ? present.value.user.value : undefined));

export function isAdministrator(): boolean {
  return user.value?.user_type === 'admin';
}

/**
 * Sets the signed-in user and the data the page was loaded with. Returns whether a different user has replaced the
 * previous one.
 */
export function receive(newcomer: CurrentUser | null, start?: PageStart): boolean {
  const before = present.peek();
  const isSame = before.userId === (newcomer?.id ?? null);
  batch(() => {
    isKnown.value = true;
    if (isSame) before.user.value = newcomer;
    else present.value = new Visit(newcomer, before.userId, start);
  });
  if (isSame) return false;
  before.dispose();
  const formerId = before.userId ?? before.formerId;
  const isOther = newcomer !== null && formerId !== null && formerId !== newcomer.id;
  if (newcomer && !isOther) present.peek().wantedPath = before.wantedPath;
  return isOther;
}
