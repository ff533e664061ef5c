/** The first page of /docs and /redoc. */
export const DESCRIPTION = `
Accounts, conversations with AI agents, membership, usage, administration and webhooks, over REST.

**First steps**

1. \`POST /api/v1/auth/send_code\` with \`{"email": "you@example.com", "purpose": "register"}\` mails a code (in
   development it is printed to the log).
2. \`POST /api/v1/auth/register\` with the code makes the account. Press **Authorize** and log in with address and password
   (\`client_id\` stays empty), or paste an \`access_token\`.
3. \`POST /api/v1/chat\` opens a conversation, \`POST /api/v1/chat/message?stream=true\` talks in it.

**Bodies.** JSON, snake_case, times in ISO 8601 UTC. Routes under /auth, /chat and /user answer bare objects; /agents,
/admin and /webhooks answer \`{success, data, message, timestamp}\`, lists with \`data.items\` and \`data.pagination\`.

**Lists.** \`sort\` names a field, with a minus before it for descending order; a file (\`format=csv\`) has the default order.
\`from\` and \`to\` are UTC days, \`YYYY-MM-DD\`, or instants in ISO 8601.

**Programs** call with an API key from \`POST /api/v1/user/api-keys\`, sent like an access token. Each route
names the scope that a key needs as \`x-scope\`; null: no key may call it.

**Errors.** A route shows under a status the failures of its own, and as \`default\` those that every route can have. Every
failure is \`{success: false, error: {code, message, details}, timestamp}\`. Decide by \`code\`, show
\`message\`. 400 is a malformed request, 422 a field that breaks a rule; \`details.errors\` names every field. A path that
does not answer the method is 405, with those it answers in the header \`Allow\`.

**Limits.** Each counted answer carries \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\` (Unix
seconds). 429 and 503 say in \`Retry-After\` when to come back.

**Tracing.** Every answer carries \`X-Request-Id\`; send your own to find a request in the log.
`.trim();
