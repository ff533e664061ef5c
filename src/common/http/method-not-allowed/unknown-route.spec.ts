import { ArgumentsHost, Catch, Controller, ExceptionFilter, Get, Module, Param, Post, Put } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { NestExpressApplication } from '@nestjs/platform-express';
import { Test } from '@nestjs/testing';
import type { Response } from 'express';
import supertest from 'supertest';
import { ApiError } from '../../errors/api-error';
import { FastExpressAdapter } from '../server/fast-express-adapter';
import { UNKNOWN_ROUTE_EXCLUSION } from './allowed-methods';
import { divertMalformedRequest, divertWrongMethod } from './divert-request.middleware';
import { UnknownRouteModule } from './unknown-route.module';

@Controller('chat')
class SampleController {
  @Get(':id')
  read(@Param('id') id: string) {
    return { id };
  }

  @Put(':id')
  update() {
    return {};
  }

  @Post()
  create() {
    return {};
  }

  @Post('message')
  send() {
    return { sent: true };
  }

  @Post(':id/message')
  answer() {
    return {};
  }
}

@Controller('health')
class OutsideController {
  @Get()
  read() {
    return {};
  }
}

@Catch(ApiError)
class ThrownErrorFilter implements ExceptionFilter<ApiError> {
  catch(error: ApiError, host: ArgumentsHost): void {
    host.switchToHttp().getResponse<Response>().status(error.status).json({ code: error.code, details: error.details });
  }
}

@Module({
  imports: [UnknownRouteModule],
  controllers: [SampleController, OutsideController],
  providers: [{ provide: APP_FILTER, useClass: ThrownErrorFilter }],
})
class SampleModule {}

describe('UnknownRouteController', () => {
  let app: NestExpressApplication;
  const requests = () => supertest(app.getHttpServer());

  beforeAll(async () => {
    const module = await Test.createTestingModule({ imports: [SampleModule] }).compile();
    app = module.createNestApplication<NestExpressApplication>(new FastExpressAdapter(), { logger: false });
    app.use(divertMalformedRequest, divertWrongMethod);
    app.setGlobalPrefix('api/v1', { exclude: ['health', UNKNOWN_ROUTE_EXCLUSION] });
    await app.init();
  });

  afterAll(() => app.close());

  it('does not change existing routes', async () => {
    expect((await requests().get('/api/v1/chat/a%2Fb?x=%E0%A4%A')).body).toEqual({ id: 'a/b' });
    expect((await requests().head('/api/v1/chat/7')).status).toBe(200);
    expect((await requests().get('/health')).status).toBe(200);
  });

  it.each(['/', '/nowhere', '/health/nowhere', '/api', '/api/v1', '/api/v1/nowhere', '/api/v1/chat/7/nowhere'])(
    'answers %s with 404 for every method',
    async (path) => {
      for (const method of ['get', 'post', 'put', 'patch', 'delete', 'options'] as const) {
        const response = await requests()[method](path);
        expect([method, response.status, response.body.code]).toEqual([method, 404, 'NOT_FOUND']);
        expect(response.headers.allow).toBeUndefined();
      }
    },
  );

  it.each([
    ['/api/v1/chat/7', 'GET, HEAD, OPTIONS, PUT'],
    ['/api/v1/chat', 'OPTIONS, POST'],
    ['/API/v1/chat/', 'OPTIONS, POST'],
    ['/api/v1/chat/message', 'OPTIONS, POST'],
    ['/api/v1/Chat/message/?x=1', 'OPTIONS, POST'],
    ['/api/v1/chat/7/message', 'OPTIONS, POST'],
    ['/health', 'GET, HEAD, OPTIONS'],
  ])('lists the methods of %s', async (path, allow) => {
    const refused = await requests().delete(path);
    expect([refused.status, refused.body.code, refused.headers.allow]).toEqual([405, 'METHOD_NOT_ALLOWED', allow]);
    const options = await requests().options(path);
    expect([options.status, options.text, options.headers.allow]).toEqual([204, '', allow]);
  });

  it.each(['get', 'head', 'put'] as const)(
    'does not treat a path with its own route as an id, for %s',
    async (method) => {
      const answer = await requests()[method]('/api/v1/chat/message');
      expect([answer.status, answer.headers.allow]).toEqual([405, 'OPTIONS, POST']);
      expect((await requests().post('/api/v1/chat/message')).body).toEqual({ sent: true });
      expect((await requests().get('/api/v1/chat/messages')).body).toEqual({ id: 'messages' });
    },
  );

  it.each(['/%E0%A4%A', '/api/v1/chat/%FF', '/api/v1/%', '/api/v1/chat/%zz/x'])(
    'answers the undecodable path %s with 400',
    async (path) => {
      const { status, body } = await requests().get(path);
      expect([status, body.code]).toEqual([400, 'VALIDATION_ERROR']);
      expect(body.details).toMatchObject({ field: 'path', reason: 'invalid_format' });
    },
  );
});
