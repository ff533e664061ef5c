import express from 'express';
import supertest from 'supertest';
import { indexRoutes } from './route-index';

describe('the index of routes', () => {
  const application = express();
  const answer =
    (text: string): express.RequestHandler =>
    (_request, response) =>
      void response.send(text);
  application.get('/api/v1/chat/agents/active', answer('active'));
  application.use((request, response, next) => {
    response.setHeader('X-Seen', request.path);
    request.url = request.path === '/api/v1/moved' ? '/no-such-route' : request.url;
    next();
  });
  indexRoutes(application);
  application.get('/api/v1/chat/:id', answer('chat'));
  application.get('/api/:version/chat/:id/messages', answer('messages'));
  application.get('/api/v1/user{/:id}', answer('user'));
  application.post('/api/v1/chat/:id', answer('changed'));
  application.get(['/api/v1/one', '/two'], answer('either'));
  application.get(/^\/pattern/, answer('pattern'));
  application.get('/health', answer('health'));
  application.all('/{*rest}', answer('unknown'));

  it.each([
    ['/api/v1/chat/agents/active', 'active'],
    ['/api/v1/chat/7', 'chat'],
    ['/API/V1/Chat/7/?limit=1', 'chat'],
    ['/api/v1/chat?of=/a/b', 'unknown'],
    ['/api/v1/chat/7/messages', 'messages'],
    ['/api/v2/chat/7/messages', 'messages'],
    ['/api/v1/user', 'user'],
    ['/api/v1/user?q=1', 'user'],
    ['/api/v1/user/7', 'user'],
    ['/api/v1/one', 'either'],
    ['/two', 'either'],
    ['/pattern/7', 'pattern'],
    ['/health', 'health'],
    ['/health/', 'health'],
    ['/health?full', 'health'],
    ['/api/v1', 'unknown'],
    ['/api/v1/moved', 'unknown'],
    ['/', 'unknown'],
  ])('%s is answered by the route "%s"', async (path, route) => {
    await supertest(application).get(path).expect(200, route);
  });

  it('keeps the methods of a path apart, and runs the middleware before them', async () => {
    const { text, headers } = await supertest(application).post('/api/v1/chat/7').expect(200);
    expect([text, headers['x-seen']]).toEqual(['changed', '/api/v1/chat/7']);
  });

  it('finds a route that was added later', async () => {
    const later = express();
    indexRoutes(later);
    later.get('/api/v1/chat', answer('list'));
    await supertest(later).get('/api/v1/chat').expect(200, 'list');
    later.get('/api/v1/chat/:id', answer('one'));
    await supertest(later).get('/api/v1/chat/7').expect(200, 'one');
  });
});
