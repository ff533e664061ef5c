import { Injectable } from '@nestjs/common';
import type { RequestContext } from '../../../common/security/request-context';
import type { Agent } from '../../agent/agent.api';
import {
  type AppliedGuard,
  CheckedTexts,
  CheckLog,
  ContentBlockedError,
  Guards,
  type GuardScope,
  Masks,
} from '../../guard/guard.api';
import { textsOfBody } from './body-texts';
import type { MessageBody } from './message-request';

/** Guards of a body, and what it belongs to. */
interface BodyGuards {
  guards: readonly AppliedGuard[];
  scope: GuardScope;
  log: CheckLog;
}

/** Checks bodies that providers get in the client's own form. */
@Injectable()
export class GuardedBodies {
  constructor(
    private readonly guards: Guards,
    private readonly texts: CheckedTexts,
  ) {}

  /**
   * Checks a body before the reply starts.
   *
   * @returns the checks. Absent: no guard exists
   * @throws ContentBlockedError, GuardUnavailableError
   */
  async check(context: RequestContext, body: MessageBody, agent: Agent): Promise<CheckLog | undefined> {
    if (!this.guards.hasAny) {
      return undefined;
    }
    const order = this.guardsOf(context, agent);
    if (order.guards.length > 0) {
      await this.requireAllowed(order, body);
    }
    return order.log;
  }

  /** The body as guards leave it, for a request that starts no reply. @throws ContentBlockedError, GuardUnavailableError */
  async masked(context: RequestContext, body: MessageBody, agent: Agent): Promise<MessageBody> {
    const order = this.guardsOf(context, agent);
    if (!this.guards.hasAny || order.guards.length === 0) {
      return body;
    }
    await this.requireAllowed(order, body);
    const copy = structuredClone(body);
    const found = textsOfBody(copy);
    const masked = await this.texts.mask(order.guards, order.scope, new Masks(), 'input', found);
    const isChanged = found.map(({ text }, index) => masked[index]?.text !== text);
    found.forEach(({ replace }, index) => isChanged[index] && replace(masked[index]?.text ?? ''));
    return isChanged.includes(true) ? copy : body;
  }

  private guardsOf({ principal }: RequestContext, { id, name }: Agent): BodyGuards {
    const { userId, apiKeyId, groupIds, language } = principal;
    const log = new CheckLog();
    const place = { agent: { id, name }, language, chatId: null, messageId: null };
    const scope = { userId, apiKeyId, groupIds, ...place, record: log.record };
    return { guards: this.guards.of('input', scope), scope, log };
  }

  private async requireAllowed({ guards, scope }: BodyGuards, body: MessageBody): Promise<void> {
    const found = textsOfBody(body);
    await this.texts.requireAllowed(guards, scope, found);
    // A provider refuses thinking that differs from its signature, so it cannot be masked.
    const sealed = found.filter(({ isSealed }) => isSealed);
    const masked = sealed.length === 0 ? [] : await this.texts.mask(guards, scope, new Masks(), 'input', sealed);
    // Masks that a model has written in its thinking are escaped, and that is no finding.
    const none = new Masks();
    if (masked.some(({ text }, index) => text !== none.apply(sealed[index]?.text ?? '', []))) {
      throw new ContentBlockedError(guards[0]?.name ?? '', 'input', {});
    }
  }
}
