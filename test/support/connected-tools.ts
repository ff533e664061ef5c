import {
  ConnectionNeededError,
  type RegisteredTool,
  type ToolOrigin,
  ToolRegistry,
  type ToolSource,
} from '../../src/modules/tool/tool.api';
import type { TestApp } from './test-app';

/** Tools of an MCP server, without a server: the tool runs if its user has connected. */
export class ConnectedTools implements ToolSource {
  readonly label = 'mailbox';
  readonly name = 'mailbox__send';
  /** The scopes that the server requires first, by user; users who are not listed here are not connected. */
  readonly missing = new Map<number, string[]>();
  /** Whether this is detected before a call, and not by it. */
  isSeenBefore = false;
  readonly calls: unknown[] = [];

  static in({ app }: TestApp): ConnectedTools {
    const tools = new ConnectedTools();
    app.get(ToolRegistry).addSource(tools);
    return tools;
  }

  list(): Promise<RegisteredTool[]> {
    return Promise.resolve([this.toolFor(0)]);
  }

  find(name: string, userId: number | null): Promise<RegisteredTool | undefined> {
    return Promise.resolve(name === this.name ? this.toolFor(userId ?? 0) : undefined);
  }

  has(name: string): Promise<boolean> {
    return Promise.resolve(name === this.name);
  }

  originOf(name: string): Promise<ToolOrigin | null> {
    return Promise.resolve(name === this.name ? { source: this.label, name: 'send' } : null);
  }

  isConnected(label: string, userId: number, scopes: readonly string[]): Promise<boolean> {
    const missing = label === this.label ? this.missing.get(userId) : undefined;
    return Promise.resolve(missing !== undefined && !scopes.some((scope) => missing.includes(scope)));
  }

  private toolFor(userId: number): RegisteredTool {
    const { label, name } = this;
    const require = (): void => {
      const missing = this.missing.get(userId);
      if (missing === undefined || missing.length > 0) throw new ConnectionNeededError(label, missing ?? []);
    };
    return {
      name,
      description: 'Sends.',
      source: label,
      inputSchema: { type: 'object' },
      input: { '~standard': { vendor: 'test', validate: (value) => ({ value }) } },
      readOnly: false,
      idempotent: true,
      destructive: true,
      outside: true,
      timeoutSeconds: 60,
      served: {
        label,
        name: 'send',
        pin: 'a'.repeat(64),
        policy: 'auto',
        host: 'mail.example.com',
        faultIn: () => Promise.resolve(null),
        renew: () => Promise.resolve(this.isSeenBefore ? require() : undefined),
        holds: () => Promise.resolve(true),
      },
      call: (input) => {
        require();
        this.calls.push(input);
        return 'Sent.';
      },
    };
  }
}
