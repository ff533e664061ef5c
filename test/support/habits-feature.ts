import {
  BadGatewayException,
  BadRequestException,
  Body,
  type CanActivate,
  ConflictException,
  Controller,
  DefaultValuePipe,
  type DynamicModule,
  type ExecutionContext,
  ForbiddenException,
  Get,
  GoneException,
  HttpException,
  ImATeapotException,
  Inject,
  Injectable,
  InternalServerErrorException,
  Module,
  NotFoundException,
  Param,
  ParseArrayPipe,
  ParseBoolPipe,
  ParseDatePipe,
  ParseEnumPipe,
  ParseFloatPipe,
  ParseIntPipe,
  ParseUUIDPipe,
  type PipeTransform,
  Post,
  Query,
  Req,
  ServiceUnavailableException,
  UnprocessableEntityException,
  UseGuards,
} from '@nestjs/common';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayNotEmpty,
  ArrayUnique,
  IsDateString,
  IsEmail,
  IsEnum,
  IsIn,
  IsInt,
  IsMobilePhone,
  IsOptional,
  IsPositive,
  IsString,
  IsUUID,
  // oxlint-disable-next-line no-restricted-imports -- modules use it
  Length,
  Matches,
  // oxlint-disable-next-line no-restricted-imports -- modules use it
  MaxLength,
  Min,
  registerDecorator,
  Validate,
  ValidateNested,
  ValidatorConstraint,
  type ValidatorConstraintInterface,
} from 'class-validator';
import type { Request } from 'express';
import { Feature } from '../../src/common/features/feature.decorator';
import { Authenticated, Public } from '../../src/common/security/access.decorator';
import { KeyScope } from '../../src/common/security/key-scope.decorator';

/** Exceptions as developers of NestJS throw them. */
const EXCEPTIONS: Record<string, () => HttpException> = {
  teapot: () => new ImATeapotException('Short and stout.'),
  gone: () => new GoneException(),
  conflict: () => new ConflictException('The name is taken.', 'Name taken'),
  unprocessable: () => new UnprocessableEntityException('The room is closed on Sundays.'),
  locked: () => new HttpException({ message: 'Ada is editing it.', editor: { id: 7 } }, 423),
  bare: () => new HttpException({ hint: 'Try tomorrow.' }, 409),
  unnamed: () => new HttpException('Not for legal reasons.', 451),
  missing: () => new NotFoundException('There is no such ticket.'),
  forbidden: () => new ForbiddenException(),
  bad: () => new BadRequestException('Choose a day in the future.'),
  validated: () => new BadRequestException(['seats.0.row must be a letter', 'note should not be empty']),
  busy: () => new HttpException('Slow down.', 429),
  offline: () => new ServiceUnavailableException('The printer is off.'),
  upstream: () => new BadGatewayException('The ticket system does not answer.'),
  broken: () => new InternalServerErrorException('The secret table is gone.'),
};

enum Priority {
  Low = 'low',
  High = 'high',
}

@ValidatorConstraint({ name: 'isWeekday' })
class IsWeekday implements ValidatorConstraintInterface {
  validate(value: unknown): boolean {
    return value !== 'Sunday';
  }

  defaultMessage(): string {
    return '$property cannot be a $value.';
  }
}

const IsEven = (): PropertyDecorator => (target, property) =>
  registerDecorator({
    name: 'isEven',
    target: target.constructor,
    propertyName: String(property),
    options: { message: 'Seats are sold in pairs.' },
    validator: { validate: (value: unknown) => Number(value) % 2 === 0 },
  });

class AddressDto {
  @IsString()
  @MaxLength(5)
  city: string;
}

