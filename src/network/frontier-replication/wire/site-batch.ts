// Site batch: changes of one site for a member, or a part of a full copy. Entries are compressed.

import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { MessageMalformed, MessageReader } from '../../../formats/wire/message-bytes.ts'
import { counter, hex, number, ringKey, text } from '../../../formats/wire/message-fields.ts'
import {
  type In,
  list,
  type Out,
  record,
  Schema,
  Times,
  union,
} from '../../../formats/wire/message-schema.ts'
import type { LogPosition } from '../log-position.ts'
import type { SiteEntry, SitePiece, Value } from '../site-frontier.ts'

/** In one message. */
export const sitesMax = 500
export const jobsMax = 1_000
const jobIdBytes = 10
const optionsBytesMax = 4e6
/** The limit of an LMDB key. */
const nameBytesMax = 1_800
const valueBytesMax = 4e6
/** Of a message's entries before compression. */
const unpackedBytesMax = 32e6
const zstdOptions = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

export const position: Schema<LogPosition> = record({ epoch: counter, sequence: counter })

export const jobId = hex(jobIdBytes)
/** Names of entries may be cut short, and with them what stands there for a job. */
export function isJobId(id: string): boolean {
  return id.length === 2 * jobIdBytes
}
const jobDefinition = record({
  id: jobId,
  options: text(optionsBytesMax).as<object>(asJobOptions, JSON.stringify),
})
export type JobDefinition = Out<typeof jobDefinition>
export const jobDefinitions = list(jobDefinition, jobsMax)

export type Load =
  /** What has changed from one log position to another. */
  | { readonly kind: 'changes'; readonly after: LogPosition; readonly upTo: LogPosition }
  /** A part of a copy, by its number and counted from 0; it counts when the last part has come. */
  | {
      readonly kind: 'copy'
      readonly copy: number
      readonly index: number
      /** With the last part. */
      readonly upTo: LogPosition | undefined
    }

const part = { copy: number(), index: counter }
const load = union('load of a batch', {
  changes: { after: position, upTo: position },
  part,
  'last-part': { ...part, upTo: position },
}).as<Load>(
  (read) => {
    if (read.kind === 'changes') return read
    const { copy, index } = read
    return { kind: 'copy', copy, index, upTo: read.kind === 'part' ? undefined : read.upTo }
  },
  (written) => {
    if (written.kind === 'changes') return written
    const { copy, index, upTo } = written
    return upTo === undefined ? { kind: 'part', copy, index } : { kind: 'last-part', copy, index, upTo }
  },
)

/** Every character a byte. */
const entryName = new Schema<string>(
  (reader) => reader.bytes(nameBytesMax).toString('latin1'),
  (writer, name) => writer.bytes(Buffer.from(name, 'latin1')),
)
export const optionalName = entryName.as<string | undefined>(
  (name) => name || undefined,
  (name) => name ?? '',
)

type Entry<V> = readonly [name: string, value: V | null]

/** Its name; then the length of its value and one, or 0 where it was removed. */
const entry = new Schema<Entry<Uint8Array>, Entry<Value>>(
  (reader) => {
    const name = entryName.read(reader)
    const length = reader.number(valueBytesMax + 1)
    return [name, length === 0 ? null : reader.copy(length - 1)]
  },
  (writer, [name, value]) => {
    entryName.write(writer, name)
    if (value === null) writer.number(0)
    else
      writer.number(value.length + 1).fixed(typeof value === 'string' ? Buffer.from(value, 'latin1') : value)
  },
)

const siteBatch = record({
  site: ringKey,
  /** The lease's epoch now, and the one in which the holder took the site over: all epochs between are its own. */
  epoch: counter,
  since: counter,
  /** The last epoch of which a majority of the members is known to have the site. */
  established: counter,
  load,
  entries: list(entry),
})
export type SiteBatch = In<typeof siteBatch>

export const shipment = compressed(record({ jobs: jobDefinitions, batches: list(siteBatch, sitesMax) }))
export type Shipment = Out<typeof shipment>

const siteBatchAnswer = union('answer to a batch', {
  taken: {},
  /** It needs a full copy. */
  behind: {},
  /** Another peer holds the lease, in this epoch. */
  superseded: { epoch: counter },
  /** It is not known yet whether the sender holds the lease. */
  later: {},
})
export type SiteBatchAnswer = Out<typeof siteBatchAnswer>
export const siteBatchAnswers = new Times(siteBatchAnswer)

const pieceEntry = entry.checked(([, value]) => value !== null, 'an entry without a value')
export const sitePiece: Schema<SitePiece> = compressed(
  record({ entries: list(pieceEntry as Schema<SiteEntry>), next: optionalName }),
)

export function asJobOptions(json: string): object {
  try {
    const value: unknown = JSON.parse(json)
    if (typeof value === 'object' && value !== null) return value
  } catch (error) {
    throw new MessageMalformed('a job that cannot be read', error)
  }
  throw new MessageMalformed('a job without options')
}

export function bytesOf(value: Value | null): number {
  return value?.length ?? 0
}

/** The rest of the message, compressed. */
function compressed<O, I>(schema: Schema<O, I>): Schema<O, I> {
  return new Schema(
    (reader) => schema.read(new MessageReader(inflated(reader.rest()))),
    (writer, value) => writer.fixed(zstdCompressSync(schema.encode(value), zstdOptions)),
  )
}

function inflated(bytes: Uint8Array): Uint8Array {
  try {
    return zstdDecompressSync(bytes, { maxOutputLength: unpackedBytesMax })
  } catch (error) {
    throw new MessageMalformed('it cannot be decompressed', error)
  }
}
