import { Injectable } from '@nestjs/common';
import { CheckedTexts, CheckLog, Guards } from '../../guard/guard.api';
import type { Sender } from '../reply/generation-task';
import { textsOfTurn } from '../reply/guard-scope';
import type { Turn } from '../reply/stored-parts';

/** New input of a user or a client. */
export interface NewInput {
  /** The agent that answers; null: none. */
  agent: { id: number; name: string } | null;
  /** Null: the input starts a conversation, or belongs to none. */
  chatId: number | null;
  language: string | null;
  turns: readonly Pick<Turn, 'role' | 'content' | 'parts'>[];
  /** Instructions of the user and of the request. */
  instructions: readonly (string | null)[];
}

/** Checks new input before anything is stored. Call it only if `GuardPresence` says that guards exist. */
@Injectable()
export class InputGuard {
  constructor(
    private readonly guards: Guards,
    private readonly texts: CheckedTexts,
  ) {}

  /**
   * Turns before the last reply were probably sent before, so known findings are enough for them.
   *
   * @returns the checks, for the trace of the reply
   * @throws ContentBlockedError, GuardUnavailableError
   */
  async requireAllowed(sender: Sender, { agent, chatId, language, turns, instructions }: NewInput): Promise<CheckLog> {
    const { userId, apiKeyId, groupIds } = sender;
    const checks = new CheckLog();
    const scope = {
      ...{
        userId,
        apiKeyId,
        groupIds,
        agent: agent && { id: agent.id, name: agent.name },
        language,
        chatId,
        messageId: null,
      },
      record: checks.record,
    };
    const applied = this.guards.of('input', scope);
    if (applied.length > 0) {
      const lastReply = turns.findLastIndex(({ role }) => role === 'assistant');
      const given = instructions.filter((text) => text !== null);
      await this.texts.requireAllowed(applied, scope, [
        ...given.map((text) => ({ text, part: 'instructions' as const, isEarlier: true })),
        ...turns.flatMap((turn, index) =>
          textsOfTurn(turn).map((text) => ({ ...text, isEarlier: index <= lastReply })),
        ),
      ]);
    }
    return checks;
  }
}
