import { branchBeside, currentBranch, mergeMessages } from '../../console/src/pages/chat/state/open-chat/branch';
import { LiveReply } from '../../console/src/pages/chat/state/open-chat/live-reply';
import { messageOf } from './chats';

const idsOf = (messages: { id: number }[]): number[] => messages.map(({ id }) => id);

/** A question with two wordings, of which the second is current. It has two replies, of which the first is current. */
const MESSAGES = [
  messageOf(1, 'user', null, { is_current: false }),
  messageOf(2, 'assistant', 1, { is_current: false }),
  messageOf(3, 'user', null),
  messageOf(4, 'assistant', 3),
  messageOf(5, 'assistant', 3, { is_current: false }),
  messageOf(6, 'user', 4),
  messageOf(7, 'assistant', 6),
];

describe('the branch of a chat', () => {
  const branch = currentBranch(MESSAGES);
  const shownBeside = (live: LiveReply | null) => branchBeside(branch, live).map(({ message }) => message.id);

  it('has the current messages in order, each with its versions, oldest first', () => {
    expect(branch.map(({ message, versions }) => [message.id, idsOf(versions)])).toEqual([
      [3, [1, 3]],
      [4, [4, 5]],
      [6, [6]],
      [7, [7]],
    ]);
  });

  it('distinguishes versions of a reply from those of a message with the same parent', () => {
    const twins = [messageOf(1, 'user', null), messageOf(2, 'assistant', null)];
    expect(currentBranch(twins).map(({ versions }) => idsOf(versions))).toEqual([[1], [2]]);
  });

  it('is shown in full with a reply to a new message, without the parts that the reply replaces', () => {
    const live = new LiveReply(1, 'more', null);
    expect(shownBeside(live)).toEqual([3, 4, 6, 7]);
    live.messageId.value = 7;
    live.userMessageId = 6;
    expect(shownBeside(live)).toEqual([3, 4]);
  });

  it('ends before the message that is replaced', () => {
    expect(shownBeside(new LiveReply(1, 'another wording', 6))).toEqual([3, 4]);
    expect(shownBeside(new LiveReply(1, null, 4))).toEqual([3]);
  });

  it('is complete without a reply, and with one that replaces a missing message', () => {
    expect(shownBeside(null)).toEqual([3, 4, 6, 7]);
    expect(shownBeside(new LiveReply(1, null, 99))).toEqual([3, 4, 6, 7]);
  });
});

describe('messages that were loaded again', () => {
  it('replace their earlier state, and new ones are last', () => {
    const read = [messageOf(4, 'assistant', 3, { content: 'changed' }), messageOf(8, 'user', 7)];
    const merged = mergeMessages(MESSAGES, read);
    expect(idsOf(merged)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(merged[3]?.content).toBe('changed');
    expect(MESSAGES[3]?.content).toBe('assistant 4');
  });
});
