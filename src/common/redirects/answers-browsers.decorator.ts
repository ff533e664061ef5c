import { applyDecorators, type Type, UseFilters } from '@nestjs/common';
import { AcceptsAnyType } from '../http/body/body-rules.decorator';
import { BrowserPageFilter } from './browser-page.filter';

/** For a route that browsers open as a page: it accepts any `Accept`, and failures are redirects. */
export const AnswersBrowsers = (filter: Type<BrowserPageFilter> = BrowserPageFilter): MethodDecorator =>
  applyDecorators(UseFilters(filter), AcceptsAnyType(true));
