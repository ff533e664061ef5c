import type { BootstrapDto } from 'chat-service-client';

/** After this time, parts of the page request current data instead. */
const FRESH_MILLISECONDS = 30_000;

/** Data from the bootstrap response, for the parts of the page that show it first. */
export class PageStart {
  private readonly answeredAt = performance.now();

  constructor(private parts: Partial<BootstrapDto> = {}) {}

  /** Returns one part, once. If it is undefined, it must be requested. */
  take<Name extends keyof BootstrapDto>(name: Name): BootstrapDto[Name] | undefined {
    if (performance.now() - this.answeredAt > FRESH_MILLISECONDS) this.forget();
    const { [name]: part, ...others } = this.parts;
    this.parts = others;
    return part;
  }

  /** Discards the data, because something has changed since. */
  forget(): void {
    this.parts = {};
  }
}
