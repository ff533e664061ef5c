import { shownValue } from './shown-value';

describe('a shown setting', () => {
  it.each([
    ['mysql://root:p%40ss@db:3306/chat?pool=32&ssl=true', 'mysql://***:***@db:3306/chat?***'],
    ['mysql://root:p@ss/w?rd@db/chat', 'mysql://***:***@db/chat'],
    ['smtps://user@mail.example.com:465', 'smtps://***@mail.example.com:465'],
    ['redis+cluster://:pw@one:6379,two:6379', 'redis+cluster://***:***@one:6379,two:6379'],
    [
      'https://a:b@one.example.com/v1#token,https://two.example.com/?key=x',
      'https://***:***@one.example.com/v1#***,https://two.example.com/?***',
    ],
    ['http://127.0.0.1:11434/v1', 'http://127.0.0.1:11434/v1'],
    ['sqlite:./data/app.sqlite', 'sqlite:./data/app.sqlite'],
  ])('shows %s without credentials and query', (value, shown) => {
    expect(shownValue('DATABASE_URL', value)).toBe(shown);
  });

  it('has only the names of headers', () => {
    const headers = 'Authorization=Basic dXNlcjpwYXNz,x-team = a=b';
    expect(shownValue('OTEL_EXPORTER_OTLP_HEADERS', headers)).toBe('Authorization,x-team');
  });

  it.each(['JWT_SECRET_PREVIOUS', 'LLM_API_KEY', 'ADMIN_PASSWORD', 'METRICS_TOKEN', 'S3_ACCESS_KEY_ID'])(
    'has no value of %s',
    (name) => expect(shownValue(name, 'hidden')).toBeNull(),
  );

  it.each(['ACCESS_TOKEN_TTL', 'QUOTA_FREE_TOKENS', 'LLM_FIRST_TOKEN_TIMEOUT', 'RATE_LIMIT_COUNT_TOKENS'])(
    'has the value of %s, which is no secret',
    (name) => expect(shownValue(name, '60')).toBe('60'),
  );
});
