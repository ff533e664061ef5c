const express = require('express');

const DAY_MILLISECONDS = 86_400_000;
const DAYS = 30;
const UNUSED = { messages: 0, tokens: 0, cost: 0 };

/** Routes for the caller, the caller's usage, and the available agents. */
function userRoutes(store, agents) {
  const router = express.Router();

  router.get('/auth/me', async (request, response) => {
    response.json(await store.readUser(request.userId));
  });

  router.get('/chat/agents/active', (_request, response) => {
    const active = [...agents.values()].map(({ shown }) => shown).filter(({ is_active }) => is_active);
    response.set('X-Total-Count', String(active.length));
    response.json(active);
  });

  router.get('/user/usage-stats', async (request, response) => {
    const today = Date.now();
    const dates = Array.from({ length: DAYS }, (_, index) => dayOf(today - (DAYS - 1 - index) * DAY_MILLISECONDS));
    const [totals, days] = await Promise.all([
      store.readTotals(request.userId),
      store.readDays(request.userId, dates[0]),
    ]);
    const byDay = new Map(days.map((row) => [row.day, row]));
    const daily = dates.map((date) => {
      const { messages, tokens, cost } = byDay.get(date) ?? UNUSED;
      return { date, messages, tokens, cost: costText(cost) };
    });
    const { messages, tokens, cost } = daily.at(-1);
    response.json({
      currency: 'USD',
      total_stats: { ...totals, total_cost: costText(totals.total_cost) },
      today_stats: { today_messages: messages, today_tokens: tokens, today_cost: cost },
      daily_usage: daily,
    });
  });

  return router;
}

/** @param cost whole units; null if any price is missing */
function costText(cost) {
  return cost === null ? null : String(cost);
}

/** The UTC day of a time, as `YYYY-MM-DD`. */
function dayOf(time) {
  return new Date(time).toISOString().slice(0, 10);
}

module.exports = { dayOf, userRoutes };
