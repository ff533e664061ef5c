import { Body, Controller, HttpCode, HttpStatus, Post, StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Enveloped } from '../../../common/envelope/enveloped.decorator';
import { AdminOnly } from '../../../common/security/access.decorator';
import { NoKeys } from '../../../common/security/key-scope.decorator';
import { CreateSupportBundleDto } from './support.dto';
import { SupportBundleService } from './support-bundle.service';

@ApiTags('Monitoring')
@AdminOnly()
@NoKeys()
@Enveloped()
@Controller('admin/support_bundle')
export class SupportController {
  constructor(private readonly bundles: SupportBundleService) {}

  @Post()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    operationId: 'admin.supportBundle.create',
    summary: 'Create a support bundle',
    description:
      'Returns a ZIP file of at most 20 MiB with state, configuration, metrics, failures and the last log lines of the ' +
      'responding instance. It contains no content, names, addresses, keys or tokens. API keys cannot call this route.',
  })
  @ApiOkResponse({
    description: 'The bundle.',
    content: { 'application/zip': { schema: { type: 'string', format: 'binary' }, example: 'PK …' } },
  })
  async create(@Body() { hours, reason }: CreateSupportBundleDto): Promise<StreamableFile> {
    const bundle = await this.bundles.create(hours, reason);
    return new StreamableFile(bundle, {
      type: 'application/zip',
      disposition: 'attachment; filename="support-bundle.zip"',
      length: bundle.length,
    });
  }
}