/** Rules of class-validator, most of them without a message. */
export class TicketDto {
  @IsOptional() @IsInt() @Min(1) count?: number;
  @IsOptional() @IsPositive() price?: number;
  @IsOptional() @IsString() @Length(2, 4) code?: string;
  @IsOptional() @IsEmail() email?: string;
  @IsOptional() @IsUUID() event?: string;
  @IsOptional() @IsIn(['a', 'b']) row?: string;
  @IsOptional() @IsEnum(Priority) priority?: Priority;
  @IsOptional() @Matches(/^#/) colour?: string;
  @IsOptional() @IsDateString() day?: string;
  @IsOptional() @ArrayMaxSize(1) many?: string[];
  @IsOptional() @ArrayNotEmpty() some?: string[];
  @IsOptional() @ArrayUnique() tags?: string[];
  @IsOptional() @IsMobilePhone() phone?: string;
  @IsOptional() @ValidateNested() @Type(() => AddressDto) address?: AddressDto;
  @IsOptional() @ValidateNested({ each: true }) @Type(() => AddressDto) stops?: AddressDto[];
  @IsOptional() @IsInt({ message: 'Write the year with four digits.' }) year?: number;
  @IsOptional() @Validate(IsWeekday) weekday?: string;
  @IsOptional() @IsEven() seats?: number;
  @IsString({ message: 'Give the ticket a title.' }) title: string;
}

@Injectable()
class DayPipe implements PipeTransform<string, string> {
  transform(value: string): string {
    if (value === 'yesterday') {
      throw new BadRequestException('Tickets for past days are not sold.');
    }
    return value;
  }
}

/** As in the NestJS manual. */
class RolesGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { user } = context.switchToHttp().getRequest<{ user?: { userType: string } }>();
    return user?.userType === 'admin';
  }
}

@Public()
@Controller('habits')
class HabitsController {
  constructor(@Inject('SETTINGS') private readonly settings: object) {}

  @Get('thrown/:name')
  throwIt(@Param('name') name: string): never {
    throw EXCEPTIONS[name]?.() ?? new Error('There is no such exception.');
  }

  @Get('numbers/:id')
  numbers(
    @Param('id', ParseIntPipe) id: number,
    @Query('page', new DefaultValuePipe(1), ParseIntPipe) page: number,
    @Query('ratio', new ParseFloatPipe({ optional: true })) ratio?: number,
    @Query('open', new ParseBoolPipe({ optional: true })) open?: boolean,
    @Query('ids', new ParseArrayPipe({ items: Number, optional: true })) ids?: number[],
  ): object {
    return { id, page, ratio, open, ids };
  }

  @Get('texts')
  texts(
    @Query('event', new ParseUUIDPipe({ optional: true })) event?: string,
    @Query('priority', new ParseEnumPipe(Priority, { optional: true })) priority?: Priority,
    @Query('since', new ParseDatePipe({ optional: true })) since?: Date,
    @Query('day', DayPipe) day?: string,
    @Query('limit', new ParseIntPipe({ optional: true, exceptionFactory: () => new BadRequestException('No limit.') }))
    limit?: number,
  ): object {
    return { event, priority, since, day, limit };
  }

  @Get('owner/:id')
  owner(@Param('id', new ParseUUIDPipe({ errorHttpStatusCode: 404 })) id: string): object {
    return { id };
  }

  @Post('tickets')
  add(@Body() ticket: TicketDto): object {
    return ticket;
  }

  @Post('parts')
  parts(@Body('count', ParseIntPipe) count: number, @Body('address') address: AddressDto): object {
    return { count, address };
  }

  @Get('settings')
  read(): object {
    return this.settings;
  }
}

@Authenticated()
@Controller('habits/callers')
class CallerController {
  @Get('me')
  @KeyScope('chat:read')
  me(@Req() request: Request): object {
    return { user: request.user, isPrincipal: request.user === request.principal };
  }

  @Get('admin')
  @UseGuards(RolesGuard)
  admin(): object {
    return { ok: true };
  }
}

/** A module whose import is a promise, as `ConfigModule.forRoot()` returns. */
@Module({})
class LateSettingsModule {
  static forRoot(): Promise<DynamicModule> {
    const settings = { provide: 'SETTINGS', useValue: { printer: 'lobby' } };
    return Promise.resolve({ module: LateSettingsModule, providers: [settings], exports: [settings] });
  }
}

/** A module from outside of the service, written as the NestJS manual shows it. */
@Feature({
  imports: [LateSettingsModule.forRoot()],
  controllers: [CallerController, HabitsController],
})
export class HabitsModule {}
