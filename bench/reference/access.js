const { createSecretKey, randomUUID } = require('node:crypto');
const helmet = require('helmet');
const { verify } = require('jsonwebtoken');
const { HttpError } = require('./errors.js');

const WINDOW_MILLISECONDS = 60_000;
/** How long a session is cached. */
const FRESHNESS_MILLISECONDS = 5_000;
const MOST_SESSIONS = 10_000;

const secret = createSecretKey(Buffer.from(process.env.JWT_SECRET));

/** Sets the headers of each response. */
function protect() {
  const helmetHeaders = helmet({ strictTransportSecurity: false });
  return (request, response, next) => {
    response.set('X-Request-Id', randomUUID());
    response.set('Cache-Control', 'no-store');
    helmetHeaders(request, response, next);
  };
}

/** Admits only callers with a valid token and an existing session. */
function authenticate(store) {
  const sessions = new Map();
  const find = async (id, userId) => {
    const known = sessions.get(id);
    if (known && known.readAt > Date.now() - FRESHNESS_MILLISECONDS) {
      return known.session;
    }
    if (sessions.size >= MOST_SESSIONS) {
      sessions.clear();
    }
    const session = await store.readSession(id, userId);
    sessions.set(id, { session, readAt: Date.now() });
    return session;
  };
  return async (request, _response, next) => {
    const [, token] = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '') ?? [];
    const claims = token && verified(token);
    const session = claims && (await find(claims.sid, Number(claims.sub)));
    if (!session || session.status !== 'active' || new Date(session.expires_at) <= new Date()) {
      throw new HttpError(401, 'Log in first.');
    }
    request.userId = Number(claims.sub);
    next();
  };
}

function verified(token) {
  try {
    return verify(token, secret, { algorithms: ['HS256'], issuer: 'reference' });
  } catch {
    return null;
  }
}

/** Counts the requests of each user in memory, and returns the remaining number in headers. */
function limitRate(limit) {
  const windows = new Map();
  return (request, response, next) => {
    const now = Date.now();
    let window = windows.get(request.userId);
    if (!window || window.endsAt <= now) {
      window = { hits: 0, endsAt: now + WINDOW_MILLISECONDS };
      windows.set(request.userId, window);
    }
    window.hits += 1;
    response.set('X-RateLimit-Limit', String(limit));
    response.set('X-RateLimit-Remaining', String(Math.max(0, limit - window.hits)));
    response.set('X-RateLimit-Reset', String(Math.ceil(window.endsAt / 1_000)));
    if (window.hits > limit) {
      throw new HttpError(429, 'Too many requests.');
    }
    next();
  };
}

module.exports = { authenticate, limitRate, protect };
