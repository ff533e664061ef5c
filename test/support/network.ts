import type { CDPSession, Page } from 'playwright-core';

/** The network between a page and the service, emulated by the browser. */
export class Network {
  private constructor(
    private readonly page: Page,
    private readonly debuggee: CDPSession,
  ) {}

  static async of(page: Page): Promise<Network> {
    const debuggee = await page.context().newCDPSession(page);
    await debuggee.send('Network.enable');
    return new Network(page, debuggee);
  }

  /** 400 ms latency, 50 kB/s. */
  slow(): Promise<void> {
    return this.set(false, 400, 50 * 1_024);
  }

  /** Running downloads break off too, as soon as more data arrives. */
  async offline(): Promise<void> {
    await this.set(true, 0, -1);
    await this.page.waitForFunction('!navigator.onLine');
  }

  async online(): Promise<void> {
    await this.set(false, 0, -1);
    await this.page.waitForFunction('navigator.onLine');
  }

  /** Restores the network. */
  close(): Promise<void> {
    return this.debuggee.detach();
  }

  private async set(offline: boolean, latency: number, throughput: number): Promise<void> {
    await this.debuggee.send('Network.emulateNetworkConditions', {
      offline,
      latency,
      downloadThroughput: throughput,
      uploadThroughput: throughput,
    });
  }
}
