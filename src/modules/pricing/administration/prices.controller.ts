import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Param, Post, Query } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Enveloped } from '../../../common/envelope/enveloped.decorator';
import { EnvelopedPageResponse, EnvelopedResponse } from '../../../common/envelope/enveloped-response.decorator';
import type { Page } from '../../../common/envelope/page.dto';
import { ApiErrors } from '../../../common/errors/api-errors.decorator';
import { LARGE_BODY_ERRORS } from '../../../common/http/body/body.guard';
import { BodyLimit, MostMembers, MostValues } from '../../../common/http/body/body-rules.decorator';
import { AdminOnly } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { IdPipe } from '../../../common/validation/id.pipe';
import { readBundledPrices } from '../import/bundled-prices';
import { BundledPricesDto } from '../import/bundled-prices.dto';
import { ImportPricesQueryDto, PriceImportDto } from '../import/price-import.dto';
import { PriceImportService } from '../import/price-import.service';
import { PriceInUseError, PriceNotFoundError } from '../pricing.errors';
import { CreatePriceDto, DeletedPriceDto, ListPricesQueryDto, PriceDto } from './price.dto';
import { PricesService } from './prices.service';

/** Size limit of a price file in bytes. */
const LARGEST_FILE = 20 * 1_048_576;

/** Most values in a file of that size, which consists only of short numbers. */
const MOST_VALUES = 2_000_000;

/** Most models in a file, or in one of its providers. */
const MOST_MODELS = 100_000;

const FILE = { openai: { models: { 'gpt-5': { cost: { input: 1.25, output: 10, cache_read: 0.125 } } } } };

@ApiTags('Money')
@AdminOnly()
@Enveloped()
@Controller('admin/prices')
export class PricesController {
  constructor(
    private readonly prices: PricesService,
    private readonly imports: PriceImportService,
  ) {}

  @Get()
  @KeyScope('admin:read')
  @ApiOperation({
    operationId: 'admin.prices.list',
    summary: 'List prices',
    description:
      'If several prices match, an exact name takes precedence over a prefix, and a longer prefix over a ' +
      'shorter one. Then a price of the provider takes precedence, then the latest valid price.',
  })
  @EnvelopedPageResponse(PriceDto)
  list(@Query() query: ListPricesQueryDto): Promise<Page<PriceDto>> {
    return this.prices.list(query);
  }

  @Post()
  @KeyScope('admin:write')
  @Enveloped('messages.created')
  @ApiOperation({
    operationId: 'admin.prices.create',
    summary: 'Add a price',
    description:
      'Applies to requests that start from `valid_from` on. Prices are immutable; to change one, add another.',
  })
  @EnvelopedResponse(PriceDto, { status: HttpStatus.CREATED })
  create(@Body() body: CreatePriceDto): Promise<PriceDto> {
    return this.prices.create(body);
  }

  @Get('bundled')
  @KeyScope('admin:read')
  @ApiOperation({
    operationId: 'admin.prices.bundled',
    summary: 'List bundled prices',
    description:
      'Returns the price list of this release as a file for the import, with its date. It is never applied ' +
      'automatically.',
  })
  @EnvelopedResponse(BundledPricesDto)
  bundled(): Promise<BundledPricesDto> {
    return readBundledPrices();
  }

  @Post('import')
  @BodyLimit(LARGEST_FILE)
  @MostValues(MOST_VALUES)
  @MostMembers(MOST_MODELS)
  @HttpCode(HttpStatus.OK)
  @KeyScope('admin:write')
  @ApiOperation({
    operationId: 'admin.prices.import',
    summary: 'Import prices',
    description:
      'The body is a price file in JSON, up to 20 MiB, and is imported completely or not at all. Prices apply ' +
      'from now on; unchanged prices add no row, and prices that are not whole millionths are skipped. With ' +
      '`rate`, converted prices are rounded half up to a millionth and marked `rounded`.',
  })
  @ApiBody({ schema: { type: 'object', additionalProperties: true, description: 'The price file.', example: FILE } })
  @EnvelopedResponse(PriceImportDto)
  @ApiErrors(...LARGE_BODY_ERRORS)
  import(@Query() query: ImportPricesQueryDto, @Body() file: object): Promise<PriceImportDto> {
    return this.imports.import(file, query);
  }

  @Delete(':id')
  @KeyScope('admin:write')
  @Enveloped('messages.deleted')
  @ApiOperation({
    operationId: 'admin.prices.remove',
    summary: 'Delete a price',
    description: 'Possible only until a request has used the price.',
  })
  @EnvelopedResponse(DeletedPriceDto)
  @ApiErrors(PriceNotFoundError, PriceInUseError)
  remove(@Param('id', IdPipe) id: number): Promise<DeletedPriceDto> {
    return this.prices.remove(id);
  }
}
