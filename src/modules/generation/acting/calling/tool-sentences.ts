/** Results that the service sends to the model when the tool returns none. */
export const SENTENCES = {
  unknown: 'The tool did not respond, but it may have acted. Check its effect before you call it again.',
  crashed: 'The call failed: the service stopped during each attempt. Do not call the tool with these arguments again.',
  gone: 'The tool no longer exists. Answer without it.',
  changed:
    'The call was not made: the tool has changed since you called it. Read its new definition before you call it again.',
  unreachable: 'The call was not made: the MCP server does not respond. Try again later, or answer without the tool.',
  denied: 'This call was not allowed. Do not try it again unless you are asked to.',
  limit: 'limit: no more calls can be made for this reply.',
  cancelled: 'The call was not made: the reply was cancelled.',
  expired: 'The call was not made: it was not approved in time.',
};
