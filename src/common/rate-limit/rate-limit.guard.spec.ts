import { Readable } from 'node:stream';
import { ArgumentsHost, CanActivate, Catch, Controller, ExceptionFilter, ExecutionContext, Get } from '@nestjs/common';
import { Injectable, Module, Post, StreamableFile } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { NestExpressApplication } from '@nestjs/platform-express';
import { Test } from '@nestjs/testing';
import type { Request, Response } from 'express';
import supertest from 'supertest';
import { partOfService } from '../../../test/support/service-features';
import { Clock } from '../clock';
import { CommonModule } from '../common.module';
import { ApiError } from '../errors/api-error';
import { RedisModule } from '../redis/redis.module';
import { type Tier, WITHOUT_KEY } from '../security/principal';
import { NotRateLimited } from './not-rate-limited.decorator';
import { RateLimitExceededError } from './rate-limit.errors';
import { RateLimitGuard } from './rate-limit.guard';
import { RateLimitModule } from './rate-limit.module';

const START = new Date('2026-01-02T03:04:05.600Z');

@Controller('api/v1')
class SampleController {
  @Get(['chat', 'user', 'auth/me'])
  read() {
    return { ok: true };
  }

  @Post('auth/login')
  login() {
    return { ok: true };
  }

  @Get('stream')
  stream() {
    return new StreamableFile(Readable.from(['a', 'b']));
  }

  @Get('probe')
  @NotRateLimited()
  probe() {
    return { ok: true };
  }
}

@Controller()
class OperationController {
  @Get(['health', 'health/live', 'metrics'])
  @NotRateLimited()
  read() {
    return { ok: true };
  }

  @Get('health/*rest')
  other() {
    return { ok: true };
  }
}

/** Replaces the identity guard: `Bearer 7:paid` is user 7; any other token is invalid. */
@Injectable()
class SampleIdentityGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    const [, id, tier] = /^Bearer (\d+):(\w+)$/.exec(request.headers.authorization ?? '') ?? [];
    if (id !== undefined) {
      const userType = tier === 'admin' ? 'admin' : 'normal';
      const preferences = { groupIds: [], language: null, defaultAgentId: null };
      request.principal = {
        userId: Number(id),
        sessionId: 1,
        ...WITHOUT_KEY,
        userType,
        tier: tier as Tier,
        ...preferences,
      };
    }
    return true;
  }
}

@Catch(ApiError)
class ThrownErrorFilter implements ExceptionFilter<ApiError> {
  catch(error: ApiError, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<Response>();
    const { name, code, retryAfterSeconds } = error;
    response.status(error.status).json({ name, code, retryAfterSeconds });
  }
}

@Module({
  imports: partOfService({}, [CommonModule, RedisModule, RateLimitModule]),
  controllers: [SampleController, OperationController],
  providers: [
    { provide: APP_GUARD, useClass: SampleIdentityGuard },
    { provide: APP_GUARD, useClass: RateLimitGuard },
    { provide: APP_FILTER, useClass: ThrownErrorFilter },
  ],
})
class SampleModule {}

