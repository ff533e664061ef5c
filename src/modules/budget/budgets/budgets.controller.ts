import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Param, Post, Put, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Enveloped } from '../../../common/envelope/enveloped.decorator';
import {
  EnvelopedListResponse,
  EnvelopedPageResponse,
  EnvelopedResponse,
} from '../../../common/envelope/enveloped-response.decorator';
import { Page } from '../../../common/envelope/page.dto';
import { ApiErrors } from '../../../common/errors/api-errors.decorator';
import { AdminOnly } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { IdPipe } from '../../../common/validation/id.pipe';
import { BudgetNotFoundError } from '../budget.errors';
import { BudgetDto, DeletedBudgetDto, ListBudgetsQueryDto } from './budget.dto';
import { toUnpricedModelDto, UnpricedModelDto } from './budget.dto';
import { BudgetAdministrationService } from './budget-administration.service';
import { CreateBudgetDto, UpdateBudgetDto } from './budget-body.dto';
import { UnpricedModels } from './unpriced-models';

@ApiTags('Money')
@AdminOnly()
@Enveloped()
@Controller('admin/budgets')
export class BudgetsController {
  constructor(
    private readonly budgets: BudgetAdministrationService,
    private readonly unpriced: UnpricedModels,
  ) {}

  @Get()
  @KeyScope('admin:read')
  @ApiOperation({
    operationId: 'admin.budgets.list',
    summary: 'List budgets',
    description: 'Returns budgets in order of creation, with the amounts spent and held in the current window.',
  })
  @EnvelopedPageResponse(BudgetDto)
  list(@Query() query: ListBudgetsQueryDto): Promise<Page<BudgetDto>> {
    return this.budgets.find(query);
  }

  @Get('unpriced_models')
  @KeyScope('admin:read')
  @ApiOperation({
    operationId: 'admin.budgets.unpricedModels',
    summary: 'List models without a price',
    description:
      'Returns models without a price that active agents call first. Their cost is unknown, so no budget counts ' +
      'it, and hard budgets refuse them with 429 `MODEL_NOT_PRICED`. Add a price with `POST /admin/prices`.',
  })
  @EnvelopedListResponse(UnpricedModelDto)
  async unpricedModels(): Promise<UnpricedModelDto[]> {
    return (await this.unpriced.find()).map(toUnpricedModelDto);
  }

  @Post()
  @KeyScope('admin:write')
  @Enveloped('messages.created')
  @ApiOperation({
    operationId: 'admin.budgets.create',
    summary: 'Create a budget',
    description:
      'Takes effect with the next request, within five seconds on every instance. All users in the scope ' +
      'share the limit; with `each_user`, each user has the whole limit. If several budgets apply, each is ' +
      'charged.',
  })
  @EnvelopedResponse(BudgetDto, { status: HttpStatus.CREATED })
  create(@Body() body: CreateBudgetDto): Promise<BudgetDto> {
    return this.budgets.create(body);
  }

  @Get(':id')
  @KeyScope('admin:read')
  @ApiOperation({
    operationId: 'admin.budgets.read',
    summary: 'Retrieve a budget',
    description: 'Returns the amounts spent and held in the current window.',
  })
  @EnvelopedResponse(BudgetDto)
  @ApiErrors(BudgetNotFoundError)
  get(@Param('id', IdPipe) id: number): Promise<BudgetDto> {
    return this.budgets.get(id);
  }

  @Put(':id')
  @KeyScope('admin:write')
  @Enveloped('messages.updated')
  @ApiOperation({
    operationId: 'admin.budgets.update',
    summary: 'Update a budget',
    description:
      'Changes limit, mode, thresholds and note; scope and window cannot change. Running replies keep what ' +
      'they hold.',
  })
  @EnvelopedResponse(BudgetDto)
  @ApiErrors(BudgetNotFoundError)
  update(@Param('id', IdPipe) id: number, @Body() body: UpdateBudgetDto): Promise<BudgetDto> {
    return this.budgets.update(id, body);
  }

  @Post(':id/reset')
  @HttpCode(HttpStatus.OK)
  @KeyScope('admin:write')
  @Enveloped('messages.budget_reset')
  @ApiOperation({
    operationId: 'admin.budgets.reset',
    summary: 'Reset a budget',
    description:
      'Sets the amount spent in the current window to 0, and allows its alerts to be sent again. Amounts held ' +
      'by running requests stay held, and are charged when the requests end.',
  })
  @EnvelopedResponse(BudgetDto)
  @ApiErrors(BudgetNotFoundError)
  reset(@Param('id', IdPipe) id: number): Promise<BudgetDto> {
    return this.budgets.reset(id);
  }

  @Delete(':id')
  @KeyScope('admin:write')
  @Enveloped('messages.deleted')
  @ApiOperation({
    operationId: 'admin.budgets.remove',
    summary: 'Delete a budget',
    description: 'The budget no longer refuses requests, and amounts held by running requests are released.',
  })
  @EnvelopedResponse(DeletedBudgetDto)
  @ApiErrors(BudgetNotFoundError)
  remove(@Param('id', IdPipe) id: number): Promise<DeletedBudgetDto> {
    return this.budgets.remove(id);
  }
}
