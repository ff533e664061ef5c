import { Injectable } from '@nestjs/common';
import { Page, PageQueryDto, partOf, toPage } from '../../../common/envelope/page.dto';
import { ValidationFailedError } from '../../../common/errors/validation.errors';
import { DomainEvents } from '../../../common/events/domain-events';
import { Database } from '../../../database/database';
import { PlanService } from '../../usage/usage.api';
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
    const { messages_per_day: messagesPerDay, tokens_per_day: tokensPerDay, storage_bytes: storageBytes } = body;
    if ([messagesPerDay, tokensPerDay, storageBytes].every((limit) => limit === undefined)) {
      throw ValidationFailedError.of('body', 'nothing_to_change');
    }
    return this.database.write(async (manager) => {
      const before = await this.plans.lock(manager, type);
      const after = await this.plans.update(manager, type, {
        ...(messagesPerDay !== undefined && { messagesPerDay }),
        ...(tokensPerDay !== undefined && { tokensPerDay }),
        ...(storageBytes !== undefined && { storageBytes }),
      });
      await this.events.publish(manager, planAudit.change('update', { id: type, userId: null, before, after }));
      return toPlanDto(after);
    });
  }
}
