// Made by client/generate.mjs from the OpenAPI document.
import type * as types from './types';

/** The codes of failures, and the facts that they tell. */
export interface ErrorDetails {
  /** The account is banned. Contact the operator of the service. */
  ACCOUNT_BANNED: Record<string, unknown>;
  /** Too many failed logins. Log in with a code, or try again after the time in Retry-After. */
  ACCOUNT_LOCKED: Record<string, unknown>;
  /** This action is decided otherwise, or no longer wanted. Read it again. */
  ACTION_ALREADY_DECIDED: Record<string, unknown>;
  /** The time to decide this action is over, and the call was not made. Ask again in the conversation. */
  ACTION_EXPIRED: Record<string, unknown>;
  /** No such action that you may see. GET /user/actions lists those that wait for you. */
  ACTION_NOT_FOUND: Record<string, unknown>;
  /** The agent is switched off or deleted. Its chats stay readable; start one with another agent. */
  AGENT_INACTIVE: Record<string, unknown>;
  /** Another agent has this name. Choose a different one. */
  AGENT_NAME_TAKEN: Record<string, unknown>;
  /** No such agent, or it is not published. GET /chat/agents/active lists those there are. */
  AGENT_NOT_FOUND: Record<string, unknown>;
  /** The agent has no such version. GET /agents/{id}/versions lists those there are. */
  AGENT_VERSION_NOT_FOUND: Record<string, unknown>;
  /** The API key has stopped, because its owner has not signed in for too long. It works again after the next sign-in. */
  API_KEY_EXPIRED: Record<string, unknown>;
  /** The API key is not valid: mistyped, unknown, revoked or expired. Use another key. */
  API_KEY_INVALID: Record<string, unknown>;
  /** There is no API key with this id, or it was revoked. */
  API_KEY_NOT_FOUND: Record<string, unknown>;
  /** No such approval of yours. GET /user/approvals lists them. */
  APPROVAL_NOT_FOUND: Record<string, unknown>;
  /** Somebody else decides this action. Ask them, or write another message to go on without it. */
  APPROVER_REQUIRED: Record<string, unknown>;
  /** The arguments_hash is not that of this action. Read the action again, and look at its arguments. */
  ARGUMENTS_CHANGED: Record<string, unknown>;
  /** A budget has no room for what this request may cost at most: details.scope says whose. Nothing was stored. Wait until details.resets_at, send less, or ask an administrator. */
  BUDGET_EXCEEDED: types.BudgetExceededDetails;
  /** There is no budget with this id. */
  BUDGET_NOT_FOUND: Record<string, unknown>;
  /** No such conversation, or it belongs to somebody else. List yours with GET /chat. */
  CHAT_NOT_FOUND: Record<string, unknown>;
  /** You asked for too many codes lately. Try again after the time in Retry-After. */
  CODE_SEND_TOO_FREQUENT: Record<string, unknown>;
  CONFLICTING_PARAMETERS: Record<string, unknown>;
  CONNECTION_CANCELLED: Record<string, unknown>;
  /** There is no such connection. GET /user/connections lists the servers one can connect with. */
  CONNECTION_NOT_FOUND: Record<string, unknown>;
  /** The server shows each user its own. Connect with it first: POST /user/connections/{label}/start, with details.label. */
  CONNECTION_REQUIRED: types.ConnectionRequiredDetails;
  CONNECTION_STATE_INVALID: Record<string, unknown>;
  /** The model provider refuses to answer this message. Say it in other words. */
  CONTENT_REFUSED: types.ContentRefusedDetails;
  /** The message does not fit the context of the agent. Shorten it. */
  CONTEXT_TOO_LONG: types.ContextTooLongDetails;
  CONVERSATION_NOT_FOUND: Record<string, unknown>;
  /** No such delivery of this webhook. Deliveries are kept for 30 days. */
  DELIVERY_NOT_FOUND: Record<string, unknown>;
  /** The address already has an account. Log in instead. */
  EMAIL_ALREADY_REGISTERED: Record<string, unknown>;
  /** E-mails cannot be sent at the moment. Try again after the time in Retry-After. */
  EMAIL_SEND_FAILED: Record<string, unknown>;
  /** The model of this agent cannot take what was sent: details.feature names it. Leave it out, or choose another agent. */
  FEATURE_NOT_SUPPORTED: types.FeatureNotSupportedDetails;
  /** There is no such file. The parts of your messages name the files that there are, by their hash. */
  FILE_NOT_FOUND: Record<string, unknown>;
  /** An image or file is too large. details.limit_bytes says how large one may be. */
  FILE_TOO_LARGE: Record<string, unknown>;
  /** The content is of no supported type. Images: PNG, JPEG, GIF, WebP. Files: PDF, and text in UTF-8. */
  FILE_TYPE_NOT_SUPPORTED: Record<string, unknown>;
  /** The URL of an image or file cannot be read. Send a data URL in base64, or an http(s) URL that answers 200 within 10 seconds. details.reason says what is wrong. */
  FILE_UNREADABLE: Record<string, unknown>;
  /** The URL of an image or file must lead to a public host, in production by https. Nothing was fetched. */
  FILE_URL_FORBIDDEN: Record<string, unknown>;
  /** The account may not do this. It takes an administrator. */
  FORBIDDEN: Record<string, unknown>;
  /** A reply is being written in this conversation. Wait for it, join it, or stop it. */
  GENERATION_IN_PROGRESS: types.GenerationInProgressDetails;
  /** The provider did not deliver the groups, because there are too many. An administrator must have it send fewer. */
  GROUPS_UNAVAILABLE: Record<string, unknown>;
  /** A directory manages this group. Rename it there; the description can be changed here. */
  GROUP_MANAGED: Record<string, unknown>;
  /** Another group has this name. Choose a different one. */
  GROUP_NAME_TAKEN: Record<string, unknown>;
  /** There is no such group. GET /admin/groups lists those there are. */
  GROUP_NOT_FOUND: Record<string, unknown>;
  /** The Idempotency-Key was used for a different request. Use a new key for a new request. */
  IDEMPOTENCY_CONFLICT: Record<string, unknown>;
  /** The address must be proved first: POST /auth/send_code with purpose link_identity and details.link_token, then POST /auth/oidc/link. */
  IDENTITY_LINK_REQUIRED: types.IdentityLinkRequiredDetails;
  /** This identity may not sign in here. Ask an administrator of the service. */
  IDENTITY_NOT_ALLOWED: types.IdentityNotAllowedDetails;
  /** There is no identity with this id at the account. GET /user/identities lists those there are. */
  IDENTITY_NOT_FOUND: Record<string, unknown>;
  /** The provider of identities failed. Try again later; administrators find the reason by POST /admin/identity_providers/{id}/test. */
  IDENTITY_PROVIDER_ERROR: Record<string, unknown>;
  /** Another provider of identities has this slug or issuer. Change that one, or choose another. */
  IDENTITY_PROVIDER_EXISTS: Record<string, unknown>;
  /** No such provider of identities. GET /auth/providers lists those that people can sign in with. */
  IDENTITY_PROVIDER_NOT_FOUND: Record<string, unknown>;
  /** No identity of a provider opens the account. Link one first: POST /user/identities/start, or sign in with the provider. */
  IDENTITY_REQUIRED: Record<string, unknown>;
  /** The directory of the company has suspended the account. Ask whoever keeps it. */
  IDENTITY_SUSPENDED: Record<string, unknown>;
  /** The identity belongs to another account. Sign in there and unlink it first. */
  IDENTITY_TAKEN: Record<string, unknown>;
  /** An unexpected fault on our side. Try again, and report the header X-Request-Id if it stays. */
  INTERNAL_ERROR: Record<string, unknown>;
  /** The code is wrong or not valid any more. Check it, or have a code sent again. */
  INVALID_CODE: Record<string, unknown>;
  /** The address or the password is wrong. Check both, or log in with a code. */
  INVALID_CREDENTIALS: Record<string, unknown>;
  /** The body is not well-formed JSON in UTF-8. Check quotes, commas and encoding. */
  INVALID_JSON: Record<string, unknown>;
  /** This invitation is not for this address, was used, or has ended. Ask for a new one. */
  INVITATION_INVALID: Record<string, unknown>;
  /** There is no such invitation, or it was used or has ended. */
  INVITATION_NOT_FOUND: Record<string, unknown>;
  ITEM_NOT_DELETABLE: Record<string, unknown>;
  ITEM_NOT_FOUND: Record<string, unknown>;
  /** The last administrator must stay one. Make somebody else administrator first. */
  LAST_ADMIN: Record<string, unknown>;
  /** It is the last way to sign in. Open another way first: a password, or another provider. */
  LAST_LOGIN_METHOD: Record<string, unknown>;
  LOGIN_CANCELLED: Record<string, unknown>;
  /** The login code or link token is not valid, or was used before. Begin the sign-in again. */
  LOGIN_CODE_INVALID: Record<string, unknown>;
  LOGIN_STATE_INVALID: Record<string, unknown>;
  /** The server of tools failed, as details.reason says. POST /admin/mcp_servers/{id}/test tries it; the log has the cause. */
  MCP_SERVER_ERROR: types.McpServerErrorDetails;
  /** Another server of tools has this label. Change that one, or choose another label. */
  MCP_SERVER_EXISTS: Record<string, unknown>;
  /** Agents list tools of the server, as details.count says. Switch it off, or delete it with force=true: then agents lose these tools. */
  MCP_SERVER_IN_USE: types.McpServerInUseDetails;
  /** No such server of tools. GET /admin/mcp_servers lists them. */
  MCP_SERVER_NOT_FOUND: Record<string, unknown>;
  /** The pin is not that of the tool as it is now. Read the tool again, and look at its definition. */
  MCP_TOOL_CHANGED: Record<string, unknown>;
  /** The server has no such tool. GET /admin/mcp_servers/{id}/tools lists them. */
  MCP_TOOL_NOT_FOUND: Record<string, unknown>;
  /** The address must not be called: it is not public, or not https. Inner servers stand in MCP_ALLOWED_HOSTS. */
  MCP_URL_FORBIDDEN: types.McpUrlForbiddenDetails;
  /** The agent is available to paid plans. Upgrade with POST /user/upgrade. */
  MEMBERSHIP_REQUIRED: Record<string, unknown>;
  /** An identity provider or SCIM gave this membership. Change it there. */
  MEMBER_MANAGED: Record<string, unknown>;
  /** The user is not in this group. GET /admin/groups/{id}/members lists who is. */
  MEMBER_NOT_FOUND: Record<string, unknown>;
  /** No such message in this conversation. List them with GET /chat/{chat_id}/messages. */
  MESSAGE_NOT_FOUND: Record<string, unknown>;
  METHOD_NOT_ALLOWED: Record<string, unknown>;
  MODEL_NOT_FOUND: Record<string, unknown>;
  /** A budget with a hard limit applies, and what this model may cost is not known: it has no price, or takes no limit of its reply. Choose another agent, or ask an administrator to add a price or change the model. */
  MODEL_NOT_PRICED: types.ModelNotPricedDetails;
  /** The route cannot answer in the requested media type. Accept application/json. */
  NOT_ACCEPTABLE: Record<string, unknown>;
  NOT_FOUND: Record<string, unknown>;
  NOT_IN_BACKGROUND: Record<string, unknown>;
  /** The account belongs to a person, who alone makes API keys for it. */
  NOT_SERVICE_ACCOUNT: Record<string, unknown>;
  /** Passwords and codes open nothing here. Sign in with a provider: GET /auth/providers lists them. */
  PASSWORD_LOGIN_DISABLED: Record<string, unknown>;
  /** The request body is too large. Send less at once. */
  PAYLOAD_TOO_LARGE: Record<string, unknown>;
  /** The upgrade needs the payment_token of a confirmed payment, which counts once, for its user and plan. */
  PAYMENT_REQUIRED: Record<string, unknown>;
  PREVIOUS_RESPONSE_NOT_FOUND: Record<string, unknown>;
  /** A request has used this price, so it cannot be deleted. Add another price that is valid from now on. */
  PRICE_IN_USE: Record<string, unknown>;
  /** There is no price with this id. */
  PRICE_NOT_FOUND: Record<string, unknown>;
  /** The model provider failed to answer. Try again if it says so, or ask the administrator to check the model. */
  PROVIDER_ERROR: types.ProviderErrorDetails;
  /** Accounts have identities of the provider, as details.count says. Switch it off, or delete it with force=true. */
  PROVIDER_IN_USE: types.ProviderInUseDetails;
  /** Another model provider has this name. Choose a different one. */
  PROVIDER_NAME_TAKEN: Record<string, unknown>;
  /** No such model provider. GET /admin/providers lists those there are. */
  PROVIDER_NOT_FOUND: Record<string, unknown>;
  /** The providers default and demo are not kept in the database. Change LLM_* and restart, or add a provider beside them. */
  PROVIDER_READ_ONLY: Record<string, unknown>;
  /** The model provider did not answer in time. Try again, or send a shorter message. */
  PROVIDER_TIMEOUT: types.ProviderTimeoutDetails;
  /** The model provider is not available at the moment. Try again after retry_after seconds. */
  PROVIDER_UNAVAILABLE: types.ProviderUnavailableDetails;
  /** The plan's allowance for today is used up, or that of the API key (details.quota is api_key_tokens). Wait until details.resets_at, or upgrade. */
  QUOTA_EXCEEDED: types.QuotaExceededDetails;
  /** Too many requests. Wait the seconds given in Retry-After, then try again. */
  RATE_LIMIT_EXCEEDED: types.RateLimitExceededDetails;
  /** The refresh token is not valid. Log in again. */
  REFRESH_TOKEN_INVALID: Record<string, unknown>;
  /** The refresh token was replaced earlier, and its session is ended now. Log in again. */
  REFRESH_TOKEN_REUSED: Record<string, unknown>;
  /** New accounts cannot be registered for now. Ask the operator of the service. */
  REGISTRATION_DISABLED: Record<string, unknown>;
  RESPONSE_NOT_FOUND: Record<string, unknown>;
  /** A session in a cookie is for pages of this service, opened by https or on its machine. Elsewhere leave out `session`. */
  SAME_ORIGIN_REQUIRED: Record<string, unknown>;
  SCIM_NOT_ALLOWED: Record<string, unknown>;
  SCIM_NOT_UNIQUE: Record<string, unknown>;
  SCIM_REQUEST_INVALID: Record<string, unknown>;
  SCIM_RESOURCE_NOT_FOUND: Record<string, unknown>;
  /** The API key may not call this route. details.scope names the scope that it needs; null: no API key may. */
  SCOPE_REQUIRED: types.ScopeRequiredDetails;
  SERVER_TOOLS_UNAVAILABLE: Record<string, unknown>;
  /** The service has too much to do. Try again after the time in Retry-After. */
  SERVICE_OVERLOADED: Record<string, unknown>;
  /** The service is not available for the moment. Try again after the time in Retry-After. */
  SERVICE_UNAVAILABLE: Record<string, unknown>;
  /** The user has no session with this id. GET /user/sessions lists them. */
  SESSION_NOT_FOUND: Record<string, unknown>;
  /** The session was ended. Log in again. */
  SESSION_REVOKED: Record<string, unknown>;
  /** There is an administrator already. Log in, or ask that person for an account. */
  SETUP_COMPLETE: Record<string, unknown>;
  /** Open the console on the service's machine, or with the link in its log, or set ADMIN_EMAIL and ADMIN_PASSWORD. */
  SETUP_NOT_ALLOWED: Record<string, unknown>;
  /** There is no such shared conversation, or it is no longer shared. Ask its owner for a new link. */
  SHARE_NOT_FOUND: Record<string, unknown>;
  /** The storage of the plan is full, or too full for what is sent. Nothing was stored. Delete conversations, which count until they leave the trash, or upgrade. */
  STORAGE_QUOTA_EXCEEDED: types.StorageQuotaExceededDetails;
  /** The ticket is not valid. It works for one request within a minute, for what it was made for: the replies of one conversation (POST /chat/{chat_id}/stream-ticket), or events (POST /events/ticket). Get a new one. */
  TICKET_INVALID: Record<string, unknown>;
  /** The access token has expired. Get a new pair from POST /auth/refresh_token. */
  TOKEN_EXPIRED: Record<string, unknown>;
  /** The access token is not valid. Log in again. */
  TOKEN_INVALID: Record<string, unknown>;
  /** No such tool. GET /admin/tools lists them. */
  TOOL_NOT_FOUND: Record<string, unknown>;
  /** The user has as many API keys as a user may have. Revoke one that is no longer used. */
  TOO_MANY_API_KEYS: types.TooManyApiKeysDetails;
  /** Too many exports at once for this account. Wait until one of them is done. */
  TOO_MANY_CONCURRENT: types.TooManyConcurrentDetails;
  /** The images and files of the request are too many, or too large together. Leave some out, or make them smaller. */
  TOO_MANY_FILES: Record<string, unknown>;
  /** This route needs an access token. Send the header Authorization: Bearer <access_token>. */
  UNAUTHORIZED: Record<string, unknown>;
  /** The body must be JSON in UTF-8. Send the header Content-Type: application/json. */
  UNSUPPORTED_MEDIA_TYPE: Record<string, unknown>;
  UNSUPPORTED_PARAMETER: Record<string, unknown>;
  /** The username belongs to somebody else. Choose another one; a code stays usable. */
  USERNAME_TAKEN: Record<string, unknown>;
  /** The code is right and the address has no account. The code stays usable: go on to POST /auth/register. */
  USER_NOT_FOUND: Record<string, unknown>;
  /** A path or query parameter is malformed. details.errors names each one and its rule. */
  VALIDATION_ERROR: types.ValidationErrorDetails;
  /** The agent was changed meanwhile. Read it again and repeat the change with its version. */
  VERSION_CONFLICT: Record<string, unknown>;
  /** No such webhook, or it belongs to somebody else. */
  WEBHOOK_NOT_FOUND: Record<string, unknown>;
  /** Events are not sent to this URL. Use a public HTTPS address without user name; details.reason names the rule. */
  WEBHOOK_URL_FORBIDDEN: types.WebhookUrlForbiddenDetails;
}

