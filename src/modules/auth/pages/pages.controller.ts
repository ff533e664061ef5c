import { Body, Controller, Get, HttpCode, HttpStatus, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiErrors } from '../../../common/errors/api-errors.decorator';
import { Authenticated } from '../../../common/security/access.decorator';
import { NoKeys } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { FeaturePages } from './feature-pages';
import { CreatePageTokenDto, FeaturePageDto, PageTokenDto } from './page.dto';
import { PageNotFoundError } from './page.errors';

@ApiTags('Account')
@Authenticated()
@NoKeys()
@Controller('pages')
export class PagesController {
  constructor(private readonly pages: FeaturePages) {}

  @Get()
  @ApiOperation({
    operationId: 'pages.list',
    summary: 'List the pages of features',
    description: 'The console shows each page in a frame. Empty unless the installation has features with pages.',
  })
  @ApiOkResponse({ type: [FeaturePageDto] })
  list(@CurrentContext() { language }: RequestContext): FeaturePageDto[] {
    return this.pages.list(language);
  }

  @Post('token')
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    operationId: 'pages.createToken',
    summary: 'Create a token for a page',
    description: 'The token lives ten minutes, ends with the session, and opens only the routes of the feature.',
  })
  @ApiOkResponse({ type: PageTokenDto })
  @ApiErrors(PageNotFoundError)
  createToken(@CurrentContext() { principal }: RequestContext, @Body() { path }: CreatePageTokenDto): PageTokenDto {
    return this.pages.issueToken(principal, path);
  }
}
