import { GuardedProcess, type Launch } from './guarded-process';
import { requireProgram } from './required-program';

/** A private Redis without persistence. */
export class RedisServer {
  private constructor(
    private guardedProcess: GuardedProcess,
    /** Its port on 127.0.0.1, the same after `restart()`. */
    readonly port: number,
  ) {}

  /**
   * Starts it on a free port.
   *
   * @param more further arguments, by its folder
   */
  static async open(more: (folder: string, port: number) => string[] = () => []): Promise<RedisServer> {
    const guardedProcess = await GuardedProcess.open('chat-redis');
    try {
      const port = await guardedProcess.startOnFreePort((candidate) => {
        const plain = launch(guardedProcess.folder, candidate);
        const added = more(guardedProcess.folder, candidate);
        return { ...plain, arguments: [...plain.arguments, ...added] };
      });
      return new RedisServer(guardedProcess, port);
    } catch (error) {
      await guardedProcess.close();
      throw error;
    }
  }

  /** Value for REDIS_URL. */
  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Stops it immediately: open connections break, new ones are refused. No data remains. */
  async stop(): Promise<void> {
    await this.guardedProcess.close();
  }

  /** Starts it empty on the same port; stops it first if it still runs. */
  async restart(): Promise<void> {
    await this.stop();
    this.guardedProcess = await GuardedProcess.open('chat-redis');
    await this.guardedProcess.start(launch(this.guardedProcess.folder, this.port));
  }

  /** Makes it hang: connections stay open and are accepted, but nothing answers until `resume()`. */
  freeze(): Promise<void> {
    return this.guardedProcess.freeze();
  }

  /** Resumes after `freeze()`. */
  resume(): void {
    this.guardedProcess.resume();
  }
}

/**
 * Starts a private Redis on a free port.
 *
 * @throws Error if `redis-server` is not installed or does not start
 */
export function startRedisServer(): Promise<RedisServer> {
  return RedisServer.open();
}

function launch(folder: string, port: number): Launch {
  return {
    command: requireProgram('redis-server', 'apt-get install -y redis-server'),
    arguments: ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--appendonly', 'no'],
    ready: 'Ready to accept connections',
  };
}
