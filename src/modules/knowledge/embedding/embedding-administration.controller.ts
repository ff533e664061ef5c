import { Body, Controller, Delete, Get, Put } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Enveloped } from '../../../common/envelope/enveloped.decorator';
import { EnvelopedResponse } from '../../../common/envelope/enveloped-response.decorator';
import { ApiErrors } from '../../../common/errors/api-errors.decorator';
import { AdminOnly } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { EmbeddingChangeRunningError, EmbeddingProviderUnusableError } from './embedding.errors';
import { EmbeddingAdministrationService } from './embedding-administration.service';
import { EmbeddingCostDto, EmbeddingModelDto, UpdateEmbeddingModelDto } from './embedding-model.dto';

@ApiTags('Knowledge administration')
@AdminOnly()
@Enveloped()
@Controller('admin/knowledge/embedding')
export class EmbeddingAdministrationController {
  constructor(private readonly administration: EmbeddingAdministrationService) {}

  @Get()
  @KeyScope('admin:read')
  @ApiOperation({
    operationId: 'admin.embedding.read',
    summary: 'Retrieve the embedding model',
    description: 'While vectors of another model are made, searches use the current one.',
  })
  @EnvelopedResponse(EmbeddingModelDto)
  read(): Promise<EmbeddingModelDto> {
    return this.administration.describe();
  }

  @Put()
  @KeyScope('admin:write')
  @Enveloped('messages.updated')
  @ApiOperation({
    operationId: 'admin.embedding.update',
    summary: 'Change the embedding model',
    description:
      'Makes the vectors of all passages in the background, at your cost, and then switches all searches at once. ' +
      'With `dry_run`, it only returns the cost. With the current model, it makes the vectors that are missing.',
  })
  @EnvelopedResponse([EmbeddingModelDto, EmbeddingCostDto])
  @ApiErrors(EmbeddingProviderUnusableError, EmbeddingChangeRunningError)
  async update(
    @CurrentContext() { principal }: RequestContext,
    @Body() { provider, model, dimensions = null, dry_run: isTrial = false }: UpdateEmbeddingModelDto,
  ): Promise<EmbeddingModelDto | EmbeddingCostDto> {
    const wanted = { provider, model, dimensions };
    if (isTrial) {
      return this.administration.estimate(wanted);
    }
    await this.administration.change(wanted, principal.userId);
    return this.administration.describe();
  }

  @Delete()
  @KeyScope('admin:write')
  @Enveloped('messages.deleted')
  @ApiOperation({
    operationId: 'admin.embedding.remove',
    summary: 'Delete the embedding model',
    description: 'Erases all vectors and stops a change that runs. Keyword search stays.',
  })
  @EnvelopedResponse(EmbeddingModelDto)
  async remove(): Promise<EmbeddingModelDto> {
    await this.administration.remove();
    return this.administration.describe();
  }
}