/** A failure with one of these codes. `Details`: where an operation tells more than the code itself. */
export type ErrorBody<Code extends types.ErrorCode = types.ErrorCode, Details = unknown> = {
  success: false;
  error: { [One in Code]: types.ErrorObject & { code: One; details: ErrorDetails[One] & Details } }[Code];
  /** When it went wrong, UTC. */
  timestamp: types.DateTime;
};

/** A failure in the form of OpenAI, with one of these codes. */
export type OpenAiFailure<Code extends types.OpenAiErrorCode> = types.OpenAiErrorBody & { error: { code: Code } };

type Failure400 = ErrorBody<'VALIDATION_ERROR'>;
type Failure401 = ErrorBody<'API_KEY_EXPIRED' | 'API_KEY_INVALID' | 'SESSION_REVOKED' | 'TOKEN_EXPIRED' | 'TOKEN_INVALID' | 'UNAUTHORIZED'>;
type Failure402 = ErrorBody<'PAYMENT_REQUIRED'>;
type Failure403 = ErrorBody<'ACCOUNT_BANNED' | 'FORBIDDEN' | 'IDENTITY_SUSPENDED' | 'SCOPE_REQUIRED'>;
type Failure404 = ErrorBody<'USER_NOT_FOUND'>;
type Failure406 = ErrorBody<'NOT_ACCEPTABLE'>;
type Failure409 = ErrorBody<'CONNECTION_REQUIRED'>;
type Failure410 = ErrorBody<'ACTION_EXPIRED'>;
type Failure413 = OpenAiFailure<'PAYLOAD_TOO_LARGE'>;
type Failure415 = ErrorBody<'UNSUPPORTED_MEDIA_TYPE'>;
type Failure422 = ErrorBody<'MCP_URL_FORBIDDEN' | 'VALIDATION_ERROR'>;
type Failure424 = OpenAiFailure<'external_connector_error'>;
type Failure429 = ErrorBody<'ACCOUNT_LOCKED' | 'RATE_LIMIT_EXCEEDED'>;
type Failure500 = ErrorBody<'INTERNAL_ERROR'>;
type Failure502 = ErrorBody<'PROVIDER_ERROR'>;
type Failure503 = ErrorBody<'PROVIDER_UNAVAILABLE' | 'SERVICE_OVERLOADED' | 'SERVICE_UNAVAILABLE'>;
type Failure504 = ErrorBody<'PROVIDER_TIMEOUT'>;
type Failure400_2 = ErrorBody<'INVALID_CODE' | 'INVALID_JSON' | 'VALIDATION_ERROR'>;
type Failure400_3 = OpenAiFailure<'invalid_json' | 'invalid_type' | 'invalid_value' | 'missing_required_parameter' | 'string_above_max_length'>;
type Failure400_4 = OpenAiFailure<'content_filter' | 'context_length_exceeded' | 'feature_not_supported' | 'file_too_large' | 'file_type_not_supported' | 'file_unreadable' | 'file_url_forbidden' | 'invalid_json' | 'invalid_type' | 'invalid_value' | 'missing_required_parameter' | 'mutually_exclusive_parameters' | 'string_above_max_length' | 'too_many_files' | 'unsupported_parameter'>;
type Failure400_5 = OpenAiFailure<'file_too_large' | 'file_type_not_supported' | 'file_unreadable' | 'file_url_forbidden' | 'invalid_json' | 'invalid_type' | 'invalid_value' | 'missing_required_parameter' | 'string_above_max_length' | 'too_many_files'>;
type Failure400_6 = Record<string, unknown>;
type Failure400_7 = OpenAiFailure<'content_filter' | 'context_length_exceeded' | 'feature_not_supported' | 'file_too_large' | 'file_type_not_supported' | 'file_unreadable' | 'file_url_forbidden' | 'invalid_json' | 'invalid_type' | 'invalid_value' | 'missing_required_parameter' | 'string_above_max_length' | 'too_many_files' | 'unsupported_parameter'>;
type Failure400_8 = OpenAiFailure<'NOT_IN_BACKGROUND' | 'invalid_json' | 'invalid_type' | 'invalid_value' | 'missing_required_parameter' | 'string_above_max_length'>;
type Failure400_9 = OpenAiFailure<'ITEM_NOT_DELETABLE' | 'invalid_json' | 'invalid_type' | 'invalid_value' | 'missing_required_parameter' | 'string_above_max_length'>;
type Failure401_10 = ErrorBody<'LOGIN_CODE_INVALID' | 'SESSION_REVOKED'>;
type Failure401_2 = OpenAiFailure<'SESSION_REVOKED' | 'TOKEN_EXPIRED' | 'invalid_api_key'>;
type Failure401_3 = ErrorBody<'API_KEY_EXPIRED' | 'API_KEY_INVALID' | 'INVALID_CREDENTIALS' | 'SESSION_REVOKED' | 'TOKEN_EXPIRED' | 'TOKEN_INVALID' | 'UNAUTHORIZED'>;
type Failure401_4 = ErrorBody<'LOGIN_CODE_INVALID'>;
type Failure401_5 = ErrorBody<'INVALID_CREDENTIALS'>;
type Failure401_6 = ErrorBody<'API_KEY_EXPIRED' | 'API_KEY_INVALID' | 'SESSION_REVOKED' | 'TICKET_INVALID' | 'TOKEN_EXPIRED' | 'TOKEN_INVALID' | 'UNAUTHORIZED'>;
type Failure401_7 = ErrorBody<'UNAUTHORIZED'>;
type Failure401_8 = ErrorBody<'TOKEN_INVALID' | 'UNAUTHORIZED'>;
type Failure401_9 = ErrorBody<'REFRESH_TOKEN_INVALID' | 'REFRESH_TOKEN_REUSED'>;
type Failure403_10 = ErrorBody<'INVITATION_INVALID' | 'PASSWORD_LOGIN_DISABLED' | 'REGISTRATION_DISABLED' | 'SCOPE_REQUIRED'>;
type Failure403_11 = ErrorBody<'INVITATION_INVALID' | 'PASSWORD_LOGIN_DISABLED' | 'REGISTRATION_DISABLED' | 'SAME_ORIGIN_REQUIRED' | 'SCOPE_REQUIRED'>;
type Failure403_12 = ErrorBody<'ACCOUNT_BANNED' | 'SAME_ORIGIN_REQUIRED' | 'SCOPE_REQUIRED'>;
type Failure403_13 = ErrorBody<'PASSWORD_LOGIN_DISABLED' | 'SCOPE_REQUIRED'>;
type Failure403_14 = ErrorBody<'ACCOUNT_BANNED' | 'IDENTITY_SUSPENDED' | 'PASSWORD_LOGIN_DISABLED' | 'SCOPE_REQUIRED'>;
type Failure403_15 = ErrorBody<'SAME_ORIGIN_REQUIRED' | 'SCOPE_REQUIRED' | 'SETUP_NOT_ALLOWED'>;
type Failure403_16 = ErrorBody<'ACCOUNT_BANNED' | 'APPROVER_REQUIRED' | 'IDENTITY_SUSPENDED' | 'SCOPE_REQUIRED'>;
type Failure403_17 = ErrorBody<'ACCOUNT_BANNED' | 'APPROVER_REQUIRED' | 'IDENTITY_SUSPENDED' | 'MEMBERSHIP_REQUIRED' | 'SCOPE_REQUIRED'>;
type Failure403_2 = ErrorBody<'ACCOUNT_BANNED' | 'IDENTITY_SUSPENDED' | 'SCOPE_REQUIRED'>;
type Failure403_3 = OpenAiFailure<'ACCOUNT_BANNED' | 'IDENTITY_SUSPENDED' | 'SCOPE_REQUIRED'>;
type Failure403_4 = ErrorBody<'SCOPE_REQUIRED'>;
type Failure403_5 = ErrorBody<'ACCOUNT_BANNED' | 'IDENTITY_SUSPENDED' | 'MEMBERSHIP_REQUIRED' | 'SCOPE_REQUIRED'>;
type Failure403_6 = OpenAiFailure<'ACCOUNT_BANNED' | 'IDENTITY_SUSPENDED' | 'MEMBERSHIP_REQUIRED' | 'SCOPE_REQUIRED'>;
type Failure403_7 = ErrorBody<'ACCOUNT_BANNED' | 'IDENTITY_SUSPENDED' | 'PASSWORD_LOGIN_DISABLED' | 'SAME_ORIGIN_REQUIRED' | 'SCOPE_REQUIRED'>;
type Failure403_8 = ErrorBody<'ACCOUNT_BANNED' | 'GROUPS_UNAVAILABLE' | 'IDENTITY_NOT_ALLOWED' | 'IDENTITY_SUSPENDED' | 'SAME_ORIGIN_REQUIRED' | 'SCOPE_REQUIRED'>;
type Failure403_9 = OpenAiFailure<'ACCOUNT_BANNED' | 'APPROVER_REQUIRED' | 'IDENTITY_SUSPENDED' | 'MEMBERSHIP_REQUIRED' | 'SCOPE_REQUIRED'>;
type Failure404_10 = ErrorBody<'BUDGET_NOT_FOUND'>;
type Failure404_11 = ErrorBody<'GROUP_NOT_FOUND'>;
type Failure404_12 = OpenAiFailure<'RESPONSE_NOT_FOUND'>;
type Failure404_13 = OpenAiFailure<'CONVERSATION_NOT_FOUND' | 'ITEM_NOT_FOUND'>;
type Failure404_14 = OpenAiFailure<'CONVERSATION_NOT_FOUND'>;
type Failure404_15 = ErrorBody<'CONNECTION_NOT_FOUND'>;
type Failure404_16 = ErrorBody<'CHAT_NOT_FOUND' | 'FILE_NOT_FOUND' | 'MESSAGE_NOT_FOUND'>;
type Failure404_17 = OpenAiFailure<'model_not_found'>;
type Failure404_18 = OpenAiFailure<'ACTION_NOT_FOUND' | 'CONVERSATION_NOT_FOUND' | 'ITEM_NOT_FOUND' | 'model_not_found' | 'previous_response_not_found'>;
type Failure404_19 = ErrorBody<'CHAT_NOT_FOUND' | 'SHARE_NOT_FOUND'>;
type Failure404_2 = ErrorBody<'CHAT_NOT_FOUND'>;
type Failure404_20 = ErrorBody<'SHARE_NOT_FOUND'>;
type Failure404_21 = ErrorBody<'DELIVERY_NOT_FOUND' | 'WEBHOOK_NOT_FOUND'>;
type Failure404_22 = ErrorBody<'SESSION_NOT_FOUND'>;
type Failure404_23 = ErrorBody<'INVITATION_NOT_FOUND'>;
type Failure404_24 = ErrorBody<'IDENTITY_NOT_FOUND'>;
type Failure404_25 = ErrorBody<'PRICE_NOT_FOUND'>;
type Failure404_26 = ErrorBody<'AGENT_NOT_FOUND' | 'AGENT_VERSION_NOT_FOUND'>;
type Failure404_27 = ErrorBody<'GROUP_NOT_FOUND' | 'USER_NOT_FOUND'>;
type Failure404_28 = ErrorBody<'GROUP_NOT_FOUND' | 'MEMBER_NOT_FOUND'>;
type Failure404_29 = ErrorBody<'ACTION_NOT_FOUND' | 'CHAT_NOT_FOUND' | 'MESSAGE_NOT_FOUND'>;
type Failure404_3 = ErrorBody<'AGENT_NOT_FOUND'>;
type Failure404_30 = ErrorBody<'APPROVAL_NOT_FOUND'>;
type Failure404_31 = ErrorBody<'MESSAGE_NOT_FOUND'>;
type Failure404_32 = ErrorBody<'AGENT_NOT_FOUND' | 'CHAT_NOT_FOUND'>;
type Failure404_33 = ErrorBody<'ACTION_NOT_FOUND' | 'CHAT_NOT_FOUND' | 'FILE_NOT_FOUND' | 'MESSAGE_NOT_FOUND'>;
type Failure404_34 = OpenAiFailure<'ITEM_NOT_FOUND'>;
type Failure404_35 = ErrorBody<'FILE_NOT_FOUND' | 'SHARE_NOT_FOUND'>;
type Failure404_36 = ErrorBody<'TOOL_NOT_FOUND'>;
type Failure404_37 = ErrorBody<'MCP_SERVER_NOT_FOUND' | 'MCP_TOOL_NOT_FOUND'>;
type Failure404_4 = ErrorBody<'WEBHOOK_NOT_FOUND'>;
type Failure404_5 = ErrorBody<'IDENTITY_PROVIDER_NOT_FOUND'>;
type Failure404_6 = ErrorBody<'MCP_SERVER_NOT_FOUND'>;
type Failure404_7 = ErrorBody<'API_KEY_NOT_FOUND'>;
type Failure404_8 = ErrorBody<'CHAT_NOT_FOUND' | 'MESSAGE_NOT_FOUND'>;
type Failure404_9 = ErrorBody<'PROVIDER_NOT_FOUND'>;
type Failure409_10 = ErrorBody<'MCP_SERVER_EXISTS'>;
type Failure409_11 = ErrorBody<'USERNAME_TAKEN'>;
type Failure409_12 = ErrorBody<'EMAIL_ALREADY_REGISTERED' | 'SETUP_COMPLETE' | 'USERNAME_TAKEN'>;
type Failure409_13 = ErrorBody<'IDENTITY_LINK_REQUIRED' | 'IDENTITY_TAKEN'>;
type Failure409_14 = ErrorBody<'IDENTITY_PROVIDER_EXISTS'>;
type Failure409_15 = ErrorBody<'IDENTITY_PROVIDER_EXISTS' | 'LAST_LOGIN_METHOD'>;
type Failure409_16 = ErrorBody<'LAST_LOGIN_METHOD' | 'PROVIDER_IN_USE'>;
type Failure409_17 = ErrorBody<'TOO_MANY_API_KEYS'>;
type Failure409_18 = ErrorBody<'NOT_SERVICE_ACCOUNT' | 'TOO_MANY_API_KEYS'>;
type Failure409_19 = ErrorBody<'PRICE_IN_USE'>;
type Failure409_2 = ErrorBody<'EMAIL_ALREADY_REGISTERED' | 'USERNAME_TAKEN'>;
type Failure409_20 = ErrorBody<'AGENT_NAME_TAKEN' | 'VERSION_CONFLICT'>;
type Failure409_21 = ErrorBody<'GROUP_NAME_TAKEN'>;
type Failure409_22 = ErrorBody<'GROUP_MANAGED' | 'GROUP_NAME_TAKEN'>;
type Failure409_23 = ErrorBody<'MEMBER_MANAGED'>;
type Failure409_24 = ErrorBody<'ACTION_ALREADY_DECIDED' | 'ARGUMENTS_CHANGED' | 'IDEMPOTENCY_CONFLICT'>;
type Failure409_25 = ErrorBody<'AGENT_INACTIVE' | 'IDEMPOTENCY_CONFLICT'>;
type Failure409_26 = ErrorBody<'GENERATION_IN_PROGRESS'>;
type Failure409_27 = ErrorBody<'ACTION_ALREADY_DECIDED' | 'AGENT_INACTIVE' | 'ARGUMENTS_CHANGED' | 'GENERATION_IN_PROGRESS' | 'IDEMPOTENCY_CONFLICT'>;
type Failure409_28 = OpenAiFailure<'AGENT_INACTIVE'>;
type Failure409_29 = OpenAiFailure<'GENERATION_IN_PROGRESS' | 'IDEMPOTENCY_CONFLICT'>;
type Failure409_3 = ErrorBody<'LAST_ADMIN'>;
type Failure409_30 = ErrorBody<'IDEMPOTENCY_CONFLICT'>;
type Failure409_31 = ErrorBody<'MCP_SERVER_IN_USE'>;
type Failure409_32 = ErrorBody<'MCP_TOOL_CHANGED'>;
type Failure409_33 = ErrorBody<'IDENTITY_REQUIRED'>;
type Failure409_34 = ErrorBody<'LAST_ADMIN' | 'USERNAME_TAKEN'>;
type Failure409_35 = ErrorBody<'PROVIDER_NAME_TAKEN'>;
type Failure409_36 = ErrorBody<'PROVIDER_IN_USE' | 'PROVIDER_NAME_TAKEN' | 'PROVIDER_READ_ONLY'>;
type Failure409_37 = ErrorBody<'PROVIDER_IN_USE' | 'PROVIDER_READ_ONLY'>;
type Failure409_4 = ErrorBody<'AGENT_NAME_TAKEN'>;
type Failure409_5 = ErrorBody<'LAST_LOGIN_METHOD'>;
type Failure409_6 = ErrorBody<'AGENT_INACTIVE' | 'GENERATION_IN_PROGRESS' | 'IDEMPOTENCY_CONFLICT'>;
type Failure409_7 = OpenAiFailure<'AGENT_INACTIVE' | 'IDEMPOTENCY_CONFLICT'>;
type Failure409_8 = OpenAiFailure<'ACTION_ALREADY_DECIDED' | 'AGENT_INACTIVE' | 'ARGUMENTS_CHANGED' | 'GENERATION_IN_PROGRESS' | 'IDEMPOTENCY_CONFLICT'>;
type Failure409_9 = OpenAiFailure<'IDEMPOTENCY_CONFLICT'>;
type Failure410_2 = OpenAiFailure<'ACTION_EXPIRED'>;
type Failure413_2 = OpenAiFailure<'PAYLOAD_TOO_LARGE' | 'STORAGE_QUOTA_EXCEEDED'>;
type Failure413_3 = ErrorBody<'PAYLOAD_TOO_LARGE' | 'STORAGE_QUOTA_EXCEEDED'>;
type Failure413_4 = ErrorBody<'PAYLOAD_TOO_LARGE'>;
type Failure422_2 = ErrorBody<'CONTENT_REFUSED' | 'CONTEXT_TOO_LONG' | 'FEATURE_NOT_SUPPORTED' | 'FILE_TOO_LARGE' | 'FILE_TYPE_NOT_SUPPORTED' | 'FILE_UNREADABLE' | 'FILE_URL_FORBIDDEN' | 'TOO_MANY_FILES' | 'VALIDATION_ERROR'>;
type Failure422_3 = ErrorBody<'VALIDATION_ERROR' | 'WEBHOOK_URL_FORBIDDEN'>;
type Failure422_4 = ErrorBody<'CONTENT_REFUSED' | 'CONTEXT_TOO_LONG' | 'VALIDATION_ERROR'>;
type Failure422_5 = ErrorBody<'CONTENT_REFUSED' | 'FEATURE_NOT_SUPPORTED' | 'VALIDATION_ERROR'>;
type Failure422_6 = ErrorBody<'CONTENT_REFUSED' | 'CONTEXT_TOO_LONG' | 'FEATURE_NOT_SUPPORTED' | 'VALIDATION_ERROR'>;
type Failure422_7 = ErrorBody<'CONTENT_REFUSED' | 'FEATURE_NOT_SUPPORTED'>;
type Failure422_8 = ErrorBody<'CONTENT_REFUSED' | 'VALIDATION_ERROR'>;
type Failure429_10 = ErrorBody<'BUDGET_EXCEEDED' | 'RATE_LIMIT_EXCEEDED'>;
type Failure429_2 = OpenAiFailure<'rate_limit_exceeded'>;
type Failure429_3 = ErrorBody<'RATE_LIMIT_EXCEEDED' | 'TOO_MANY_CONCURRENT'>;
type Failure429_4 = ErrorBody<'BUDGET_EXCEEDED' | 'MODEL_NOT_PRICED' | 'QUOTA_EXCEEDED' | 'RATE_LIMIT_EXCEEDED' | 'TOO_MANY_CONCURRENT'>;
type Failure429_5 = OpenAiFailure<'TOO_MANY_CONCURRENT' | 'insufficient_quota' | 'rate_limit_exceeded'>;
type Failure429_6 = ErrorBody<'BUDGET_EXCEEDED' | 'MODEL_NOT_PRICED' | 'RATE_LIMIT_EXCEEDED'>;
type Failure429_7 = ErrorBody<'MODEL_NOT_PRICED' | 'RATE_LIMIT_EXCEEDED'>;
type Failure429_8 = OpenAiFailure<'TOO_MANY_CONCURRENT' | 'rate_limit_exceeded'>;
type Failure429_9 = ErrorBody<'CODE_SEND_TOO_FREQUENT' | 'RATE_LIMIT_EXCEEDED'>;
type Failure502_2 = OpenAiFailure<'PROVIDER_ERROR'>;
type Failure502_3 = ErrorBody<'IDENTITY_PROVIDER_ERROR'>;
type Failure502_4 = ErrorBody<'MCP_SERVER_ERROR'>;
type Failure502_5 = ErrorBody<'IDENTITY_PROVIDER_ERROR' | 'MCP_SERVER_ERROR'>;
type Failure503_2 = ErrorBody<'SERVICE_OVERLOADED' | 'SERVICE_UNAVAILABLE'>;
type Failure503_3 = OpenAiFailure<'PROVIDER_UNAVAILABLE' | 'SERVICE_OVERLOADED' | 'SERVICE_UNAVAILABLE'>;
type Failure503_4 = ErrorBody<'SERVICE_UNAVAILABLE', types.ServiceUnavailableDetails>;
type Failure503_5 = ErrorBody<'EMAIL_SEND_FAILED' | 'SERVICE_OVERLOADED' | 'SERVICE_UNAVAILABLE'>;
type Failure504_2 = OpenAiFailure<'PROVIDER_TIMEOUT'>;
type FailureDefault = ErrorBody<'INVALID_JSON' | 'VALIDATION_ERROR' | 'NOT_ACCEPTABLE' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'RATE_LIMIT_EXCEEDED' | 'INTERNAL_ERROR' | 'SERVICE_OVERLOADED' | 'SERVICE_UNAVAILABLE'>;
type FailureDefault_2 = ErrorBody<'VALIDATION_ERROR' | 'NOT_ACCEPTABLE' | 'RATE_LIMIT_EXCEEDED' | 'INTERNAL_ERROR' | 'SERVICE_OVERLOADED' | 'SERVICE_UNAVAILABLE'>;
type FailureDefault_3 = OpenAiFailure<'NOT_ACCEPTABLE' | 'UNSUPPORTED_MEDIA_TYPE' | 'INTERNAL_ERROR' | 'SERVICE_OVERLOADED' | 'SERVICE_UNAVAILABLE'>;
type FailureDefault_4 = OpenAiFailure<'invalid_type' | 'invalid_value' | 'missing_required_parameter' | 'string_above_max_length' | 'NOT_ACCEPTABLE' | 'rate_limit_exceeded' | 'INTERNAL_ERROR' | 'SERVICE_OVERLOADED' | 'SERVICE_UNAVAILABLE'>;

