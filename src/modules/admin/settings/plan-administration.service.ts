import { Injectable } from '@nestjs/common';
import { Page, PageQueryDto, partOf, toPage } from '../../../common/envelope/page.dto';
import { ValidationFailedError } from '../../../common/errors/validation.errors';
import { DomainEvents } from '../../../common/events/domain-events';
import { Database } from '../../../database/database';
import { type PlanLimits, PlanService } from '../../usage/usage.api';
import { MembershipType } from '../../user/user.api';
import { planAudit } from '../admin.audit';
import { PlanDto, toPlanDto, UpdatePlanDto } from './plan.dto';

/** Shows and changes plans. */
@Injectable()
export class PlanAdministrationService {
  constructor(
    private readonly database: Database,
    private readonly plans: PlanService,
    private readonly events: DomainEvents,
  ) {}

  async list(query: PageQueryDto): Promise<Page<PlanDto>> {
    const plans = await this.plans.list();
    const { offset, limit } = partOf(query);
    return toPage(plans.slice(offset, offset + limit).map(toPlanDto), plans.length, query);
  }

  async get(type: MembershipType): Promise<PlanDto> {
    return toPlanDto(await this.plans.get(type));
  }

  /** The change applies from the next message, on other instances within five seconds. @throws ValidationFailedError */
  async update(type: MembershipType, body: UpdatePlanDto): Promise<PlanDto> {
    const limits: PlanLimits = {
      ...(body.messages_per_day !== undefined && { messagesPerDay: body.messages_per_day }),
      ...(body.tokens_per_day !== undefined && { tokensPerDay: body.tokens_per_day }),
      ...(body.storage_bytes !== undefined && { storageBytes: body.storage_bytes }),
      ...(body.embedding_tokens !== undefined && { embeddingTokens: body.embedding_tokens }),
    };
    if (Object.keys(limits).length === 0) {
      throw ValidationFailedError.of('body', 'nothing_to_change');
    }
    return this.database.write(async (manager) => {
      const before = await this.plans.lock(manager, type);
      const after = await this.plans.update(manager, type, limits);
      await this.events.publish(manager, planAudit.change('update', { id: type, userId: null, before, after }));
      return toPlanDto(after);
    });
  }
}
