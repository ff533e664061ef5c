/** The first page of /docs and /redoc. */
export const DESCRIPTION = `
Accounts, conversations with AI agents, usage, administration and webhooks, as a REST API.

## Overview

| To … | use |
|---|---|
| build a chat app | **Sign-in**, **Account**, **Conversations**, **Messages**, **Tool approvals**, **Sharing**, **Events** |
| answer from documents | **Files**, **Knowledge**, **Knowledge administration** |
| connect programs | **OpenAI API**, **OpenAI files**, **OpenAI vector stores**, **API keys**, **Command-line programs**, **Webhooks** |
| set up agents | **Agents and models**, **Model providers**, **Tools and MCP**, **Guards** |
| control usage and costs | **Usage**, **Money** |
| manage users | **People**, **Groups**, **Identity providers**; directories use SCIM 2.0 at \`/scim/v2\` |
| keep and delete data | **Retention**, **Legal holds** |
| run the service | **Settings**, **Audit and review**, **Monitoring** |

Texts omit the prefix \`/api/v1\`: \`GET /chat\` is \`GET /api/v1/chat\`. In Swagger UI, filter by group or path.

## First steps

1. \`POST /auth/send_code\` with \`{"email": "you@example.com", "purpose": "register"}\` emails a code. In development, the
   log shows it.
2. \`POST /auth/register\` with the code creates the account. Press **Authorize** and sign in with address and password, or
   paste an \`access_token\`.
3. \`POST /chat\` creates a conversation, and \`POST /chat/message?stream=true\` sends a message in it.

## Authentication

Send \`Authorization: Bearer <access_token>\`, or an API key from \`POST /user/api-keys\` in its place. \`x-scope\` is the scope
that a key needs; null means that no key may call the route. \`x-access\` says who may call it. Sign-ins set the cookie
\`__Host-device\` (\`device\` over HTTP), which recognizes the device.

## Requests and responses

Bodies are JSON in snake_case, with times in ISO 8601 UTC. Routes under \`/auth\`, \`/chat\` and \`/user\` return plain objects.
Those under \`/agents\`, \`/admin\` and \`/webhooks\` return \`{success, data, message, timestamp}\`. Every response carries
\`X-Request-Id\`; send your own to find a request in the log.

## Errors

An error is \`{success: false, error: {code, message, details}, timestamp}\`. Use \`code\` to tell errors apart, and show
\`message\` to users. 400 is a malformed request, and 422 an invalid field; \`details.errors\` lists every invalid field.
Errors that any route can return are listed as \`default\`.

## Rate limits

Responses have \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\` (Unix seconds). After 429 or 503, wait
for the time in \`Retry-After\`.

## Pagination

Lists under \`/admin\`, \`/agents\` and \`/webhooks\` take \`page\` and \`size\`, and return \`data.items\` and \`data.pagination\`.
Other lists take \`limit\` with \`offset\` or \`after\`; \`X-Total-Count\` is the total. \`sort\` takes a field name, with a minus
in front for descending order. \`from\` and \`to\` take UTC days (\`YYYY-MM-DD\`) or ISO 8601 instants.

## Idempotency

Routes that take \`Idempotency-Key\` are safe to retry: within 24 hours, the same key returns the first result. The same key
with a different request returns 409 \`IDEMPOTENCY_CONFLICT\`.
`.trim();
