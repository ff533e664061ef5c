/** The headers of a route's answers. */
export function headersOf(name: string, status: string): string[] {
  const isLimitShown = / \/(api|openai)\//.test(name) && status === '429';
  const isReply = /(chat\/message|regenerate|\}\/stream)$/.test(name) && status === '200';
  return [
    ...(isLimitShown ? ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'] : []),
    ...(['429', '503'].includes(status) ? ['Retry-After'] : []),
    ...(status === '401' ? ['WWW-Authenticate'] : []),
    ...(isReply ? ['X-Chat-Id', 'X-User-Message-Id', 'X-Message-Id', 'x-vercel-ai-ui-message-stream'] : []),
    ...(isReply && name.startsWith('POST') ? ['X-Quota-Messages-Remaining', 'X-Quota-Tokens-Remaining'] : []),
    ...(status === '200' && /^GET (?!\/api\/v1\/admin\/).*\/(chat|trash|messages|sessions)$/.test(name)
      ? ['X-Total-Count']
      : []),
  ];
}
