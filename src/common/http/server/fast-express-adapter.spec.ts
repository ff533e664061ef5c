import { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInThisContext } from 'node:vm';
import {
  Body,
  Controller,
  Delete,
  Get,
  Header,
  HttpCode,
  HttpStatus,
  Module,
  Post,
  Req,
  Res,
  StreamableFile,
} from '@nestjs/common';
import { ExpressAdapter, NestExpressApplication } from '@nestjs/platform-express';
import { Test } from '@nestjs/testing';
import type { Application, Request, Response } from 'express';
import supertest from 'supertest';
import { FastExpressAdapter, inBytes } from './fast-express-adapter';

setFlagsFromString('--allow-natives-syntax');
/** Whether two objects have the same hidden class, so that code optimised for one works for the other. */
const haveSameMap = runInThisContext('(first, second) => %HaveSameMap(first, second)') as (
  first: object,
  second: object,
) => boolean;

let seen: { request: Request; response: Response };

@Controller()
class SampleController {
  @Get('json')
  json(@Req() request: Request, @Res({ passthrough: true }) response: Response) {
    seen = { request, response };
    const { ip, query, path, protocol } = request;
    return { ip, query, path, protocol, agent: request.get('user-agent'), accepts: request.accepts('json') };
  }

  @Get('list')
  list() {
    return [{ text: 'ü 日本 <b>', absent: undefined, at: new Date(0) }, null];
  }

  @Get('problem')
  @Header('Content-Type', 'application/problem+json')
  problem() {
    return { title: 'Own type.' };
  }

  @Get('nothing')
  nothing() {
    return null;
  }

  @Get('text')
  text() {
    return 'plain';
  }

  @Delete('gone')
  @HttpCode(HttpStatus.NO_CONTENT)
  gone() {
    return { never: 'sent' };
  }

  @Get('send')
  send(@Res() response: Response) {
    response.status(202).type('text').vary('Accept').send('sent');
  }

  @Get('stream')
  stream() {
    return new StreamableFile(Readable.from(['a', 'b', 'c']), { type: 'text/plain' });
  }

  @Post('echo')
  echo(@Body() body: unknown) {
    return body;
  }
}

@Module({ controllers: [SampleController] })
class SampleModule {}

async function start(adapter: ExpressAdapter): Promise<NestExpressApplication> {
  const module = await Test.createTestingModule({ imports: [SampleModule] }).compile();
  const app = module.createNestApplication<NestExpressApplication>(adapter, { logger: false });
  await app.listen(0, '127.0.0.1');
  return app;
}

/** Compares two requests after a warm-up in which V8 learns the size of such objects. */
async function sharedHiddenClasses(app: NestExpressApplication) {
  const calls: (typeof seen)[] = [];
  for (let call = 0; call < 20; call++) {
    await supertest(app.getHttpServer()).get('/json');
    calls.push(seen);
  }
  const [first, second] = calls.slice(-2) as [typeof seen, typeof seen];
  return {
    request: haveSameMap(first.request, second.request),
    response: haveSameMap(first.response, second.response),
  };
}

