import { batch, computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { UserDto } from 'chat-service-client';

export type CurrentUser = UserDto;

/** A part of what the pages know that has something to end: requests, listeners, channels. */
interface Disposable {
  dispose: () => void;
}

/**
 * Everything that the pages know of the person who uses them, from their sign-in to their sign-out; the sign-in has visits
 * of nobody. No module keeps anything of people: what a page remembers beside its elements is a part of the visit.
 */
export class Visit {
  readonly user: Signal<CurrentUser | null>;
  /** Where they wanted to go who had to sign in first. */
  wantedPath = '/chat';
  private readonly parts = new Map<new (visit: Visit) => object, object>();

  constructor(
    user: CurrentUser | null,
    /** Who was there before; null: nobody. */
    readonly formerId: number | null = null,
  ) {
    this.user = signal(user);
  }

  get userId(): number | null {
    return this.user.peek()?.id ?? null;
  }

  /** One part, made when it is first asked for. */
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

/** The visit that is going on; the pages are drawn anew for each. */
export const presentVisit: ReadonlySignal<Visit> = present;

/** The same for what is done and not drawn. */
export function visit(): Visit {
  return present.peek();
}

/** Who is signed in; null for nobody, undefined until that is known. */
export const user = computed(() => (isKnown.value ? present.value.user.value : undefined));

export function isAdministrator(): boolean {
  return user.value?.user_type === 'admin';
}

/** Takes note of who is signed in. Returns whether somebody comes who is not the one before. */
export function receive(newcomer: CurrentUser | null): boolean {
  const before = present.peek();
  const isSame = before.userId === (newcomer?.id ?? null);
  batch(() => {
    isKnown.value = true;
    if (isSame) before.user.value = newcomer;
    else present.value = new Visit(newcomer, before.userId);
  });
  if (isSame) return false;
  before.dispose();
  const formerId = before.userId ?? before.formerId;
  const isOther = newcomer !== null && formerId !== null && formerId !== newcomer.id;
  if (newcomer && !isOther) present.peek().wantedPath = before.wantedPath;
  return isOther;
}
