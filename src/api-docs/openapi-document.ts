import type { INestApplication, Type } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { SUCCESS_BODY, SUCCESS_BODY_SCHEMA } from '../common/envelope/success-body';
import { ErrorDialects } from '../common/errors/error-dialects';
import { Features } from '../common/features/features';
import { ApiPaths } from '../common/http/api-paths';
import { readsBody } from '../common/http/body/request-body';
import { Scopes } from '../common/security/scopes';
import { SERVICE_VERSION } from '../common/service-version';
import { LanguageBodyDto } from '../common/validation/language-body.dto';
import { bodySchemasOf, documentedSchemas } from '../common/validation/schemas/documented-schemas';
import type { NamedSchema } from '../common/validation/schemas/named-schema';
import { shareCommonFailures } from './common-failures';
import { DESCRIPTION } from './description';
import { documentErrors } from './error-schemas';
import { inheritSchemas } from './inherit-schemas';
import { useJsonSchemas } from './json-schemas';
import { API_KEY_SCHEME, documentKeyAccess, documentRequiredScopes, shareSecurity } from './key-access';
import { operationsOf } from './operations';
import { documentPipelineErrors } from './pipeline-errors';
import { refineDocument } from './refine-document';
import { documentHeaders } from './response-headers';
import { shareForms } from './share-forms';
import { shareProperties } from './share-properties';
import { shareRepeated } from './share-repeated';

/** Lets users log in on the page itself, which gets the same kind of access token. */
const PASSWORD_LOGIN: Parameters<DocumentBuilder['addOAuth2']>[0] = {
  type: 'oauth2',
  description: 'Email address (as `username`) and password. Leave `client_id` and `client_secret` empty.',
  flows: { password: { tokenUrl: '/api/v1/auth/token', scopes: {} } },
};

/**
 * The service's OpenAPI document, built from the controllers.
 *
 * @param publicUrl public address of the service; without it, the address from which the page was loaded
 */
export function openApiDocument(app: INestApplication, publicUrl: string | null = null): OpenAPIObject {
  const dialects = app.get(ErrorDialects);
  // A copy, because the original contains objects of the decorators.
  const original = SwaggerModule.createDocument(app, frameOf(app, publicUrl).build(), {
    operationIdFactory,
    extraModels: [LanguageBodyDto],
  });
  const document = JSON.parse(JSON.stringify(original)) as OpenAPIObject;
  document.components = { ...document.components };
  document.components.schemas = {
    ...document.components.schemas,
    ...documentedSchemas([...app.get(Features).all('schemas'), ...bodySchemas(app)]),
    [SUCCESS_BODY]: SUCCESS_BODY_SCHEMA,
  };
  documentLanguageBodies(document);
  documentPipelineErrors(document, app.get(ApiPaths), dialects);
  documentErrors(document, dialects);
  documentRequiredScopes(document, app.get(Scopes).all);
  refineDocument(document);
  documentKeyAccess(document);
  shareSecurity(document);
  documentHeaders(document, app.get(ApiPaths));
  shareCommonFailures(document, dialects);
  shareRepeated(document);
  inheritSchemas(document);
  useJsonSchemas(document);
  shareProperties(document);
  shareForms(document);
  return document;
}

/** The document without its routes. */
function frameOf(app: INestApplication, publicUrl: string | null): DocumentBuilder {
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.1')
    .setTitle('Chat service')
    .setDescription(DESCRIPTION)
    .setVersion(SERVICE_VERSION)
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addServer(publicUrl ?? '/')
    .addBearerAuth({
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
      description: 'The `access_token` from a sign-in.',
    })
    .addBearerAuth(
      { type: 'http', scheme: 'bearer', bearerFormat: 'ck_…', description: 'A key from `POST /user/api-keys`.' },
      API_KEY_SCHEME,
    )
    .addOAuth2(PASSWORD_LOGIN, 'password')
    .addApiKey(
      {
        type: 'apiKey',
        in: 'query',
        name: 'ticket',
        description: 'A ticket from `POST /chat/{chat_id}/stream-ticket` or `POST /events/ticket`.',
      },
      'ticket',
    );
  for (const { name, description } of app.get(Features).groups()) {
    builder.addTag(name, description);
  }
  return builder;
}

/** The schemas of the bodies of all routes. */
function bodySchemas(app: INestApplication): NamedSchema[] {
  const controllers = [...app.get(ModulesContainer).values()].flatMap((module) => [...module.controllers.values()]);
  return controllers.flatMap(({ metatype }) => bodySchemasOf(metatype as Type<object>));
}

/**
 * The id of a route that declares none, such as `bookmark.add`, so that the generated client groups its methods by
 * area.
 */
function operationIdFactory(controller: string, method: string): string {
  const area = controller.replace(/Controller$/, '');
  // Nest names a route with several paths `ready[0]`, `ready[1]`, …; the ids must stay unique.
  const action = method.replace('[0]', '').replace(/\W/g, '');
  return `${area.charAt(0).toLowerCase()}${area.slice(1)}.${action}`;
}

/** Adds a body with `lang` to operations that have no other body. Its schema must be in the document. */
function documentLanguageBodies(document: OpenAPIObject): void {
  for (const { method, operation } of operationsOf(document)) {
    if (readsBody(method)) {
      operation.requestBody ??= {
        required: false,
        content: { 'application/json': { schema: { $ref: `#/components/schemas/${LanguageBodyDto.name}` } } },
      };
    }
  }
}
