import { Entity, PrimaryColumn } from 'typeorm';
import { LongBytesColumn } from '../../database/columns';

/** A part of a blob's bytes. Only `TableBlobStore` uses the table. */
@Entity('blob_pieces')
export class BlobPieceEntity {
  @PrimaryColumn({ type: 'varchar', length: 64 })
  hash: string;

  /** Its position among the pieces, from 0. */
  @PrimaryColumn({ type: 'int' })
  number: number;

  @LongBytesColumn()
  data: Buffer;
}
