/** Results that the service sends to the model when the tool returns none. */
export const SENTENCES = {
  unknown: 'The tool gave no answer. Nobody knows whether it did anything.',
  crashed: 'The call failed: the service ended each time it made the call, and does not make it again.',
  gone: 'There is no such tool any more.',
  changed: 'The call was not made: the tool is not the one any more that it was meant for.',
  unreachable: 'The call was not made: the server of the tool does not answer.',
  denied: 'This call was not allowed. Do not try it again unless you are asked to.',
  limit: 'limit: no more calls can be made for this reply.',
  cancelled: 'The call was not made: the reply was ended.',
  expired: 'The call was not made: nobody allowed it in time.',
};
