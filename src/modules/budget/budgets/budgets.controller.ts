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
import { BudgetAdministrationService } from './budget-administration.service';
import { CreateBudgetDto, UpdateBudgetDto } from './budget-body.dto';
import { toUnpricedModelDto, UnpricedModelDto } from './unpriced-model.dto';
import { UnpricedModels } from './unpriced-models';

@ApiTags('Admin: settings')
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
    description: 'In the order in which they were made, with what is spent and held in the present window of each.',
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
      'Models that active agents ask first and that have no price. Their cost is unknown, so no budget counts it, and hard ' +
      'budgets refuse them with 429 `MODEL_NOT_PRICED`. Add a price with POST /admin/prices.',
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
    summary: 'Make a budget',
    description:
      'It counts from the next request, on every instance within five seconds. A budget is shared by all whom its scope ' +
      'concerns; with `each_user`, every user has the limit alone. Of several budgets each is charged.',
  })
  @EnvelopedResponse(BudgetDto, { status: HttpStatus.CREATED })
  create(@Body() body: CreateBudgetDto): Promise<BudgetDto> {
    return this.budgets.create(body);
  }

  @Get(':id')
  @KeyScope('admin:read')
  @ApiOperation({
    operationId: 'admin.budgets.read',
    summary: 'Read a budget',
    description: 'With what is spent and held in its present window.',
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
    summary: 'Change a budget',
    description: 'Limit, mode, thresholds and note; scope and window stay. Running replies keep what they hold.',
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
    summary: 'Begin a budget anew',
    description:
      'Sets what is spent in the present window to 0. What running requests hold stays held, and is spent when they end. ' +
      'Thresholds are told again.',
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
    description: 'It refuses nothing any more; what running requests hold of it is dropped.',
  })
  @EnvelopedResponse(DeletedBudgetDto)
  @ApiErrors(BudgetNotFoundError)
  remove(@Param('id', IdPipe) id: number): Promise<DeletedBudgetDto> {
    return this.budgets.remove(id);
  }
}
