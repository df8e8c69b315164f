// The payload in a record as it lies in a volume, if it is the right one: what a read costs most, apart so that another thread
// can do it. Input and output are plain bytes.
//
// Says nothing of what is wrong: who asked reads the record again then, and looks.

import { payloadAtEnd } from '../../formats/warc/payload.ts'
import { unpackRecord } from '../../formats/warc/reading/record-decoding.ts'
import { recordDictionary } from '../volumes/record-dictionary.ts'
import { sha256Digest } from './content-digest.ts'

const digestBytes = 32
const sizeAt = digestBytes
const dictionaryAt = sizeAt + 4
/** Before the record. */
export const provingHeadBytes = dictionaryAt + 1

export interface WantedPayload {
  readonly digest: Uint8Array
  readonly sizeBytes: number
  /** Whether the volume starts with our dictionary. */
  readonly hasDictionary: boolean
}

export function writeProvingHead(memory: Buffer, { digest, sizeBytes, hasDictionary }: WantedPayload): void {
  memory.set(digest)
  memory.writeUInt32LE(sizeBytes, sizeAt)
  memory[dictionaryAt] = hasDictionary ? 1 : 0
}

/** Throws what `unpackRecord` throws. */
export function provePayload(input: Buffer): Uint8Array | undefined {
  const dictionary = input[dictionaryAt] === 1 ? recordDictionary : undefined
  const { bytes } = unpackRecord(input.subarray(provingHeadBytes), { dictionary })
  const payload = payloadAtEnd(bytes, input.readUInt32LE(sizeAt))
  if (payload === undefined) return undefined
  const isRight = input.subarray(0, digestBytes).equals(sha256Digest.of(payload).bytes)
  return isRight ? payload : undefined
}
