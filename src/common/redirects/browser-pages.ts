import { Injectable } from '@nestjs/common';

interface BrowserPage {
  path: RegExp;
  returnPage: (query: URLSearchParams) => string | null;
}

/**
 * The routes that browsers open as pages. A request that is refused for overload reaches no filter, so the routes are
 * listed here for it. Modules add theirs when the service starts.
 */
@Injectable()
export class BrowserPages {
  private readonly pages: BrowserPage[] = [];

  /**
   * @param path matches the path of the route
   * @param returnPage the page that a failure redirects to; null: a plain page with the message
   */
  add(path: RegExp, returnPage: BrowserPage['returnPage'] = () => null): void {
    this.pages.push({ path, returnPage });
  }

  /** The page that a failure of this request redirects to, null for a plain page. Undefined for other routes. */
  returnPageOf(url: string): string | null | undefined {
    const [path = '', query] = url.split('?', 2);
    return this.pages.find((page) => page.path.test(path))?.returnPage(new URLSearchParams(query));
  }
}
