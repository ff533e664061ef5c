import { AsyncLocalStorage } from 'node:async_hooks';
import type { Server } from 'node:http';
import { BackgroundLoop } from '../../src/common/background/background-loop';
import { Database } from '../../src/database/database';
import { PolledValues } from '../../src/database/polled-values';
import { ReplyTables } from '../../src/modules/generation/reply/reply-origin';
import { ReplyRegistry } from '../../src/modules/generation/reply/reply-registry';
import { ReplyFlusher } from '../../src/modules/generation/running/reply-flusher';
import { ReplyRunner } from '../../src/modules/generation/running/reply-runner';
import { eventually } from './eventually';
import type { TestApp } from './test-app';

/** The statements of one transaction, or one statement outside of all transactions. */
interface Block {
  isTransaction: boolean;
  isOver: boolean;
  statements: string[];
}

/** A request, or the writing of a reply: its statements have an order of their own. */
interface Flow {
  title: 'request' | 'reply';
  blocks: Block[];
}

/** The flow and the transaction of the current work. */
interface Place {
  flow: Flow;
  transaction: Block | null;
}

/**
 * Records the statements of a request and of the work that it starts, by their asynchronous context. Background loops do not
 * appear. What depends on the speed of the machine is disabled: caches do not expire, and no timer saves running replies.
 */
export class StatementLog {
  private readonly places = new AsyncLocalStorage<Place>();
  private flows: Flow[] | null = null;
  private openWrites = 0;

  private constructor(private readonly app: Pick<TestApp, 'app'>) {}

  /** For one test: jest restores afterwards what this replaces. */
  static of({ app }: TestApp): StatementLog {
    const log = new StatementLog({ app });
    log.followRequests(app.getHttpServer());
    log.followTransactions(app.get(Database));
    jest.spyOn(app.get(Database).manager.dataSource.logger, 'logQuery').mockImplementation((sql) => log.take(sql));
    const present = performance.now();
    jest.spyOn(performance, 'now').mockReturnValue(present);
    jest.spyOn(app.get(ReplyFlusher), 'watch').mockReturnValue();
    return log;
  }

  /** The statements of the requests that `work` sends, one a line, until their replies have ended. */
  async record(work: () => Promise<unknown>): Promise<string> {
    const flows: Flow[] = [];
    this.flows = flows;
    try {
      await work();
      await this.atRest();
    } finally {
      this.flows = null;
    }
    return flows.map(({ title, blocks }) => `== ${title}\n${blocks.map(textOf).join('')}`).join('');
  }

  private followRequests(server: Server): void {
    const emit = server.emit.bind(server);
    jest
      .spyOn(server, 'emit')
      .mockImplementation((event: string, ...rest: unknown[]) =>
        event === 'request' ? this.begin('request', () => emit(event, ...rest)) : emit(event, ...rest),
      );
    const runner = this.app.app.get(ReplyRunner);
    const start = runner.start.bind(runner);
    // A reply and the request that waits for it run side by side.
    jest.spyOn(runner, 'start').mockImplementation((reply) => this.begin('reply', () => start(reply)));
    // A background loop that a request wakes serves all requests.
    const { places } = this;
    const { wake } = BackgroundLoop.prototype;
    jest.spyOn(BackgroundLoop.prototype, 'wake').mockImplementation(function (this: BackgroundLoop) {
      places.exit(() => wake.call(this));
    });
  }

  private begin<Result>(title: Flow['title'], work: () => Result): Result {
    if (this.flows === null) {
      return work();
    }
    const flow: Flow = { title, blocks: [] };
    this.flows.push(flow);
    return this.places.run({ flow, transaction: null }, work);
  }

  private followTransactions(database: Database): void {
    for (const method of ['write', 'writeSign'] as const) {
      const write = database[method].bind(database);
      jest.spyOn(database, method).mockImplementation((work) => this.within(() => write(work)));
    }
    // A value is used for 250 ms. Here each refresh queries the database.
    const values = this.app.app.get(PolledValues);
    const refresh = values.refresh.bind(values);
    jest.spyOn(values, 'refresh').mockImplementation((manager) => {
      Object.assign(values, { freshUntil: -Infinity });
      return refresh(manager);
    });
  }

  private async within<Result>(write: () => Promise<Result>): Promise<Result> {
    const place = this.places.getStore();
    if (place === undefined || place.transaction?.isOver === false) {
      return write();
    }
    const transaction = { isTransaction: true, isOver: false, statements: [] };
    this.openWrites++;
    try {
      return await this.places.run({ ...place, transaction }, write);
    } finally {
      this.openWrites--;
    }
  }

  private take(sql: string): void {
    const place = this.places.getStore();
    if (place === undefined || this.flows?.includes(place.flow) !== true) {
      return;
    }
    const { flow, transaction } = place;
    if (transaction === null || transaction.isOver) {
      flow.blocks.push({ isTransaction: false, isOver: true, statements: [sql] });
      return;
    }
    if (transaction.statements.length === 0) {
      flow.blocks.push(transaction);
    }
    transaction.statements.push(sql);
    transaction.isOver = sql === 'COMMIT' || sql === 'ROLLBACK';
  }

  /** Waits for the end of all replies and of the work that follows, such as titles. */
  private async atRest(): Promise<void> {
    const { app } = this.app;
    await eventually(() => app.get(ReplyRegistry).size === 0 && this.openWrites === 0);
    for (const place of app.get(ReplyTables).all) {
      await place.settled();
    }
  }
}

function textOf({ isTransaction, statements }: Block): string {
  const lines = statements.map((sql) => sql.replace(/\s+/g, ' ').trim());
  return isTransaction
    ? `{\n${lines.map((line) => `  ${line}\n`).join('')}}\n`
    : lines.map((line) => `${line}\n`).join('');
}
