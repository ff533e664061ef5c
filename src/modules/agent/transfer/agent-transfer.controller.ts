import { Body, Controller, Get, HttpCode, HttpStatus, Post, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { isObject } from 'class-validator';
import { Enveloped } from '../../../common/envelope/enveloped.decorator';
import { EnvelopedResponse } from '../../../common/envelope/enveloped-response.decorator';
import { ApiErrors } from '../../../common/errors/api-errors.decorator';
import { LARGE_BODY_ERRORS } from '../../../common/http/body/body.guard';
import { BodyLimit, RewriteBody } from '../../../common/http/body/body-rules.decorator';
import { AdminOnly } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { AgentNameTakenError } from '../catalogue/agent.errors';
import { AgentDocumentDto, ImportAgentsDto, ImportAgentsQueryDto, ImportReportDto } from './agent-document.dto';
import { AgentTransferService } from './agent-transfer.service';

/** Size limit of a document in bytes. The number of its values is limited too, as for any body. */
const LARGEST_IMPORT = 10_485_760;

@ApiTags('Agents and models')
@AdminOnly()
@KeyScope('agents:write')
@Controller('agents')
export class AgentTransferController {
  constructor(private readonly transfer: AgentTransferService) {}

  @Get('export')
  @Enveloped()
  @ApiOperation({
    operationId: 'agents.export',
    summary: 'Export agents',
    description:
      'Returns all agents without ids and times, always in the same order, so that `data` can be kept under ' +
      'version control.',
  })
  @EnvelopedResponse(AgentDocumentDto)
  export(): Promise<AgentDocumentDto> {
    return this.transfer.export();
  }

  @Post('import')
  @BodyLimit(LARGEST_IMPORT)
  @HttpCode(HttpStatus.OK)
  @RewriteBody(fromExportedAnswer)
  @Enveloped(({ created, updated, removed }: ImportReportDto) =>
    created + updated + removed === 0 ? 'messages.agents_unchanged' : 'messages.agents_imported',
  )
  @ApiOperation({
    operationId: 'agents.import',
    summary: 'Import agents',
    description:
      'Accepts an export or its `data`, up to 10 MiB and 20,000 values; send a larger one in parts with ' +
      '`mode=merge`. Agents are matched by name, and an invalid document changes nothing (422). Agents are ' +
      'written in batches: if the import is interrupted, send it again.',
  })
  @EnvelopedResponse(ImportReportDto)
  @ApiErrors(AgentNameTakenError, ...LARGE_BODY_ERRORS)
  import(
    @CurrentContext() { principal }: RequestContext,
    @Query() { mode }: ImportAgentsQueryDto,
    @Body() { agents }: ImportAgentsDto,
  ): Promise<ImportReportDto> {
    return this.transfer.import(principal.userId, agents, mode);
  }
}

/** The parts of the export's response that matter here. */
interface ExportedAnswer {
  data?: unknown;
  agents?: unknown;
  lang?: unknown;
}

/**
 * Also accepts the whole response of the export, because files usually contain it, and takes the document from `data`.
 */
function fromExportedAnswer(body: unknown): unknown {
  return isObject<ExportedAnswer>(body) && body.agents === undefined && isObject<object>(body.data)
    ? { lang: body.lang, ...body.data }
    : body;
}