describe('FastExpressAdapter', () => {
  let app: NestExpressApplication;
  const get = (path: string) => supertest(app.getHttpServer()).get(path);

  beforeAll(async () => {
    app = await start(new FastExpressAdapter());
  });

  afterAll(() => app.close());

  it('creates requests and responses that Express does not change', async () => {
    const setPrototypeOf = jest.spyOn(Object, 'setPrototypeOf');
    const before: unknown[] = [];
    app
      .getHttpServer()
      .prependOnceListener('request', (request: IncomingMessage, response: ServerResponse) =>
        before.push(Object.getPrototypeOf(request), Object.getPrototypeOf(response)),
      );
    await get('/json');
    const { request, response } = seen;
    const express = app.getHttpAdapter().getInstance() as Application & { request: object; response: object };
    expect(before).toEqual([express.request, express.response]);
    expect([Object.getPrototypeOf(request), Object.getPrototypeOf(response)]).toEqual(before);
    for (const [target, prototype] of setPrototypeOf.mock.calls) {
      expect((target === request) === (prototype === express.request)).toBe(true);
      expect((target === response) === (prototype === express.response)).toBe(true);
    }
    expect(request).toBeInstanceOf(IncomingMessage);
    expect(response).toBeInstanceOf(ServerResponse);
  });

  it('uses one hidden class for all of them; the default adapter uses one for each before Node 24', async () => {
    expect(await sharedHiddenClasses(app)).toEqual({ request: true, response: true });
    const ordinary = await start(new ExpressAdapter());
    const shared = await sharedHiddenClasses(ordinary);
    await ordinary.close();
    // V8 13 may keep one hidden class for objects whose prototype changes in the same way, as long as few have changed
    // in the process. V8 12 in Node 22 never does.
    const mayBeShared = Number.parseInt(process.versions.v8, 10) >= 13;
    expect([mayBeShared || shared.request, mayBeShared || shared.response]).toEqual([mayBeShared, mayBeShared]);
  });

  it('supports everything that Express adds', async () => {
    const { body, headers } = await get('/json?a=1&a=2').set('user-agent', 'test').set('accept', 'application/json');
    expect(body).toEqual({
      ip: '127.0.0.1',
      query: { a: ['1', '2'] },
      path: '/json',
      protocol: 'http',
      agent: 'test',
      accepts: 'json',
    });
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(headers.etag).toBeUndefined();
    expect(headers['x-powered-by']).toBeUndefined();
    const sent = await get('/send');
    expect([sent.status, sent.text, sent.headers.vary]).toEqual([202, 'sent', 'Accept']);
    expect((await get('/stream')).text).toBe('abc');
    expect((await supertest(app.getHttpServer()).post('/echo').send({ b: 2 })).body).toEqual({ b: 2 });
  });

  it.each([
    ['GET', '/list', {}],
    ['HEAD', '/list', {}],
    ['GET', '/list', { 'if-none-match': '*' }],
    ['GET', '/list', { 'if-modified-since': new Date(0).toUTCString() }],
    ['GET', '/problem', {}],
    ['GET', '/nothing', {}],
    ['GET', '/text', {}],
    ['POST', '/echo', {}],
    ['DELETE', '/gone', {}],
  ])('answers like the default adapter: %s %s %j', async (method, path, headers) => {
    const ordinary = new ExpressAdapter();
    ordinary.set('etag', false);
    ordinary.disable('x-powered-by');
    const reference = await start(ordinary);
    const [expected, answered] = await Promise.all(
      [reference, app].map(async (server) => {
        const answer = await fetch(`${await server.getUrl()}${path}`, { method, headers });
        const headersOfAnswer = [...answer.headers].filter(([name]) => name !== 'date');
        return { status: answer.status, headers: headersOfAnswer, text: await answer.text() };
      }),
    );
    await reference.close();
    expect(answered).toEqual(expected);
  });

  it('applies settings changed later, such as trust proxy', async () => {
    app.set('trust proxy', 1);
    expect((await get('/json').set('x-forwarded-for', '192.0.2.1')).body.ip).toBe('192.0.2.1');
    app.set('trust proxy', false);
  });

  it('leaves TLS to the default server', () => {
    const adapter = new FastExpressAdapter();
    adapter.initHttpServer({ httpsOptions: {} });
    expect(adapter.getHttpServer().constructor.name).toBe('Server');
    expect(adapter.getHttpServer()).toHaveProperty('setSecureContext');
  });
});

describe('a piece of an answer', () => {
  const large = 'é'.repeat(70_000);

  it('is kept as bytes when it is a large text, so that it waits once for its client', () => {
    expect(inBytes(large, undefined)).toEqual(Buffer.from(large));
    expect(inBytes(large, 'utf8')).toEqual(Buffer.from(large));
    expect(inBytes(large, () => undefined)).toEqual(Buffer.from(large));
  });

  it('stays as it is when it is small, in another encoding, or no text', () => {
    expect(inBytes('small', undefined)).toBe('small');
    expect(inBytes(large, 'latin1')).toBe(large);
    const bytes = Buffer.from(large);
    expect(inBytes(bytes, undefined)).toBe(bytes);
    expect(inBytes(undefined, undefined)).toBeUndefined();
  });
});
