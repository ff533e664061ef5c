import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { NotRateLimited } from '../../../common/rate-limit/not-rate-limited.decorator';
import { Public } from '../../../common/security/access.decorator';
import { BrandingDto } from './branding.dto';
import { SettingsService } from './settings.service';

@ApiTags('Settings')
@Public()
@Controller('branding')
export class BrandingController {
  constructor(private readonly settings: SettingsService) {}

  @Get()
  @NotRateLimited()
  @ApiOperation({
    operationId: 'branding.read',
    summary: 'Retrieve the branding',
    description:
      'Returns the name and look of the installation, for pages before sign-in. Administrators change it with ' +
      '`PUT /admin/settings`.',
  })
  @ApiOkResponse({ type: BrandingDto })
  read(): Promise<BrandingDto> {
    return this.settings.branding();
  }
}
