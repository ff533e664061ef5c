import { MigrationInterface, QueryRunner } from 'typeorm';

/** Anthropic's cache has two lifetimes with different prices, and its providers bill web searches. */
export class AnthropicCosts1700000002960 implements MigrationInterface {
  readonly name = 'AnthropicCosts1700000002960';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE prices ADD COLUMN cache_write_1h varchar(24) NULL');
    await queryRunner.query('ALTER TABLE prices ADD COLUMN per_web_search varchar(24) NULL');
    await queryRunner.query('ALTER TABLE usage_costs ADD COLUMN cache_write_1h_tokens integer NOT NULL DEFAULT 0');
    await queryRunner.query('ALTER TABLE usage_costs ADD COLUMN web_searches integer NOT NULL DEFAULT 0');
    await queryRunner.query('ALTER TABLE model_providers ADD COLUMN anthropic_features varchar(255) NULL');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE model_providers DROP COLUMN anthropic_features');
    await queryRunner.query('ALTER TABLE usage_costs DROP COLUMN web_searches');
    await queryRunner.query('ALTER TABLE usage_costs DROP COLUMN cache_write_1h_tokens');
    await queryRunner.query('ALTER TABLE prices DROP COLUMN per_web_search');
    await queryRunner.query('ALTER TABLE prices DROP COLUMN cache_write_1h');
  }
}
