import type { Message } from '../types';
import type { LiveReply } from './live-reply';

/** A message of the branch that is shown, and which of its versions it is. */
export interface BranchMessage {
  message: Message;
  /** All versions, the oldest first; this one is among them. */
  versions: Message[];
}

/** The current branch with the other versions of its messages. `messages` are of all branches, in the service's order. */
export function currentBranch(messages: Message[]): BranchMessage[] {
  const siblings = new Map<string, Message[]>();
  for (const message of messages) {
    const place = placeOf(message);
    siblings.set(place, [...(siblings.get(place) ?? []), message]);
  }
  return messages
    .filter(({ is_current }) => is_current)
    .map((message) => ({
      message,
      versions: (siblings.get(placeOf(message)) ?? []).toSorted((one, other) => one.id - other.id),
    }));
}

/** The branch as far as it is shown beside a reply that is being written. */
export function branchBeside(branch: BranchMessage[], live: LiveReply | null): BranchMessage[] {
  if (!live) return branch;
  const end = live.replaces === null ? -1 : branch.findIndex(({ message }) => message.id === live.replaces);
  const shown = end === -1 ? branch : branch.slice(0, end);
  return shown.filter(({ message }) => !live.shows(message));
}

function placeOf({ role, parent_id }: Message): string {
  return `${role} ${parent_id}`;
}

/** Messages that were read anew replace their earlier state; new ones come last. */
export function mergeMessages(known: Message[], read: Message[]): Message[] {
  const byId = new Map(read.map((message) => [message.id, message]));
  const kept = known.map((message) => {
    const newer = byId.get(message.id) ?? message;
    byId.delete(message.id);
    return newer;
  });
  return [...kept, ...byId.values()];
}