describe('RateLimitGuard', () => {
  let app: NestExpressApplication;
  let now: Date;

  beforeEach(async () => {
    now = START;
    const module = await Test.createTestingModule({ imports: [SampleModule] })
      .overrideProvider(Clock)
      .useValue({ now: () => now })
      .compile();
    app = module.createNestApplication<NestExpressApplication>({ logger: false });
    await app.listen(0, '127.0.0.1');
  });

  afterEach(() => app.close());

  function get(path: string, headers: Record<string, string> = {}) {
    return supertest(app.getHttpServer()).get(path).set(headers);
  }

  const as = (user: string) => ({ authorization: `Bearer ${user}` });
  const from = (address: string) => ({ 'x-forwarded-for': address });

  async function budgetAfter(path: string, headers: Record<string, string> = {}) {
    const response = await get(path, headers);
    return [response.headers['x-ratelimit-limit'], response.headers['x-ratelimit-remaining']].map(Number);
  }

  async function times(count: number, send: () => PromiseLike<{ status: number }>): Promise<number[]> {
    return (await Promise.all(Array.from({ length: count }, send))).map(({ status }) => status);
  }

  it.each([
    ['normal', 60],
    ['paid', 120],
    ['admin', 300],
  ])('allows %s users %i requests a minute over all routes', async (tier, limit) => {
    expect(await budgetAfter('/api/v1/chat', as(`1:${tier}`))).toEqual([limit, limit - 1]);
    expect(await budgetAfter('/api/v1/user', as(`1:${tier}`))).toEqual([limit, limit - 2]);
    expect(await budgetAfter('/api/v1/chat/', as(`1:${tier}`))).toEqual([limit, limit - 3]);
    expect(await budgetAfter('/api/v1/chat?x=1', as(`1:${tier}`))).toEqual([limit, limit - 4]);
    expect(await budgetAfter('/api/v1/chat', as(`2:${tier}`))).toEqual([limit, limit - 1]);
    const head = await supertest(app.getHttpServer())
      .head('/api/v1/chat')
      .set(as(`1:${tier}`));
    expect(head.headers['x-ratelimit-remaining']).toBe(String(limit - 5));
  });

  it('accepts exactly 60 of 200 parallel requests', async () => {
    const statuses = await times(200, () => get('/api/v1/chat', as('1:normal')));
    expect(statuses.filter((status) => status === 200)).toHaveLength(60);
    expect(statuses.filter((status) => status === 429)).toHaveLength(140);
  });

  it('refuses until the second in X-RateLimit-Reset, one minute after the second of the first request', async () => {
    const first = await get('/api/v1/chat', as('1:normal'));
    await times(59, () => get('/api/v1/chat', as('1:normal')));
    now = new Date(Date.parse('2026-01-02T03:05:04.999Z'));
    const refused = await get('/api/v1/user', as('1:normal'));
    expect(refused.status).toBe(429);
    const { code, name } = { code: RateLimitExceededError.code, name: RateLimitExceededError.name };
    expect(refused.body).toEqual({ name, code, retryAfterSeconds: 1 });
    expect(refused.headers).toMatchObject({ 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '0' });
    const end = Date.parse('2026-01-02T03:05:05.000Z');
    const resets = [first, refused].map(({ headers }) => Number(headers['x-ratelimit-reset']));
    expect(resets).toEqual([end / 1000, end / 1000]);
    now = new Date(end);
    expect((await get('/api/v1/chat', as('1:normal'))).headers['x-ratelimit-remaining']).toBe('59');
  });

  it('counts requests without a token or with a bad token by address', async () => {
    expect(await budgetAfter('/api/v1/chat')).toEqual([60, 59]);
    expect(await budgetAfter('/api/v1/user', { authorization: 'Bearer nonsense' })).toEqual([60, 58]);
    const statuses = await times(100, () => get('/api/v1/chat', { authorization: 'Bearer nonsense' }));
    expect(statuses.filter((status) => status === 200)).toHaveLength(58);
    expect((await get('/api/v1/chat', as('1:normal'))).status).toBe(200);
  });

  it('counts anonymous requests to /auth twice and shows the smaller limit', async () => {
    const login = () => supertest(app.getHttpServer()).post('/API/v1/AUTH/login');
    expect((await login()).headers).toMatchObject({ 'x-ratelimit-limit': '30', 'x-ratelimit-remaining': '29' });
    expect((await times(40, login)).filter((status) => status === 429)).toHaveLength(11);
    expect((await login()).headers).toMatchObject({ 'x-ratelimit-limit': '30', 'x-ratelimit-remaining': '0' });
    // 42 requests to /auth and this one: the limit by address counted them before /auth refused them.
    expect(await budgetAfter('/api/v1/chat')).toEqual([60, 17]);
  });

  it('counts requests to /auth by address even when they have a token', async () => {
    expect(await budgetAfter('/api/v1/auth/me', as('1:normal'))).toEqual([30, 29]);
    expect(await budgetAfter('/api/v1/auth/me', as('2:admin'))).toEqual([30, 28]);
    const statuses = await times(40, () => get('/api/v1/auth/me', as('3:admin')));
    expect(statuses.filter((status) => status === 200)).toHaveLength(28);
    expect(await budgetAfter('/api/v1/chat', as('1:normal'))).toEqual([60, 58]);
    expect((await get('/api/v1/auth/me')).status).toBe(429);
  });

  it('shows an anonymous caller of /auth the global limit when it is the smaller one', async () => {
    const login = () => supertest(app.getHttpServer()).post('/api/v1/auth/login');
    await times(50, () => get('/api/v1/chat'));
    expect((await login()).headers).toMatchObject({ 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '9' });
    await times(9, () => get('/api/v1/chat'));
    const refused = await login();
    expect(refused.status).toBe(429);
    expect(refused.headers).toMatchObject({ 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '0' });
  });

  it('trusts X-Forwarded-For only when configured, and only when it is an address', async () => {
    expect(await budgetAfter('/api/v1/chat', from('192.0.2.1'))).toEqual([60, 59]);
    expect(await budgetAfter('/api/v1/chat', from('192.0.2.2'))).toEqual([60, 58]);
    app.set('trust proxy', 1);
    expect(await budgetAfter('/api/v1/chat', from('192.0.2.2'))).toEqual([60, 59]);
    expect(await budgetAfter('/api/v1/chat', from('no address'))).toEqual([60, 57]);
  });

  it('counts IPv6 by /64 and IPv4-mapped IPv6 as IPv4', async () => {
    app.set('trust proxy', 1);
    expect(await budgetAfter('/api/v1/chat', from('2001:db8:0:1::1'))).toEqual([60, 59]);
    expect(await budgetAfter('/api/v1/chat', from('2001:DB8:0:1:ffff::2'))).toEqual([60, 58]);
    expect(await budgetAfter('/api/v1/chat', from('2001:db8:0:2::1'))).toEqual([60, 59]);
    expect(await budgetAfter('/api/v1/chat', from('192.0.2.7'))).toEqual([60, 59]);
    expect(await budgetAfter('/api/v1/chat', from('::ffff:192.0.2.7'))).toEqual([60, 58]);
  });

  it.each(['/health', '/health/live', '/metrics', '/api/v1/probe'])('does not count %s', async (path) => {
    const { status, headers } = await get(path);
    expect(status).toBe(200);
    expect(Object.keys(headers).filter((name) => name.startsWith('x-ratelimit'))).toEqual([]);
  });

  it.each(['/health/nothing', '/api/v1/stream'])('counts %s', async (path) => {
    expect(await budgetAfter(path)).toEqual([60, 59]);
  });
});
