import { refuseBody, refuseParameters } from '../../support/refused-requests';

describe('webhooks', () => {
  it.each([
    [{ url: undefined }, 'url'],
    [{ url: 'not a url' }, 'url'],
    [{ url: 'ftp://receiver.internal/' }, 'url'],
    [{ url: 'https://receiver.internal/\ta' }, 'url'],
    [{ url: `https://receiver.internal/${'x'.repeat(2_048)}` }, 'url'],
    // Variation selectors count as characters in the column too.
    [{ url: `https://receiver.internal/${'x\ufe0f'.repeat(2_000)}` }, 'url'],
    [{ url: 7 }, 'url'],
    [{ events: undefined }, 'events'],
    [{ events: [] }, 'events'],
    [{ events: 'message.*' }, 'events'],
    [{ events: ['message.exploded'] }, 'events'],
    [{ events: ['message'] }, 'events'],
    [{ events: ['toString'] }, 'events'],
    [{ events: ['*', '*'] }, 'events'],
    [{ events: [{}] }, 'events'],
    [{ description: 'x'.repeat(501) }, 'description'],
    [{ include_content: 'yes' }, 'include_content'],
    [{ is_active: 1 }, 'is_active'],
    [{ is_active: null }, 'is_active'],
    [{ scope: 'everything' }, 'scope'],
    [{ lang: '!' }, 'lang'],
  ])('refuse %j', async (fields, field) => {
    const body = { url: 'https://receiver.internal/in', events: ['*'], ...fields };
    expect(await refuseBody('POST /webhooks', body)).toMatchObject({ field });
  });

  it.each(['0', '-1', 'x', '1.5', '99999999999999999999'])('have no id such as %s', async (id) => {
    expect(await refuseParameters(`GET /webhooks/${id}`)).toMatchObject({ reason: 'invalid_format' });
    expect(await refuseParameters(`GET /webhooks/1/deliveries/${id}`)).toMatchObject({ reason: 'invalid_format' });
  });

  it.each([
    [{}, 'from'],
    [{ from: 'yesterday' }, 'from'],
    [{ from: '2026-W05' }, 'from'],
    [{ from: '2026-01-31T00:00:00' }, 'from'],
    [{ from: '2026-02-30' }, 'from'],
    [{ from: '2026-01-01T00:00:00Z', only_failed: 'no' }, 'only_failed'],
  ])('refuse to replay %j', async (body, field) => {
    expect(await refuseBody('POST /webhooks/1/replay', body)).toMatchObject({ field });
  });

  it.each(['status=lost', 'page=0', 'size=101', `event=${'x'.repeat(65)}`])('refuse the filter %s', async (query) => {
    const details = await refuseParameters(`GET /webhooks/1/deliveries?${query}`);
    expect(details).toMatchObject({ field: query.split('=')[0] });
  });
});
