import type { Message } from '../types';
import type { LiveReply } from './live-reply';

/** A message of the current branch, with its versions. */
export interface BranchMessage {
  message: Message;
  /** All versions including this one, oldest first. */
  versions: Message[];
}

/** The current branch with all versions of its messages. `messages` contains all branches, in the service's order. */
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

/** The part of the branch that stays on screen while a reply is being written. */
export function branchBeside(branch: BranchMessage[], live: LiveReply | null): BranchMessage[] {
  if (!live) return branch;
  const end = live.replaces === null ? -1 : branch.findIndex(({ message }) => message.id === live.replaces);
  const shown = end === -1 ? branch : branch.slice(0, end);
  return shown.filter(({ message }) => !live.shows(message));
}

function placeOf({ role, parent_id }: Message): string {
  return `${role} ${parent_id}`;
}

/** Reloaded messages replace their earlier state. New ones come last. */
export function mergeMessages(known: Message[], read: Message[]): Message[] {
  const byId = new Map(read.map((message) => [message.id, message]));
  const kept = known.map((message) => {
    const newer = byId.get(message.id) ?? message;
    byId.delete(message.id);
    return newer;
  });
  return [...kept, ...byId.values()];
}
