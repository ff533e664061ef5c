import { CanActivate, Controller, ExecutionContext, Get, INestApplication, Module, Post } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import type { Request } from 'express';
import supertest from 'supertest';
import type { App } from 'supertest/types';
import { WriteAudit } from '../../../common/audit/audit.interceptor';
import { AUDITED_CHANGES, type AuditedChange } from '../../../common/audit/audit-definition';
import { AuditAdministrators, Audited } from '../../../common/audit/audited.decorator';
import { type DomainEvent, DomainEvents } from '../../../common/events/domain-events';
import { AdminOnly, Authenticated } from '../../../common/security/access.decorator';
import { WITHOUT_KEY } from '../../../common/security/principal';
import { Database } from '../../../database/database';
import { AuditOfWrites } from './audit-of-writes';
import { AuditScope } from './audit-scope';

@AdminOnly()
@Controller('admin')
class AdminSampleController {
  @Post('by-class')
  byClass() {
    return {};
  }

  @AdminOnly()
  @Post('by-both')
  byBoth() {
    return {};
  }

  @Get('read')
  read() {
    return {};
  }

  @Get('private')
  @Audited('private.read', 'private')
  readPrivate() {
    return {};
  }

  @Authenticated()
  @Post('for-all')
  forAll() {
    return {};
  }
}

@Authenticated()
@Controller('user')
class UserSampleController {
  @AdminOnly()
  @Post('by-method')
  byMethod() {
    return {};
  }

  @Post('unaudited')
  unaudited() {
    return {};
  }
}

@AuditAdministrators()
@Controller('shared')
class SharedSampleController {
  @Post('by-audit')
  byAudit() {
    return {};
  }

  @AdminOnly()
  @Post('by-audit-and-access')
  byAuditAndAccess() {
    return {};
  }
}

class AdministratorGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    request.principal = {
      userId: 1,
      sessionId: 1,
      ...WITHOUT_KEY,
      userType: 'admin',
      tier: 'admin',
      language: null,
      groupIds: [],
      defaultAgentId: null,
    };
    return true;
  }
}

const entries: AuditedChange[] = [];

@Module({
  controllers: [AdminSampleController, UserSampleController, SharedSampleController],
  providers: [
    AuditScope,
    { provide: WriteAudit, useClass: AuditOfWrites },
    { provide: Database, useValue: { write: (work: () => Promise<void>) => work() } },
    DomainEvents,
    { provide: APP_GUARD, useClass: AdministratorGuard },
  ],
})
class SampleModule {}

describe("the audit of administrators' writes", () => {
  let app: INestApplication<App>;

  beforeAll(async () => {
    const module = await Test.createTestingModule({ imports: [SampleModule] }).compile();
    const scope = module.get(AuditScope);
    module.get(DomainEvents).on(AUDITED_CHANGES, (event) => {
      if (scope.current?.context.principal?.userId === 1) {
        entries.push((event as DomainEvent<AuditedChange>).data);
      }
      return Promise.resolve();
    });
    app = module.createNestApplication();
    await app.listen(0, '127.0.0.1');
  });

  afterAll(() => app.close());

  beforeEach(() => entries.splice(0));

  it.each(['/admin/by-class', '/admin/by-both', '/user/by-method', '/shared/by-audit', '/shared/by-audit-and-access'])(
    'is recorded once with the declared access: POST %s',
    async (path) => {
      await supertest(app.getHttpServer()).post(path).expect(201);
      expect(entries.map(({ action }) => action)).toEqual([`POST ${path}`]);
    },
  );

  it('includes reads if the route declares it', async () => {
    await supertest(app.getHttpServer()).get('/admin/private').expect(200);
    expect(entries.map(({ action }) => action)).toEqual(['private.read']);
  });

  it('excludes reads, and writes that all users have access to', async () => {
    await supertest(app.getHttpServer()).get('/admin/read').expect(200);
    await supertest(app.getHttpServer()).post('/admin/for-all').expect(201);
    await supertest(app.getHttpServer()).post('/user/unaudited').expect(201);
    expect(entries).toEqual([]);
  });
});
