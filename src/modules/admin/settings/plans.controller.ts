import { Body, Controller, Get, Injectable, Param, PipeTransform, Put, Query } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { Enveloped } from '../../../common/envelope/enveloped.decorator';
import { EnvelopedPageResponse, EnvelopedResponse } from '../../../common/envelope/enveloped-response.decorator';
import { Page, PageQueryDto } from '../../../common/envelope/page.dto';
import { InvalidParameterError } from '../../../common/errors/validation.errors';
import { AdminOnly } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { MEMBERSHIP_TYPES, type MembershipType } from '../../user/user.api';
import { PlanDto, UpdatePlanDto } from './plan.dto';
import { PlanAdministrationService } from './plan-administration.service';

/** Parses the path parameter that names a plan. Any other value is rejected with 400. */
@Injectable()
class MembershipTypePipe implements PipeTransform<string, MembershipType> {
  transform(value: string): MembershipType {
    const known = MEMBERSHIP_TYPES.find((type) => type === value);
    if (!known) {
      throw new InvalidParameterError([{ field: 'membership_type', reason: 'not_offered' }]);
    }
    return known;
  }
}

const PARAMETER = {
  name: 'membership_type',
  enum: MEMBERSHIP_TYPES,
  description: 'Name of the plan.',
  example: 'free',
};

@ApiTags('Money')
@AdminOnly()
@Enveloped()
@Controller('admin/plans')
export class PlansController {
  constructor(private readonly plans: PlanAdministrationService) {}

  @Get()
  @KeyScope('admin:read')
  @ApiOperation({
    operationId: 'admin.plans.list',
    summary: 'List plans',
    description: 'Limits of messages and tokens apply per UTC day; null means no limit.',
  })
  @EnvelopedPageResponse(PlanDto, { description: 'The plans, `free` first.' })
  list(@Query() query: PageQueryDto): Promise<Page<PlanDto>> {
    return this.plans.list(query);
  }

  @Get(':membership_type')
  @KeyScope('admin:read')
  @ApiOperation({
    operationId: 'admin.plans.read',
    summary: 'Retrieve a plan',
    description: 'Limits of messages and tokens apply per UTC day; null means no limit.',
  })
  @ApiParam(PARAMETER)
  @EnvelopedResponse(PlanDto)
  get(@Param('membership_type', MembershipTypePipe) type: MembershipType): Promise<PlanDto> {
    return this.plans.get(type);
  }

  @Put(':membership_type')
  @KeyScope('admin:write')
  @Enveloped('messages.settings_updated')
  @ApiOperation({
    operationId: 'admin.plans.update',
    summary: 'Update a plan',
    description: 'Applies to all users of the plan from their next message, within five seconds on every instance.',
  })
  @ApiParam(PARAMETER)
  @EnvelopedResponse(PlanDto)
  update(
    @Param('membership_type', MembershipTypePipe) type: MembershipType,
    @Body() body: UpdatePlanDto,
  ): Promise<PlanDto> {
    return this.plans.update(type, body);
  }
}