export type HealthCheckErrors = { 400: Failure400; 500: Failure500; 503: Failure503_4 };
export type HealthCheckError = HealthCheckErrors[keyof HealthCheckErrors];
export type HealthReadyErrors = { 400: Failure400; 500: Failure500; 503: Failure503_4 };
export type HealthReadyError = HealthReadyErrors[keyof HealthReadyErrors];
export type HealthLiveErrors = { 400: Failure400; 500: Failure500 };
export type HealthLiveError = HealthLiveErrors[keyof HealthLiveErrors];
export type MetricsReadErrors = { 400: Failure400; 401: Failure401_8; 500: Failure500 };
export type MetricsReadError = MetricsReadErrors[keyof MetricsReadErrors];
export type BrandingReadErrors = { 400: Failure400; 406: Failure406; 500: Failure500; 503: Failure503_2 };
export type BrandingReadError = BrandingReadErrors[keyof BrandingReadErrors];
export type UsersMeErrors = { 401: Failure401; 403: Failure403_2; default: FailureDefault_2 };
export type UsersMeError = UsersMeErrors[keyof UsersMeErrors];
export type AccountUpgradeErrors = { 401: Failure401; 402: Failure402; 403: Failure403; default: FailureDefault };
export type AccountUpgradeError = AccountUpgradeErrors[keyof AccountUpgradeErrors];
export type SessionsListErrors = { 401: Failure401; 403: Failure403_2; default: FailureDefault_2 };
export type SessionsListError = SessionsListErrors[keyof SessionsListErrors];
export type SessionsEndOthersErrors = { 401: Failure401; 403: Failure403_2; default: FailureDefault };
export type SessionsEndOthersError = SessionsEndOthersErrors[keyof SessionsEndOthersErrors];
export type SessionsEndErrors = { 401: Failure401; 403: Failure403_2; 404: Failure404_22; default: FailureDefault };
export type SessionsEndError = SessionsEndErrors[keyof SessionsEndErrors];
export type ProfileReadErrors = { 401: Failure401; 403: Failure403_2; default: FailureDefault_2 };
export type ProfileReadError = ProfileReadErrors[keyof ProfileReadErrors];
export type ProfileUpdateErrors = { 401: Failure401; 403: Failure403_2; 409: Failure409_11; default: FailureDefault };
export type ProfileUpdateError = ProfileUpdateErrors[keyof ProfileUpdateErrors];
export type SettingsReadErrors = { 401: Failure401; 403: Failure403_2; default: FailureDefault_2 };
export type SettingsReadError = SettingsReadErrors[keyof SettingsReadErrors];
export type SettingsUpdateErrors = { 401: Failure401; 403: Failure403_2; default: FailureDefault };
export type SettingsUpdateError = SettingsUpdateErrors[keyof SettingsUpdateErrors];
export type AccountExportErrors = { 401: Failure401; 403: Failure403_2; 429: Failure429_3; default: FailureDefault_2 };
export type AccountExportError = AccountExportErrors[keyof AccountExportErrors];
export type AuthSendCodeErrors = { 401: Failure401_4; 403: Failure403_10; 429: Failure429_9; 503: Failure503_5; default: FailureDefault };
export type AuthSendCodeError = AuthSendCodeErrors[keyof AuthSendCodeErrors];
export type AuthVerifyErrors = { 400: Failure400_2; 403: Failure403_7; 404: Failure404; default: FailureDefault };
export type AuthVerifyError = AuthVerifyErrors[keyof AuthVerifyErrors];
export type AuthRegisterErrors = { 400: Failure400_2; 403: Failure403_11; 409: Failure409_2; default: FailureDefault };
export type AuthRegisterError = AuthRegisterErrors[keyof AuthRegisterErrors];
export type AuthLogInErrors = { 400: Failure400_2; 401: Failure401_5; 403: Failure403_7; 404: Failure404; 429: Failure429; default: FailureDefault };
export type AuthLogInError = AuthLogInErrors[keyof AuthLogInErrors];
export type AuthMeErrors = { 401: Failure401; 403: Failure403_2; default: FailureDefault_2 };
export type AuthMeError = AuthMeErrors[keyof AuthMeErrors];
export type AuthRefreshErrors = { 401: Failure401_9; 403: Failure403_12; default: FailureDefault };
export type AuthRefreshError = AuthRefreshErrors[keyof AuthRefreshErrors];
export type AuthResetPasswordErrors = { 400: Failure400_2; 403: Failure403_13; default: FailureDefault };
export type AuthResetPasswordError = AuthResetPasswordErrors[keyof AuthResetPasswordErrors];
export type AuthLogOutErrors = { 401: Failure401; 403: Failure403_2; default: FailureDefault };
export type AuthLogOutError = AuthLogOutErrors[keyof AuthLogOutErrors];
export type AuthIssueTokenErrors = { 401: Failure401_5; 403: Failure403_14; 429: Failure429; default: FailureDefault };
export type AuthIssueTokenError = AuthIssueTokenErrors[keyof AuthIssueTokenErrors];
export type AccountChangePasswordErrors = { 401: Failure401_3; 403: Failure403_2; 429: Failure429; default: FailureDefault };
export type AccountChangePasswordError = AccountChangePasswordErrors[keyof AccountChangePasswordErrors];
export type AccountCloseErrors = { 400: Failure400_2; 401: Failure401_3; 403: Failure403_2; 409: Failure409_3; 429: Failure429; default: FailureDefault };
export type AccountCloseError = AccountCloseErrors[keyof AccountCloseErrors];
export type SetupStatusErrors = { 400: Failure400; 403: Failure403_4; 406: Failure406; 500: Failure500; 503: Failure503_2 };
export type SetupStatusError = SetupStatusErrors[keyof SetupStatusErrors];
export type SetupCreateAdministratorErrors = { 403: Failure403_15; 409: Failure409_12; default: FailureDefault };
export type SetupCreateAdministratorError = SetupCreateAdministratorErrors[keyof SetupCreateAdministratorErrors];
export type AdminInvitationsListErrors = { 401: Failure401; 403: Failure403; default: FailureDefault_2 };
export type AdminInvitationsListError = AdminInvitationsListErrors[keyof AdminInvitationsListErrors];
export type AdminInvitationsCreateErrors = { 401: Failure401; 403: Failure403; default: FailureDefault };
export type AdminInvitationsCreateError = AdminInvitationsCreateErrors[keyof AdminInvitationsCreateErrors];
export type AdminInvitationsRemoveErrors = { 401: Failure401; 403: Failure403; 404: Failure404_23; default: FailureDefault };
export type AdminInvitationsRemoveError = AdminInvitationsRemoveErrors[keyof AdminInvitationsRemoveErrors];
export type AuthListProvidersErrors = { 400: Failure400; 403: Failure403_4; 406: Failure406; 500: Failure500; 503: Failure503_2 };
export type AuthListProvidersError = AuthListProvidersErrors[keyof AuthListProvidersErrors];
export type AuthExchangeLoginCodeErrors = { 401: Failure401_10; 403: Failure403_8; 409: Failure409_13; default: FailureDefault };
export type AuthExchangeLoginCodeError = AuthExchangeLoginCodeErrors[keyof AuthExchangeLoginCodeErrors];
export type AuthLinkIdentityErrors = { 400: Failure400_2; 401: Failure401_4; 403: Failure403_8; default: FailureDefault };
export type AuthLinkIdentityError = AuthLinkIdentityErrors[keyof AuthLinkIdentityErrors];
export type AuthEndProviderSessionsErrors = { 400: Failure400_6; 403: Failure403_4; 404: Failure404_5; 406: Failure406; 413: Failure413_4; 415: Failure415; 500: Failure500; 503: Failure503_2 };
export type AuthEndProviderSessionsError = AuthEndProviderSessionsErrors[keyof AuthEndProviderSessionsErrors];
export type IdentitiesListErrors = { 401: Failure401; 403: Failure403_2; default: FailureDefault_2 };
export type IdentitiesListError = IdentitiesListErrors[keyof IdentitiesListErrors];
export type IdentitiesStartErrors = { 400: Failure400_2; 401: Failure401_3; 403: Failure403_2; 404: Failure404_5; 429: Failure429; 502: Failure502_3; default: FailureDefault };
export type IdentitiesStartError = IdentitiesStartErrors[keyof IdentitiesStartErrors];
export type IdentitiesUnlinkErrors = { 401: Failure401; 403: Failure403_2; 404: Failure404_24; 409: Failure409_5; default: FailureDefault };
export type IdentitiesUnlinkError = IdentitiesUnlinkErrors[keyof IdentitiesUnlinkErrors];
export type AdminIdentityProvidersListErrors = { 401: Failure401; 403: Failure403; default: FailureDefault_2 };
export type AdminIdentityProvidersListError = AdminIdentityProvidersListErrors[keyof AdminIdentityProvidersListErrors];
export type AdminIdentityProvidersCreateErrors = { 401: Failure401; 403: Failure403; 409: Failure409_14; default: FailureDefault };
export type AdminIdentityProvidersCreateError = AdminIdentityProvidersCreateErrors[keyof AdminIdentityProvidersCreateErrors];
export type AdminIdentityProvidersReadErrors = { 401: Failure401; 403: Failure403; 404: Failure404_5; default: FailureDefault_2 };
export type AdminIdentityProvidersReadError = AdminIdentityProvidersReadErrors[keyof AdminIdentityProvidersReadErrors];
export type AdminIdentityProvidersUpdateErrors = { 401: Failure401; 403: Failure403; 404: Failure404_5; 409: Failure409_15; default: FailureDefault };
export type AdminIdentityProvidersUpdateError = AdminIdentityProvidersUpdateErrors[keyof AdminIdentityProvidersUpdateErrors];
export type AdminIdentityProvidersRemoveErrors = { 401: Failure401; 403: Failure403; 404: Failure404_5; 409: Failure409_16; default: FailureDefault };
export type AdminIdentityProvidersRemoveError = AdminIdentityProvidersRemoveErrors[keyof AdminIdentityProvidersRemoveErrors];
export type AdminIdentityProvidersTestErrors = { 401: Failure401; 403: Failure403; 404: Failure404_5; default: FailureDefault };
export type AdminIdentityProvidersTestError = AdminIdentityProvidersTestErrors[keyof AdminIdentityProvidersTestErrors];
export type ApiKeysListErrors = { 401: Failure401; 403: Failure403_2; default: FailureDefault_2 };
export type ApiKeysListError = ApiKeysListErrors[keyof ApiKeysListErrors];
export type ApiKeysCreateErrors = { 401: Failure401; 403: Failure403_2; 409: Failure409_17; default: FailureDefault };
export type ApiKeysCreateError = ApiKeysCreateErrors[keyof ApiKeysCreateErrors];
export type ApiKeysUpdateErrors = { 401: Failure401; 403: Failure403_2; 404: Failure404_7; default: FailureDefault };
export type ApiKeysUpdateError = ApiKeysUpdateErrors[keyof ApiKeysUpdateErrors];
export type ApiKeysRevokeErrors = { 401: Failure401; 403: Failure403_2; 404: Failure404_7; default: FailureDefault };
export type ApiKeysRevokeError = ApiKeysRevokeErrors[keyof ApiKeysRevokeErrors];
export type ApiKeysRotateErrors = { 401: Failure401; 403: Failure403_2; 404: Failure404_7; default: FailureDefault };
export type ApiKeysRotateError = ApiKeysRotateErrors[keyof ApiKeysRotateErrors];
export type ApiKeysUsageErrors = { 401: Failure401; 403: Failure403_2; 404: Failure404_7; default: FailureDefault_2 };
export type ApiKeysUsageError = ApiKeysUsageErrors[keyof ApiKeysUsageErrors];
export type AdminApiKeysListErrors = { 401: Failure401; 403: Failure403; default: FailureDefault_2 };
export type AdminApiKeysListError = AdminApiKeysListErrors[keyof AdminApiKeysListErrors];
export type AdminUsersCreateApiKeyErrors = { 401: Failure401; 403: Failure403; 404: Failure404; 409: Failure409_18; default: FailureDefault };
export type AdminUsersCreateApiKeyError = AdminUsersCreateApiKeyErrors[keyof AdminUsersCreateApiKeyErrors];
export type AdminApiKeysRevokeErrors = { 401: Failure401; 403: Failure403; 404: Failure404_7; default: FailureDefault };
export type AdminApiKeysRevokeError = AdminApiKeysRevokeErrors[keyof AdminApiKeysRevokeErrors];
export type AdminPricesListErrors = { 401: Failure401; 403: Failure403; default: FailureDefault_2 };
export type AdminPricesListError = AdminPricesListErrors[keyof AdminPricesListErrors];
export type AdminPricesCreateErrors = { 401: Failure401; 403: Failure403; default: FailureDefault };
export type AdminPricesCreateError = AdminPricesCreateErrors[keyof AdminPricesCreateErrors];
export type AdminPricesBundledErrors = { 401: Failure401; 403: Failure403; default: FailureDefault_2 };
export type AdminPricesBundledError = AdminPricesBundledErrors[keyof AdminPricesBundledErrors];
export type AdminPricesImportErrors = { 401: Failure401; 403: Failure403; 429: Failure429_3; default: FailureDefault };
export type AdminPricesImportError = AdminPricesImportErrors[keyof AdminPricesImportErrors];
export type AdminPricesRemoveErrors = { 401: Failure401; 403: Failure403; 404: Failure404_25; 409: Failure409_19; default: FailureDefault };
export type AdminPricesRemoveError = AdminPricesRemoveErrors[keyof AdminPricesRemoveErrors];
export type AdminPricesRecomputeErrors = { 401: Failure401; 403: Failure403; default: FailureDefault };
export type AdminPricesRecomputeError = AdminPricesRecomputeErrors[keyof AdminPricesRecomputeErrors];
export type UsageStatsErrors = { 401: Failure401; 403: Failure403_2; default: FailureDefault_2 };
export type UsageStatsError = UsageStatsErrors[keyof UsageStatsErrors];
export type UsageTotalsErrors = { 401: Failure401; 403: Failure403_2; default: FailureDefault_2 };
export type UsageTotalsError = UsageTotalsErrors[keyof UsageTotalsErrors];
export type UsageQuotaErrors = { 401: Failure401; 403: Failure403_2; default: FailureDefault_2 };
export type UsageQuotaError = UsageQuotaErrors[keyof UsageQuotaErrors];
export type AdminBudgetsListErrors = { 401: Failure401; 403: Failure403; default: FailureDefault_2 };
export type AdminBudgetsListError = AdminBudgetsListErrors[keyof AdminBudgetsListErrors];
export type AdminBudgetsCreateErrors = { 401: Failure401; 403: Failure403; default: FailureDefault };
export type AdminBudgetsCreateError = AdminBudgetsCreateErrors[keyof AdminBudgetsCreateErrors];
export type AdminBudgetsUnpricedModelsErrors = { 401: Failure401; 403: Failure403; default: FailureDefault_2 };
export type AdminBudgetsUnpricedModelsError = AdminBudgetsUnpricedModelsErrors[keyof AdminBudgetsUnpricedModelsErrors];
export type AdminBudgetsReadErrors = { 401: Failure401; 403: Failure403; 404: Failure404_10; default: FailureDefault_2 };
export type AdminBudgetsReadError = AdminBudgetsReadErrors[keyof AdminBudgetsReadErrors];
export type AdminBudgetsUpdateErrors = { 401: Failure401; 403: Failure403; 404: Failure404_10; default: FailureDefault };
export type AdminBudgetsUpdateError = AdminBudgetsUpdateErrors[keyof AdminBudgetsUpdateErrors];
export type AdminBudgetsRemoveErrors = { 401: Failure401; 403: Failure403; 404: Failure404_10; default: FailureDefault };
export type AdminBudgetsRemoveError = AdminBudgetsRemoveErrors[keyof AdminBudgetsRemoveErrors];
export type AdminBudgetsResetErrors = { 401: Failure401; 403: Failure403; 404: Failure404_10; default: FailureDefault };
export type AdminBudgetsResetError = AdminBudgetsResetErrors[keyof AdminBudgetsResetErrors];
export type UsageBudgetErrors = { 401: Failure401; 403: Failure403_2; default: FailureDefault_2 };
export type UsageBudgetError = UsageBudgetErrors[keyof UsageBudgetErrors];
export type AgentsListActiveErrors = { 401: Failure401; 403: Failure403_2; default: FailureDefault_2 };
export type AgentsListActiveError = AgentsListActiveErrors[keyof AgentsListActiveErrors];
export type AgentsExportErrors = { 401: Failure401; 403: Failure403; default: FailureDefault_2 };
export type AgentsExportError = AgentsExportErrors[keyof AgentsExportErrors];
export type AgentsImportErrors = { 401: Failure401; 403: Failure403; 409: Failure409_4; 429: Failure429_3; default: FailureDefault };
export type AgentsImportError = AgentsImportErrors[keyof AgentsImportErrors];
export type AgentsListErrors = { 401: Failure401; 403: Failure403_2; default: FailureDefault_2 };
export type AgentsListError = AgentsListErrors[keyof AgentsListErrors];
export type AgentsCreateErrors = { 401: Failure401; 403: Failure403; 409: Failure409_4; default: FailureDefault };
export type AgentsCreateError = AgentsCreateErrors[keyof AgentsCreateErrors];
export type AgentsReadErrors = { 401: Failure401; 403: Failure403_2; 404: Failure404_3; default: FailureDefault_2 };
export type AgentsReadError = AgentsReadErrors[keyof AgentsReadErrors];
export type AgentsUpdateErrors = { 401: Failure401; 403: Failure403; 404: Failure404_3; 409: Failure409_20; default: FailureDefault };
export type AgentsUpdateError = AgentsUpdateErrors[keyof AgentsUpdateErrors];
export type AgentsRemoveErrors = { 401: Failure401; 403: Failure403; 404: Failure404_3; default: FailureDefault };
export type AgentsRemoveError = AgentsRemoveErrors[keyof AgentsRemoveErrors];
export type AgentsListVersionsErrors = { 401: Failure401; 403: Failure403; 404: Failure404_3; default: FailureDefault_2 };
export type AgentsListVersionsError = AgentsListVersionsErrors[keyof AgentsListVersionsErrors];
export type AgentsRestoreVersionErrors = { 401: Failure401; 403: Failure403; 404: Failure404_26; default: FailureDefault };
export type AgentsRestoreVersionError = AgentsRestoreVersionErrors[keyof AgentsRestoreVersionErrors];
export type AgentsDuplicateErrors = { 401: Failure401; 403: Failure403; 404: Failure404_3; 409: Failure409_4; default: FailureDefault };
export type AgentsDuplicateError = AgentsDuplicateErrors[keyof AgentsDuplicateErrors];
export type AgentsTestErrors = { 401: Failure401; 403: Failure403; 404: Failure404_3; 422: Failure422_4; 429: Failure429_6; 502: Failure502; 503: Failure503; 504: Failure504; default: FailureDefault };
export type AgentsTestError = AgentsTestErrors[keyof AgentsTestErrors];
export type AgentsStatsErrors = { 401: Failure401; 403: Failure403; 404: Failure404_3; default: FailureDefault_2 };
export type AgentsStatsError = AgentsStatsErrors[keyof AgentsStatsErrors];
export type AdminGroupsListErrors = { 401: Failure401; 403: Failure403; default: FailureDefault_2 };
export type AdminGroupsListError = AdminGroupsListErrors[keyof AdminGroupsListErrors];
export type AdminGroupsCreateErrors = { 401: Failure401; 403: Failure403; 409: Failure409_21; default: FailureDefault };
export type AdminGroupsCreateError = AdminGroupsCreateErrors[keyof AdminGroupsCreateErrors];
export type AdminGroupsReadErrors = { 401: Failure401; 403: Failure403; 404: Failure404_11; default: FailureDefault_2 };
export type AdminGroupsReadError = AdminGroupsReadErrors[keyof AdminGroupsReadErrors];
export type AdminGroupsUpdateErrors = { 401: Failure401; 403: Failure403; 404: Failure404_11; 409: Failure409_22; default: FailureDefault };
export type AdminGroupsUpdateError = AdminGroupsUpdateErrors[keyof AdminGroupsUpdateErrors];
export type AdminGroupsRemoveErrors = { 401: Failure401; 403: Failure403; 404: Failure404_11; default: FailureDefault };
export type AdminGroupsRemoveError = AdminGroupsRemoveErrors[keyof AdminGroupsRemoveErrors];
export type AdminGroupsListMembersErrors = { 401: Failure401; 403: Failure403; 404: Failure404_11; default: FailureDefault_2 };
export type AdminGroupsListMembersError = AdminGroupsListMembersErrors[keyof AdminGroupsListMembersErrors];
export type AdminGroupsAddMemberErrors = { 401: Failure401; 403: Failure403; 404: Failure404_27; default: FailureDefault };
export type AdminGroupsAddMemberError = AdminGroupsAddMemberErrors[keyof AdminGroupsAddMemberErrors];
export type AdminGroupsRemoveMemberErrors = { 401: Failure401; 403: Failure403; 404: Failure404_28; 409: Failure409_23; default: FailureDefault };
export type AdminGroupsRemoveMemberError = AdminGroupsRemoveMemberErrors[keyof AdminGroupsRemoveMemberErrors];
export type ChatActionsListErrors = { 401: Failure401; 403: Failure403_2; 404: Failure404_2; default: FailureDefault_2 };
export type ChatActionsListError = ChatActionsListErrors[keyof ChatActionsListErrors];
export type ChatActionsDecideErrors = { 401: Failure401; 403: Failure403_16; 404: Failure404_29; 409: Failure409_24; 410: Failure410; 422: Failure422_5; 429: Failure429_7; 502: Failure502; 503: Failure503; 504: Failure504; default: FailureDefault };
export type ChatActionsDecideError = ChatActionsDecideErrors[keyof ChatActionsDecideErrors];
export type UserActionsListErrors = { 401: Failure401; 403: Failure403_2; default: FailureDefault_2 };
export type UserActionsListError = UserActionsListErrors[keyof UserActionsListErrors];
export type UserApprovalsListErrors = { 401: Failure401; 403: Failure403_2; default: FailureDefault_2 };
export type UserApprovalsListError = UserApprovalsListErrors[keyof UserApprovalsListErrors];
export type UserApprovalsRemoveErrors = { 401: Failure401; 403: Failure403_2; 404: Failure404_30; default: FailureDefault };
export type UserApprovalsRemoveError = UserApprovalsRemoveErrors[keyof UserApprovalsRemoveErrors];
export type AdminActionsListErrors = { 401: Failure401; 403: Failure403; default: FailureDefault_2 };
export type AdminActionsListError = AdminActionsListErrors[keyof AdminActionsListErrors];
export type AdminMessagesReadTraceErrors = { 401: Failure401; 403: Failure403; 404: Failure404_31; default: FailureDefault_2 };
export type AdminMessagesReadTraceError = AdminMessagesReadTraceErrors[keyof AdminMessagesReadTraceErrors];
export type AdminRepliesListErrors = { 401: Failure401; 403: Failure403; default: FailureDefault_2 };
export type AdminRepliesListError = AdminRepliesListErrors[keyof AdminRepliesListErrors];
export type AdminRepliesByModelErrors = { 401: Failure401; 403: Failure403; default: FailureDefault_2 };
export type AdminRepliesByModelError = AdminRepliesByModelErrors[keyof AdminRepliesByModelErrors];
export type ChatReadTraceErrors = { 401: Failure401; 403: Failure403_2; 404: Failure404_8; default: FailureDefault_2 };
export type ChatReadTraceError = ChatReadTraceErrors[keyof ChatReadTraceErrors];
export type ChatListErrors = { 401: Failure401; 403: Failure403_2; default: FailureDefault_2 };
export type ChatListError = ChatListErrors[keyof ChatListErrors];
export type ChatCreateErrors = { 401: Failure401; 403: Failure403_5; 404: Failure404_32; 409: Failure409_25; default: FailureDefault };
export type ChatCreateError = ChatCreateErrors[keyof ChatCreateErrors];
export type ChatListTrashErrors = { 401: Failure401; 403: Failure403_2; default: FailureDefault_2 };
export type ChatListTrashError = ChatListTrashErrors[keyof ChatListTrashErrors];
export type ChatReadErrors = { 401: Failure401; 403: Failure403_2; 404: Failure404_2; default: FailureDefault_2 };
export type ChatReadError = ChatReadErrors[keyof ChatReadErrors];
export type ChatUpdateErrors = { 401: Failure401; 403: Failure403_2; 404: Failure404_2; default: FailureDefault };
export type ChatUpdateError = ChatUpdateErrors[keyof ChatUpdateErrors];
export type ChatRemoveErrors = { 401: Failure401; 403: Failure403_2; 404: Failure404_2; default: FailureDefault };
export type ChatRemoveError = ChatRemoveErrors[keyof ChatRemoveErrors];
export type ChatSwitchLineErrors = { 401: Failure401; 403: Failure403_2; 404: Failure404_8; 409: Failure409_26; default: FailureDefault };
export type ChatSwitchLineError = ChatSwitchLineErrors[keyof ChatSwitchLineErrors];
export type ChatMarkReadErrors = { 401: Failure401; 403: Failure403_2; 404: Failure404_8; default: FailureDefault };
export type ChatMarkReadError = ChatMarkReadErrors[keyof ChatMarkReadErrors];
export type ChatRestoreErrors = { 401: Failure401; 403: Failure403_2; 404: Failure404_2; default: FailureDefault };
export type ChatRestoreError = ChatRestoreErrors[keyof ChatRestoreErrors];
export type ChatSendErrors = { 401: Failure401; 403: Failure403_17; 404: Failure404_33; 409: Failure409_27; 410: Failure410; 413: Failure413_3; 422: Failure422_2; 429: Failure429_4; 502: Failure502; 503: Failure503; 504: Failure504; default: FailureDefault };
export type ChatSendError = ChatSendErrors[keyof ChatSendErrors];
export type ChatEditErrors = { 401: Failure401; 403: Failure403_5; 404: Failure404_16; 409: Failure409_6; 413: Failure413_3; 422: Failure422_2; 429: Failure429_4; 502: Failure502; 503: Failure503; 504: Failure504; default: FailureDefault };
export type ChatEditError = ChatEditErrors[keyof ChatEditErrors];
export type ChatRegenerateErrors = { 401: Failure401; 403: Failure403_5; 404: Failure404_8; 409: Failure409_6; 422: Failure422_6; 429: Failure429_4; 502: Failure502; 503: Failure503; 504: Failure504; default: FailureDefault };
export type ChatRegenerateError = ChatRegenerateErrors[keyof ChatRegenerateErrors];
export type ChatListMessagesErrors = { 401: Failure401; 403: Failure403_2; 404: Failure404_2; default: FailureDefault_2 };
export type ChatListMessagesError = ChatListMessagesErrors[keyof ChatListMessagesErrors];
export type ChatRateErrors = { 401: Failure401; 403: Failure403_2; 404: Failure404_8; 413: Failure413_3; default: FailureDefault };
export type ChatRateError = ChatRateErrors[keyof ChatRateErrors];
export type ChatReadFileErrors = { 401: Failure401; 403: Failure403_2; 404: Failure404_16; default: FailureDefault_2 };
export type ChatReadFileError = ChatReadFileErrors[keyof ChatReadFileErrors];
export type ChatStopErrors = { 401: Failure401; 403: Failure403_2; 404: Failure404_2; default: FailureDefault };
export type ChatStopError = ChatStopErrors[keyof ChatStopErrors];
export type ChatCreateTicketErrors = { 401: Failure401; 403: Failure403_2; 404: Failure404_2; default: FailureDefault };
export type ChatCreateTicketError = ChatCreateTicketErrors[keyof ChatCreateTicketErrors];
export type ChatJoinErrors = { 401: Failure401_6; 403: Failure403_2; 404: Failure404_2; 422: Failure422_7; 429: Failure429_7; 502: Failure502; 503: Failure503; 504: Failure504; default: FailureDefault_2 };
export type ChatJoinError = ChatJoinErrors[keyof ChatJoinErrors];
export type OpenaiListModelsErrors = { 401: Failure401_2; 403: Failure403_3; default: FailureDefault_4 };
export type OpenaiListModelsError = OpenaiListModelsErrors[keyof OpenaiListModelsErrors];
export type OpenaiReadModelErrors = { 401: Failure401_2; 403: Failure403_6; 404: Failure404_17; 409: Failure409_28; default: FailureDefault_4 };
export type OpenaiReadModelError = OpenaiReadModelErrors[keyof OpenaiReadModelErrors];
export type OpenaiCreateCompletionErrors = { 400: Failure400_7; 401: Failure401_2; 403: Failure403_6; 404: Failure404_17; 409: Failure409_7; 413: Failure413; 429: Failure429_5; 502: Failure502_2; 503: Failure503_3; 504: Failure504_2; default: FailureDefault_3 };
export type OpenaiCreateCompletionError = OpenaiCreateCompletionErrors[keyof OpenaiCreateCompletionErrors];
export type OpenaiCompactResponseErrors = { 400: Failure400_4; 401: Failure401_2; 403: Failure403_9; 404: Failure404_18; 409: Failure409_8; 410: Failure410_2; 413: Failure413_2; 424: Failure424; 429: Failure429_5; 502: Failure502_2; 503: Failure503_3; 504: Failure504_2; default: FailureDefault_3 };
export type OpenaiCompactResponseError = OpenaiCompactResponseErrors[keyof OpenaiCompactResponseErrors];
export type OpenaiCreateResponseErrors = { 400: Failure400_4; 401: Failure401_2; 403: Failure403_9; 404: Failure404_18; 409: Failure409_8; 410: Failure410_2; 413: Failure413_2; 424: Failure424; 429: Failure429_5; 502: Failure502_2; 503: Failure503_3; 504: Failure504_2; default: FailureDefault_3 };
export type OpenaiCreateResponseError = OpenaiCreateResponseErrors[keyof OpenaiCreateResponseErrors];
export type OpenaiReadResponseErrors = { 401: Failure401_2; 403: Failure403_3; 404: Failure404_12; default: FailureDefault_4 };
export type OpenaiReadResponseError = OpenaiReadResponseErrors[keyof OpenaiReadResponseErrors];
export type OpenaiRemoveResponseErrors = { 400: Failure400_3; 401: Failure401_2; 403: Failure403_3; 404: Failure404_12; 413: Failure413; 429: Failure429_2; default: FailureDefault_3 };
export type OpenaiRemoveResponseError = OpenaiRemoveResponseErrors[keyof OpenaiRemoveResponseErrors];
export type OpenaiListInputItemsErrors = { 401: Failure401_2; 403: Failure403_3; 404: Failure404_12; default: FailureDefault_4 };
export type OpenaiListInputItemsError = OpenaiListInputItemsErrors[keyof OpenaiListInputItemsErrors];
export type OpenaiCancelResponseErrors = { 400: Failure400_8; 401: Failure401_2; 403: Failure403_3; 404: Failure404_12; 409: Failure409_9; 413: Failure413; 429: Failure429_2; default: FailureDefault_3 };
export type OpenaiCancelResponseError = OpenaiCancelResponseErrors[keyof OpenaiCancelResponseErrors];
export type OpenaiCreateConversationErrors = { 400: Failure400_5; 401: Failure401_2; 403: Failure403_6; 404: Failure404_34; 409: Failure409_7; 413: Failure413_2; 429: Failure429_8; default: FailureDefault_3 };
export type OpenaiCreateConversationError = OpenaiCreateConversationErrors[keyof OpenaiCreateConversationErrors];
export type OpenaiReadConversationErrors = { 401: Failure401_2; 403: Failure403_3; 404: Failure404_14; default: FailureDefault_4 };
export type OpenaiReadConversationError = OpenaiReadConversationErrors[keyof OpenaiReadConversationErrors];
export type OpenaiUpdateConversationErrors = { 400: Failure400_3; 401: Failure401_2; 403: Failure403_3; 404: Failure404_14; 409: Failure409_9; 413: Failure413_2; 429: Failure429_2; default: FailureDefault_3 };
export type OpenaiUpdateConversationError = OpenaiUpdateConversationErrors[keyof OpenaiUpdateConversationErrors];
export type OpenaiRemoveConversationErrors = { 400: Failure400_3; 401: Failure401_2; 403: Failure403_3; 404: Failure404_14; 413: Failure413; 429: Failure429_2; default: FailureDefault_3 };
export type OpenaiRemoveConversationError = OpenaiRemoveConversationErrors[keyof OpenaiRemoveConversationErrors];
export type OpenaiListItemsErrors = { 401: Failure401_2; 403: Failure403_3; 404: Failure404_13; default: FailureDefault_4 };
export type OpenaiListItemsError = OpenaiListItemsErrors[keyof OpenaiListItemsErrors];
export type OpenaiAddItemsErrors = { 400: Failure400_5; 401: Failure401_2; 403: Failure403_3; 404: Failure404_13; 409: Failure409_29; 413: Failure413_2; 429: Failure429_8; default: FailureDefault_3 };
export type OpenaiAddItemsError = OpenaiAddItemsErrors[keyof OpenaiAddItemsErrors];
export type OpenaiReadItemErrors = { 401: Failure401_2; 403: Failure403_3; 404: Failure404_13; default: FailureDefault_4 };
export type OpenaiReadItemError = OpenaiReadItemErrors[keyof OpenaiReadItemErrors];
export type OpenaiRemoveItemErrors = { 400: Failure400_9; 401: Failure401_2; 403: Failure403_3; 404: Failure404_13; 413: Failure413; 429: Failure429_2; default: FailureDefault_3 };
export type OpenaiRemoveItemError = OpenaiRemoveItemErrors[keyof OpenaiRemoveItemErrors];
export type ChatSharesListErrors = { 401: Failure401; 403: Failure403_2; 404: Failure404_2; default: FailureDefault_2 };
export type ChatSharesListError = ChatSharesListErrors[keyof ChatSharesListErrors];
export type ChatSharesCreateErrors = { 401: Failure401; 403: Failure403_2; 404: Failure404_19; default: FailureDefault };
export type ChatSharesCreateError = ChatSharesCreateErrors[keyof ChatSharesCreateErrors];
export type ChatSharesRemoveErrors = { 401: Failure401; 403: Failure403_2; 404: Failure404_19; default: FailureDefault };
export type ChatSharesRemoveError = ChatSharesRemoveErrors[keyof ChatSharesRemoveErrors];
export type SharedAccessErrors = { 401: Failure401; 403: Failure403_2; default: FailureDefault_2 };
export type SharedAccessError = SharedAccessErrors[keyof SharedAccessErrors];
export type SharedReadErrors = { 401: Failure401_7; 403: Failure403_4; 404: Failure404_20; default: FailureDefault_2 };
export type SharedReadError = SharedReadErrors[keyof SharedReadErrors];
export type SharedReadFileErrors = { 401: Failure401_7; 403: Failure403_4; 404: Failure404_35; default: FailureDefault_2 };
export type SharedReadFileError = SharedReadFileErrors[keyof SharedReadFileErrors];
export type SharedContinueErrors = { 401: Failure401; 403: Failure403_2; 404: Failure404_20; 409: Failure409_30; 413: Failure413_3; default: FailureDefault };
export type SharedContinueError = SharedContinueErrors[keyof SharedContinueErrors];
export type WebhooksListEventsErrors = { 401: Failure401; 403: Failure403_2; default: FailureDefault_2 };
export type WebhooksListEventsError = WebhooksListEventsErrors[keyof WebhooksListEventsErrors];
export type WebhooksListErrors = { 401: Failure401; 403: Failure403_2; default: FailureDefault_2 };
export type WebhooksListError = WebhooksListErrors[keyof WebhooksListErrors];
export type WebhooksCreateErrors = { 401: Failure401; 403: Failure403; 422: Failure422_3; default: FailureDefault };
export type WebhooksCreateError = WebhooksCreateErrors[keyof WebhooksCreateErrors];
export type WebhooksReadErrors = { 401: Failure401; 403: Failure403_2; 404: Failure404_4; default: FailureDefault_2 };
export type WebhooksReadError = WebhooksReadErrors[keyof WebhooksReadErrors];
export type WebhooksUpdateErrors = { 401: Failure401; 403: Failure403; 404: Failure404_4; 422: Failure422_3; default: FailureDefault };
export type WebhooksUpdateError = WebhooksUpdateErrors[keyof WebhooksUpdateErrors];
export type WebhooksRemoveErrors = { 401: Failure401; 403: Failure403_2; 404: Failure404_4; default: FailureDefault };
export type WebhooksRemoveError = WebhooksRemoveErrors[keyof WebhooksRemoveErrors];
export type WebhooksRotateSecretErrors = { 401: Failure401; 403: Failure403_2; 404: Failure404_4; default: FailureDefault };
export type WebhooksRotateSecretError = WebhooksRotateSecretErrors[keyof WebhooksRotateSecretErrors];
export type WebhooksTestErrors = { 401: Failure401; 403: Failure403_2; 404: Failure404_4; default: FailureDefault };
export type WebhooksTestError = WebhooksTestErrors[keyof WebhooksTestErrors];
export type WebhooksListDeliveriesErrors = { 401: Failure401; 403: Failure403_2; 404: Failure404_4; default: FailureDefault_2 };
export type WebhooksListDeliveriesError = WebhooksListDeliveriesErrors[keyof WebhooksListDeliveriesErrors];
export type WebhooksReadDeliveryErrors = { 401: Failure401; 403: Failure403_2; 404: Failure404_21; default: FailureDefault_2 };
export type WebhooksReadDeliveryError = WebhooksReadDeliveryErrors[keyof WebhooksReadDeliveryErrors];
export type WebhooksRedeliverErrors = { 401: Failure401; 403: Failure403_2; 404: Failure404_21; default: FailureDefault };
export type WebhooksRedeliverError = WebhooksRedeliverErrors[keyof WebhooksRedeliverErrors];
export type WebhooksReplayErrors = { 401: Failure401; 403: Failure403_2; 404: Failure404_4; default: FailureDefault };
export type WebhooksReplayError = WebhooksReplayErrors[keyof WebhooksReplayErrors];
export type EventsReadErrors = { 401: Failure401_6; 403: Failure403_2; 429: Failure429_3; default: FailureDefault_2 };
export type EventsReadError = EventsReadErrors[keyof EventsReadErrors];
export type EventsCreateTicketErrors = { 401: Failure401; 403: Failure403_2; default: FailureDefault };
export type EventsCreateTicketError = EventsCreateTicketErrors[keyof EventsCreateTicketErrors];
export type AdminToolsListErrors = { 401: Failure401; 403: Failure403; default: FailureDefault_2 };
export type AdminToolsListError = AdminToolsListErrors[keyof AdminToolsListErrors];
export type AdminToolsTestErrors = { 401: Failure401; 403: Failure403; 404: Failure404_36; 409: Failure409; default: FailureDefault };
export type AdminToolsTestError = AdminToolsTestErrors[keyof AdminToolsTestErrors];
export type AdminMcpServersListErrors = { 401: Failure401; 403: Failure403; default: FailureDefault_2 };
export type AdminMcpServersListError = AdminMcpServersListErrors[keyof AdminMcpServersListErrors];
export type AdminMcpServersCreateErrors = { 401: Failure401; 403: Failure403; 409: Failure409_10; 422: Failure422; default: FailureDefault };
export type AdminMcpServersCreateError = AdminMcpServersCreateErrors[keyof AdminMcpServersCreateErrors];
export type AdminMcpServersExportErrors = { 401: Failure401; 403: Failure403; default: FailureDefault_2 };
export type AdminMcpServersExportError = AdminMcpServersExportErrors[keyof AdminMcpServersExportErrors];
export type AdminMcpServersImportErrors = { 401: Failure401; 403: Failure403; 409: Failure409_10; 422: Failure422; default: FailureDefault };
export type AdminMcpServersImportError = AdminMcpServersImportErrors[keyof AdminMcpServersImportErrors];
export type AdminMcpServersReadErrors = { 401: Failure401; 403: Failure403; 404: Failure404_6; default: FailureDefault_2 };
export type AdminMcpServersReadError = AdminMcpServersReadErrors[keyof AdminMcpServersReadErrors];
export type AdminMcpServersUpdateErrors = { 401: Failure401; 403: Failure403; 404: Failure404_6; 422: Failure422; default: FailureDefault };
export type AdminMcpServersUpdateError = AdminMcpServersUpdateErrors[keyof AdminMcpServersUpdateErrors];
export type AdminMcpServersRemoveErrors = { 401: Failure401; 403: Failure403; 404: Failure404_6; 409: Failure409_31; default: FailureDefault };
export type AdminMcpServersRemoveError = AdminMcpServersRemoveErrors[keyof AdminMcpServersRemoveErrors];
export type AdminMcpServersTestErrors = { 401: Failure401; 403: Failure403; 404: Failure404_6; 409: Failure409; default: FailureDefault };
export type AdminMcpServersTestError = AdminMcpServersTestErrors[keyof AdminMcpServersTestErrors];
export type AdminMcpServersRefreshErrors = { 401: Failure401; 403: Failure403; 404: Failure404_6; 409: Failure409; 502: Failure502_4; default: FailureDefault };
export type AdminMcpServersRefreshError = AdminMcpServersRefreshErrors[keyof AdminMcpServersRefreshErrors];
export type AdminMcpServersToolsErrors = { 401: Failure401; 403: Failure403; 404: Failure404_6; 409: Failure409; default: FailureDefault_2 };
export type AdminMcpServersToolsError = AdminMcpServersToolsErrors[keyof AdminMcpServersToolsErrors];
export type AdminMcpServersDecideErrors = { 401: Failure401; 403: Failure403; 404: Failure404_37; 409: Failure409_32; default: FailureDefault };
export type AdminMcpServersDecideError = AdminMcpServersDecideErrors[keyof AdminMcpServersDecideErrors];
export type ConnectionsListErrors = { 401: Failure401; 403: Failure403_2; default: FailureDefault_2 };
export type ConnectionsListError = ConnectionsListErrors[keyof ConnectionsListErrors];
export type ConnectionsStartErrors = { 401: Failure401; 403: Failure403_2; 404: Failure404_15; 409: Failure409_33; 502: Failure502_5; default: FailureDefault };
export type ConnectionsStartError = ConnectionsStartErrors[keyof ConnectionsStartErrors];
export type ConnectionsRemoveErrors = { 401: Failure401; 403: Failure403_2; 404: Failure404_15; default: FailureDefault };
export type ConnectionsRemoveError = ConnectionsRemoveErrors[keyof ConnectionsRemoveErrors];
export type ConnectionsClientDocumentErrors = { 403: Failure403_4; 404: Failure404_15; default: FailureDefault_2 };
export type ConnectionsClientDocumentError = ConnectionsClientDocumentErrors[keyof ConnectionsClientDocumentErrors];
export type AdminUsersListErrors = { 401: Failure401; 403: Failure403; default: FailureDefault_2 };
export type AdminUsersListError = AdminUsersListErrors[keyof AdminUsersListErrors];
export type AdminUsersCreateErrors = { 401: Failure401; 403: Failure403; 409: Failure409_2; default: FailureDefault };
export type AdminUsersCreateError = AdminUsersCreateErrors[keyof AdminUsersCreateErrors];
export type AdminUsersReadErrors = { 401: Failure401; 403: Failure403; 404: Failure404; default: FailureDefault_2 };
export type AdminUsersReadError = AdminUsersReadErrors[keyof AdminUsersReadErrors];
export type AdminUsersUpdateErrors = { 401: Failure401; 403: Failure403; 404: Failure404; 409: Failure409_34; default: FailureDefault };
export type AdminUsersUpdateError = AdminUsersUpdateErrors[keyof AdminUsersUpdateErrors];
export type AdminUsersCloseErrors = { 401: Failure401; 403: Failure403; 404: Failure404; 409: Failure409_3; default: FailureDefault };
export type AdminUsersCloseError = AdminUsersCloseErrors[keyof AdminUsersCloseErrors];
export type AdminUsersUsageErrors = { 401: Failure401; 403: Failure403; 404: Failure404; default: FailureDefault_2 };
export type AdminUsersUsageError = AdminUsersUsageErrors[keyof AdminUsersUsageErrors];
export type AdminUsersBanErrors = { 401: Failure401; 403: Failure403; 404: Failure404; 409: Failure409_3; default: FailureDefault };
export type AdminUsersBanError = AdminUsersBanErrors[keyof AdminUsersBanErrors];
export type AdminUsersUnbanErrors = { 401: Failure401; 403: Failure403; 404: Failure404; default: FailureDefault };
export type AdminUsersUnbanError = AdminUsersUnbanErrors[keyof AdminUsersUnbanErrors];
export type AdminUsersReinstateErrors = { 401: Failure401; 403: Failure403; 404: Failure404; default: FailureDefault };
export type AdminUsersReinstateError = AdminUsersReinstateErrors[keyof AdminUsersReinstateErrors];
export type AdminUsersRevokeSessionsErrors = { 401: Failure401; 403: Failure403; 404: Failure404; default: FailureDefault };
export type AdminUsersRevokeSessionsError = AdminUsersRevokeSessionsErrors[keyof AdminUsersRevokeSessionsErrors];
export type AdminUsersRestoreErrors = { 401: Failure401; 403: Failure403; 404: Failure404; 409: Failure409_2; default: FailureDefault };
export type AdminUsersRestoreError = AdminUsersRestoreErrors[keyof AdminUsersRestoreErrors];
export type AdminCostsListErrors = { 401: Failure401; 403: Failure403; default: FailureDefault_2 };
export type AdminCostsListError = AdminCostsListErrors[keyof AdminCostsListErrors];
export type AdminStatsOverviewErrors = { 401: Failure401; 403: Failure403; default: FailureDefault_2 };
export type AdminStatsOverviewError = AdminStatsOverviewErrors[keyof AdminStatsOverviewErrors];
export type AdminStatsUsageErrors = { 401: Failure401; 403: Failure403; default: FailureDefault_2 };
export type AdminStatsUsageError = AdminStatsUsageErrors[keyof AdminStatsUsageErrors];
export type AdminToolsStatisticsErrors = { 401: Failure401; 403: Failure403; default: FailureDefault_2 };
export type AdminToolsStatisticsError = AdminToolsStatisticsErrors[keyof AdminToolsStatisticsErrors];
export type AdminAttentionListErrors = { 401: Failure401; 403: Failure403; default: FailureDefault_2 };
export type AdminAttentionListError = AdminAttentionListErrors[keyof AdminAttentionListErrors];
export type AdminChatsListErrors = { 401: Failure401; 403: Failure403; default: FailureDefault_2 };
export type AdminChatsListError = AdminChatsListErrors[keyof AdminChatsListErrors];
export type AdminChatsReadErrors = { 401: Failure401; 403: Failure403; 404: Failure404_2; default: FailureDefault_2 };
export type AdminChatsReadError = AdminChatsReadErrors[keyof AdminChatsReadErrors];
export type AdminFeedbackListErrors = { 401: Failure401; 403: Failure403; default: FailureDefault_2 };
export type AdminFeedbackListError = AdminFeedbackListErrors[keyof AdminFeedbackListErrors];
export type AdminPlansListErrors = { 401: Failure401; 403: Failure403; default: FailureDefault_2 };
export type AdminPlansListError = AdminPlansListErrors[keyof AdminPlansListErrors];
export type AdminPlansReadErrors = { 401: Failure401; 403: Failure403; default: FailureDefault_2 };
export type AdminPlansReadError = AdminPlansReadErrors[keyof AdminPlansReadErrors];
export type AdminPlansUpdateErrors = { 401: Failure401; 403: Failure403; default: FailureDefault };
export type AdminPlansUpdateError = AdminPlansUpdateErrors[keyof AdminPlansUpdateErrors];
export type AdminSettingsReadErrors = { 401: Failure401; 403: Failure403; default: FailureDefault_2 };
export type AdminSettingsReadError = AdminSettingsReadErrors[keyof AdminSettingsReadErrors];
export type AdminSettingsUpdateErrors = { 401: Failure401; 403: Failure403; 409: Failure409_5; default: FailureDefault };
export type AdminSettingsUpdateError = AdminSettingsUpdateErrors[keyof AdminSettingsUpdateErrors];
export type AdminSettingsTestMailErrors = { 401: Failure401; 403: Failure403; default: FailureDefault };
export type AdminSettingsTestMailError = AdminSettingsTestMailErrors[keyof AdminSettingsTestMailErrors];
export type AdminModelsListErrors = { 401: Failure401; 403: Failure403; default: FailureDefault_2 };
export type AdminModelsListError = AdminModelsListErrors[keyof AdminModelsListErrors];
export type AdminModelsTestErrors = { 401: Failure401; 403: Failure403; 422: Failure422_8; 429: Failure429_6; 502: Failure502; 503: Failure503; 504: Failure504; default: FailureDefault };
export type AdminModelsTestError = AdminModelsTestErrors[keyof AdminModelsTestErrors];
export type AdminProvidersListErrors = { 401: Failure401; 403: Failure403; default: FailureDefault_2 };
export type AdminProvidersListError = AdminProvidersListErrors[keyof AdminProvidersListErrors];
export type AdminProvidersCreateErrors = { 401: Failure401; 403: Failure403; 409: Failure409_35; default: FailureDefault };
export type AdminProvidersCreateError = AdminProvidersCreateErrors[keyof AdminProvidersCreateErrors];
export type AdminProvidersDiscoverErrors = { 401: Failure401; 403: Failure403; default: FailureDefault };
export type AdminProvidersDiscoverError = AdminProvidersDiscoverErrors[keyof AdminProvidersDiscoverErrors];
export type AdminProvidersReadErrors = { 401: Failure401; 403: Failure403; 404: Failure404_9; default: FailureDefault_2 };
export type AdminProvidersReadError = AdminProvidersReadErrors[keyof AdminProvidersReadErrors];
export type AdminProvidersUpdateErrors = { 401: Failure401; 403: Failure403; 404: Failure404_9; 409: Failure409_36; default: FailureDefault };
export type AdminProvidersUpdateError = AdminProvidersUpdateErrors[keyof AdminProvidersUpdateErrors];
export type AdminProvidersRemoveErrors = { 401: Failure401; 403: Failure403; 404: Failure404_9; 409: Failure409_37; default: FailureDefault };
export type AdminProvidersRemoveError = AdminProvidersRemoveErrors[keyof AdminProvidersRemoveErrors];
export type AdminProvidersTestErrors = { 401: Failure401; 403: Failure403; 404: Failure404_9; 429: Failure429_10; default: FailureDefault };
export type AdminProvidersTestError = AdminProvidersTestErrors[keyof AdminProvidersTestErrors];
export type AdminProvidersListModelsErrors = { 401: Failure401; 403: Failure403; 404: Failure404_9; 502: Failure502; 503: Failure503; 504: Failure504; default: FailureDefault_2 };
export type AdminProvidersListModelsError = AdminProvidersListModelsErrors[keyof AdminProvidersListModelsErrors];
export type AdminEmailTestErrors = { 401: Failure401; 403: Failure403; 503: Failure503_5; default: FailureDefault };
export type AdminEmailTestError = AdminEmailTestErrors[keyof AdminEmailTestErrors];
export type AdminWebhooksListErrors = { 401: Failure401; 403: Failure403; default: FailureDefault_2 };
export type AdminWebhooksListError = AdminWebhooksListErrors[keyof AdminWebhooksListErrors];
export type AdminAuditListErrors = { 401: Failure401; 403: Failure403; default: FailureDefault_2 };
export type AdminAuditListError = AdminAuditListErrors[keyof AdminAuditListErrors];
export type BootstrapReadErrors = { 401: Failure401; 403: Failure403_2; default: FailureDefault_2 };
export type BootstrapReadError = BootstrapReadErrors[keyof BootstrapReadErrors];
export type BootstrapSignInErrors = { 400: Failure400; 403: Failure403_4; 406: Failure406; 500: Failure500; 503: Failure503_2 };
export type BootstrapSignInError = BootstrapSignInErrors[keyof BootstrapSignInErrors];
