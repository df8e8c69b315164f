// Whether a record's block and payload are what its digests say.
//
// wget and other tools digest a chunked body as it stands instead of transfer-decoded: either counts as a match.
// Not judged: digests of algorithms we do not know; payload digests that speak of bytes elsewhere (revisits,
// segments of a record that was cut up); and the block digest of a revisit where it is that of nothing at all, which
// wget writes whatever the block holds.

import {
  type Digest,
  DigestError,
  Digester,
  digestOf,
  equalDigests,
  parseDigest,
} from '../../model/digest.ts'
import type { FieldList } from '../http/field-list.ts'
import { isChunked } from '../http/http-message.ts'
import { WarcDamage } from './damage.ts'
import { contentOf, PayloadDecoder } from './payload.ts'
import { typeOf, type WarcRecord } from './record.ts'

type DigestVerdict = 'match' | 'mismatch' | 'absent' | 'not judged'

export interface DigestVerdicts {
  block: DigestVerdict
  payload: DigestVerdict
}

export class DigestCheck {
  readonly #block: Expectation
  readonly #payload: Expectation
  readonly #decoder: PayloadDecoder
  readonly #blockDigester: Digester | undefined
  readonly #payloadDigester: Digester | undefined
  readonly #bodyDigester: Digester | undefined
  #payloadDigest: Digest | undefined

  constructor(record: { fields: FieldList }) {
    const { block, payload } = expectationsOf(record)
    this.#block = block
    this.#payload = payload
    this.#decoder = new PayloadDecoder(record)
    this.#blockDigester = digesterFor(this.#block)
    this.#payloadDigester = digesterFor(this.#payload)
    this.#bodyDigester = digesterFor(this.#payload)
  }

  update(chunk: Uint8Array): void {
    this.#blockDigester?.update(chunk)
    if (this.#payloadDigester !== undefined) this.#updatePayload(this.#decoder.push(chunk))
  }

  /** Call once, after the whole block. */
  finish(): DigestVerdicts {
    if (this.#payloadDigester !== undefined) this.#updatePayload(this.#decoder.end())
    this.#payloadDigest = this.#payloadDigester?.finish()
    const ofPayload = [this.#payloadDigest]
    if (this.#decoder.isChunked) ofPayload.push(this.#bodyDigester?.finish())
    return {
      block: judge(this.#block, [this.#blockDigester?.finish()]),
      payload: judge(this.#payload, ofPayload),
    }
  }

  /** Of the payload as it is, after `finish`; undefined where it was not judged. */
  get payloadDigest(): Digest | undefined {
    return this.#payloadDigest
  }

  #updatePayload(part: { body: Uint8Array; payload: Uint8Array[] }): void {
    for (const chunk of part.payload) this.#payloadDigester!.update(chunk)
    if (this.#decoder.isChunked) this.#bodyDigester!.update(part.body)
  }
}

export function checkDigests(record: WarcRecord): DigestVerdicts {
  return judgeDigests(record).verdicts
}

interface JudgedDigests {
  verdicts: DigestVerdicts
  /** Of the payload as it is; undefined where it was not judged. */
  payloadDigest: Digest | undefined
}

/** As DigestCheck, of a record in memory: digests that need not be begun and ended take half as long for a page. */
export function judgeDigests(record: { fields: FieldList; block: Uint8Array }): JudgedDigests {
  const expected = expectationsOf(record)
  const block = judge(expected.block, [digestFor(expected.block, record.block)])
  if (typeof expected.payload === 'string')
    return { verdicts: { block, payload: expected.payload }, payloadDigest: undefined }
  const { head, payload } = contentOf(record)
  const payloadDigest = digestFor(expected.payload, payload)!
  const ofPayload = [payloadDigest]
  if (head !== undefined && isChunked(head) && !equalDigests(payloadDigest, expected.payload))
    ofPayload.push(digestFor(expected.payload, record.block.subarray(head.length))!)
  return { verdicts: { block, payload: judge(expected.payload, ofPayload) }, payloadDigest }
}

/** The damage that verdicts amount to, if any. */
export function digestDamage(verdicts: DigestVerdicts, offset: number): WarcDamage | undefined {
  const wrong = (['block', 'payload'] as const).filter((part) => verdicts[part] === 'mismatch')
  if (wrong.length === 0) return undefined
  return new WarcDamage('warc-digest-mismatch', offset, `${wrong.join(' and ')} digest does not match`)
}

type Expectation = Digest | 'absent' | 'not judged'

function expectationsOf(record: { fields: FieldList }): { block: Expectation; payload: Expectation } {
  const block = expectation(record.fields, 'WARC-Block-Digest')
  const payload = expectation(record.fields, 'WARC-Payload-Digest')
  const isRevisit = typeOf(record) === 'revisit'
  const speaksOfOtherBytes = isRevisit || record.fields.has('WARC-Segment-Number')
  return {
    block: isRevisit && isOfNothing(block) ? 'not judged' : block,
    payload: speaksOfOtherBytes && payload !== 'absent' ? 'not judged' : payload,
  }
}

function expectation(fields: FieldList, name: string): Expectation {
  const text = fields.get(name)
  if (text === undefined) return 'absent'
  try {
    return parseDigest(text)
  } catch (error) {
    if (error instanceof DigestError) return 'not judged'
    throw error
  }
}

function isOfNothing(expected: Expectation): boolean {
  return typeof expected !== 'string' && equalDigests(expected, digestOf(expected.algorithm, ''))
}

function digesterFor(expected: Expectation): Digester | undefined {
  return typeof expected === 'string' ? undefined : new Digester(expected.algorithm)
}

function digestFor(expected: Expectation, bytes: Uint8Array): Digest | undefined {
  return typeof expected === 'string' ? undefined : digestOf(expected.algorithm, bytes)
}

function judge(expected: Expectation, digests: (Digest | undefined)[]): DigestVerdict {
  if (typeof expected === 'string') return expected
  return digests.some((digest) => equalDigests(digest!, expected)) ? 'match' : 'mismatch'
}
