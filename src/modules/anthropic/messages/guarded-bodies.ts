import { Injectable } from '@nestjs/common';
import type { RequestContext } from '../../../common/security/request-context';
import type { Agent } from '../../agent/agent.api';
import type { GuardedInput } from '../../generation/generation.api';
import { CheckedTexts, ContentBlockedError, type GuardCheck, Guards, Masks } from '../../guard/guard.api';
import { textsOfBody } from './body-texts';
import type { MessageBody } from './message-request';

/** A body whose texts guards have checked. */
export interface GuardedBody {
  /** With masks. The same object if nothing was masked. */
  body: MessageBody;
  /** Absent: no guard checks the input. */
  guarded?: GuardedInput;
}

/** Checks bodies that providers get as the client wrote them. */
@Injectable()
export class GuardedBodies {
  constructor(
    private readonly guards: Guards,
    private readonly texts: CheckedTexts,
  ) {}

  /** @throws ContentBlockedError, GuardUnavailableError */
  async guard({ principal }: RequestContext, body: MessageBody, { id, name }: Agent): Promise<GuardedBody> {
    if (!this.guards.hasAny) {
      return { body };
    }
    const { userId, apiKeyId, groupIds, language } = principal;
    const checks: GuardCheck[] = [];
    const scope = {
      ...{ userId, apiKeyId, groupIds, agent: { id, name }, language, chatId: null, messageId: null },
      record: (check: GuardCheck) => checks.push(check),
    };
    const applied = this.guards.of('input', scope);
    const masks = new Masks();
    if (applied.length === 0) {
      return { body, guarded: { masks, checks } };
    }
    const found = textsOfBody(body);
    await this.texts.requireAllowed(applied, scope, found, masks);
    const masked = await this.texts.mask(applied, scope, masks, 'input', found);
    const changed = found.map(({ text }, index) => masked[index]?.text !== text);
    const sealed = found.findIndex(({ isSealed }, index) => isSealed && changed[index]);
    if (sealed >= 0) {
      // The provider refuses thinking that differs from its signature.
      throw new ContentBlockedError(applied[0]?.name ?? '', 'input', {});
    }
    if (!changed.includes(true)) {
      return { body, guarded: { masks, checks } };
    }
    const copy = structuredClone(body);
    textsOfBody(copy).forEach(({ replace }, index) => replace(masked[index]?.text ?? ''));
    return { body: copy, guarded: { masks, checks } };
  }
}
